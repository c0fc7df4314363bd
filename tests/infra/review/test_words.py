"""Changes in a reviewer's words."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infra.review import UnreadableError, read, remarks, written

TOKENS = {
    "TFJob": "kubernetes:kubeflow.org/v1:TFJob",
    "ResourceQuota": "kubernetes:core/v1:ResourceQuota",
    "Namespace": "kubernetes:core/v1:Namespace",
    "PersistentVolumeClaim": "kubernetes:core/v1:PersistentVolumeClaim",
    "CustomResourceDefinition": "kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinition",
    "PrometheusRule": "kubernetes:monitoring.coreos.com/v1:PrometheusRule",
    "Secret": "kubernetes:core/v1:Secret",
    "ConfigMap": "kubernetes:core/v1:ConfigMap",
    "NodeMarks": "pulumi-python:dynamic/colocation:NodeMarks",
    "Directory": "kubernetes:kustomize/v2:Directory",
    "Provider": "pulumi:providers:kubernetes",
}

QUEUED = {"name": "thing", "namespace": "team", "labels": {"kueue.x-k8s.io/queue-name": "training"}}


def step(op, kind, old=None, new=None, *, name="thing", namespace="team", resource=None, **state):
    token = TOKENS[kind]
    metadata = {"name": name, "namespace": namespace}
    sides = {"oldState": old, "newState": new}
    states = {
        side: {"type": token, "inputs": {"metadata": metadata, **inputs}, **state}
        for side, inputs in sides.items()
        if inputs is not None
    }
    return {"op": op, "urn": f"urn:pulumi:dev::colocation::{token}::{resource or name}", **states}


def said(*steps):
    return [(remark.weight, remark.text) for remark in remarks(read(json.dumps({"steps": steps})))]


def job(image="reg/tf:1", replicas=1, **change):
    pod = {"containers": [{"name": "tensorflow", "image": image, **change}]}
    return {"spec": {"tfReplicaSpecs": {"Worker": {"replicas": replicas, "template": {"spec": pod}}}}}


def test_a_larger_quota_is_told_in_gpus():
    old, new = ({"spec": {"hard": {"requests.nvidia.com/gpu": gpus}}} for gpus in ("8", "12"))
    assert said(step("update", "ResourceQuota", old, new)) == [("change", "quota of team: 8 -> 12 GPUs")]


def test_a_job_that_is_added_is_counted_with_its_size():
    new = job(replicas=2, resources={"limits": {"nvidia.com/gpu": "2"}})
    assert said(step("create", "TFJob", None, new)) == [("count", "+1 TFJob: thing (2 pods, 4 GPUs)")]


@pytest.mark.parametrize(
    ("new", "why"),
    [
        (job(image="reg/tf:2"), "its image changed from reg/tf:1 to reg/tf:2"),
        (job(replicas=2), "its number of pods changed"),
        (job(env=[{"name": "A", "value": "1"}]), "its variables changed"),
        (
            job(image="reg/tf:2", args=["x"]),
            "its image changed from reg/tf:1 to reg/tf:2, and its command changed",
        ),
        ({"spec": {**job()["spec"], "runPolicy": {"suspend": True}}}, "its run policy changed"),
        ({**job(), "metadata": QUEUED}, "its queue changed"),
        (job(), "it was asked for"),
    ],
)
def test_a_job_that_runs_again_says_why(new, why):
    assert said(step("replace", "TFJob", job(), new)) == [("run", f"job team/thing runs again because {why}")]


def test_a_role_that_is_added_is_named():
    new = job()
    new["spec"]["tfReplicaSpecs"] |= {"PS": {"replicas": 1}}
    [(_, text)] = said(step("replace", "TFJob", job(), new))
    assert text.endswith("because its roles (PS added) changed")


def test_the_script_of_a_job_that_runs_again_is_not_told_twice():
    script = step("replace", "ConfigMap", {}, {}, name="mnist-script-1", resource="mnist-script")
    assert said(script) == []


@pytest.mark.parametrize("op", ["delete", "replace"])
@pytest.mark.parametrize(
    ("kind", "lost"),
    [
        ("PersistentVolumeClaim", "its data"),
        ("Namespace", "everything in it"),
        ("CustomResourceDefinition", "every object of its kind"),
    ],
)
def test_what_holds_data_is_in_danger_when_it_goes(op, kind, lost):
    [(weight, text)] = said(step(op, kind, {}, {"size": 1} if op == "replace" else None))
    assert weight == "danger"
    assert lost in text
    assert ("would be replaced (size none -> 1)" if op == "replace" else "would be deleted") in text


def test_a_definition_that_stays_in_the_cluster_is_no_danger():
    [(weight, text)] = said(step("delete", "CustomResourceDefinition", {}, None, retainOnDelete=True))
    assert (weight, text.endswith("stays in the cluster")) == ("change", True)


def rules(*found, interval="30s"):
    return {"spec": {"groups": [{"name": "g", "interval": interval, "rules": list(found)}]}}


def rule(name, expr="up == 0", severity="warning", **change):
    return {"alert": name, "expr": expr, "for": "5m", "labels": {"severity": severity}} | change


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ([rule("A")], [rule("A"), rule("B")], "+B"),
        ([rule("A"), rule("B")], [rule("B")], "-A"),
        ([rule("A")], [rule("A", expr="up < 1")], "A: expression up == 0 -> up < 1"),
        ([rule("A")], [rule("A", expr="x" * 99)], "A: expression changed"),
        (
            [rule("A"), rule("B")],
            [rule("A", severity="critical", **{"for": "10m"}), rule("B", annotations={"summary": "s"})],
            "A: waits for 5m -> 10m, severity warning -> critical; B: its text changed",
        ),
        ([rule("A"), rule("A", "x", "info")], [rule("A"), rule("A", "y", "info")], "A: expression x -> y"),
        ([{"record": "r:x", "expr": "a"}], [{"record": "r:x", "expr": "b"}], "r:x: expression a -> b"),
        ([rule("A")], [rule("A", labels={"severity": "warning", "team": "t"})], "A: team none -> t"),
    ],
)
def test_a_changed_rule_is_told_by_its_alert_and_field(old, new, text):
    assert said(step("update", "PrometheusRule", rules(*old), rules(*new))) == [
        ("change", f"alert rules team/thing: {text}")
    ]


def test_rules_that_come_or_go_together_are_named():
    [(_, text)] = said(step("create", "PrometheusRule", None, rules(rule("A"), rule("B"))))
    assert text == "+1 PrometheusRule: thing (A, B)"


def test_rules_that_are_looked_at_more_often_say_so():
    told = said(step("update", "PrometheusRule", rules(rule("A")), rules(rule("A"), interval="1m")))
    assert told == [("change", "alert rules team/thing: evaluated every 30s -> 1m")]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (rules(rule("A"), rule("B")), rules(rule("B"), rule("A"))),
        (rules(rule("A")), {"spec": {"groups": [{"name": "h", "rules": [rule("A")]}]}}),
        (rules(rule("A")), {"spec": {"groups": [{**rules(rule("A"))["spec"]["groups"][0], "limit": 9}]}}),
    ],
    ids=["order", "name", "limit"],
)
def test_rules_that_are_only_grouped_anew_say_so(old, new):
    told = said(step("update", "PrometheusRule", old, new))
    assert told == [("change", "alert rules team/thing: the order or the groups of its rules")]


def test_a_change_of_whom_alertmanager_tells_says_where_it_is_seen():
    data = ({"data": "[secret]"}, {"data": "[secret]"})
    [(_, text)] = said(step("update", "Secret", *data, name="colocation-alertmanager"))
    assert "`colo render` of both branches" in text


def test_nodes_that_come_and_go_are_named():
    old, new = {"pool": "gpu", "nodes": ["a", "b"]}, {"pool": "gpu", "nodes": ["b", "c", "d"]}
    assert said(step("update", "NodeMarks", old, new)) == [
        ("change", "pool thing: +2 nodes (c, d); -1 node (a)")
    ]


def test_what_only_groups_others_is_passed_over():
    assert said(step("create", "Directory", None, {}), step("update", "Provider", {}, {"a": 1})) == []


def test_danger_comes_first():
    weights = [
        w
        for w, _ in said(
            step("create", "ConfigMap", None, {}),
            step("replace", "TFJob", job(), job("reg/tf:2")),
            step("delete", "Namespace", {}),
        )
    ]
    assert weights == ["danger", "run", "count"]


def test_long_lists_are_cut():
    steps = [step("create", "ConfigMap", None, {}, name=f"c{n}") for n in range(9)]
    assert said(*steps) == [("count", "+9 ConfigMap: c0, c1, c2, c3, c4, c5 and 3 more")]


def test_values_that_are_long_are_not_shown():
    [(_, text)] = said(step("update", "ConfigMap", {"data": {"a": "x\ny"}}, {"data": {"a": "z" * 100}}))
    assert text == "ConfigMap team/thing changes: data.a changed"


@pytest.mark.parametrize("text", ["", "no changes", "[]", '{"steps": 1}', '{"steps": ['])
def test_what_is_no_preview_is_refused_with_what_to_give(text):
    with pytest.raises(UnreadableError, match="pulumi preview --json"):
        read(text)


def test_values_cannot_become_markup_or_mentions():
    found = remarks(read(json.dumps({"steps": [step("create", "ConfigMap", None, {}, name="<b>@all`|")]})))
    text = written(found, [], "markdown", "dev")
    assert "\\<b\\>@\u200ball\\`\\|" in text


def test_a_preview_that_failed_says_so_first():
    messages = ("error: Preview failed: cannot\n  reach it", "preview failed")
    diagnostics = [{"severity": "error", "message": message} for message in messages]
    preview = read(json.dumps({"steps": [], "diagnostics": diagnostics}))
    assert written([], preview.errors, "text", "dev") == "dev:\nthe preview failed: cannot reach it"


@pytest.mark.parametrize(
    ("message", "sentence"),
    [
        (
            'resource "u::c::training-data-claim" cannot be deleted because it is protected. To unprotect',
            "training-data-claim is protected, and would be deleted: an update stops there. "
            "If its data may go: pulumi state unprotect 'u::c::training-data-claim'",
        ),
        (
            'resource "u::offline-low" was not successfully created by the Kubernetes API server: '
            'PriorityClass.scheduling.k8s.io "offline-low" is invalid: value: Forbidden: '
            "may not be changed in an update.",
            "priority offline-low gets another value or policy. ",
        ),
    ],
)
def test_an_error_that_says_too_much_or_too_little_is_explained(message, sentence):
    preview = read(json.dumps({"steps": [], "diagnostics": [{"severity": "error", "message": message}]}))
    assert preview.errors[0].startswith(sentence)


def test_what_only_the_update_will_know_is_called_so():
    unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
    [(_, text)] = said(step("update", "ConfigMap", {"data": {"a": "1"}}, {"data": {"a": unknown}}))
    assert text.endswith("data.a 1 -> (known after the update)")


WORDS = """
spec hard tfReplicaSpecs Worker replicas template containers resources limits nvidia.com/gpu
metadata name namespace nodes pool inputs type
"""
SCALAR = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
ANYTHING = st.recursive(
    SCALAR,
    lambda below: (
        st.lists(below, max_size=3) | st.dictionaries(st.sampled_from(WORDS.split()), below, max_size=4)
    ),
    max_leaves=12,
)


@given(
    st.sampled_from(("create", "update", "replace", "delete")),
    st.sampled_from(sorted(TOKENS)),
    ANYTHING,
    ANYTHING,
)
def test_whatever_the_inputs_are_something_is_said(op, kind, old, new):
    states = {
        "oldState": {"type": TOKENS[kind], "inputs": old},
        "newState": {"type": TOKENS[kind], "inputs": new},
    }
    for steps in ([{"op": op, "urn": "a::b", **states}], [{"op": op, "urn": 1, "newState": new}], [new]):
        preview = read(json.dumps({"steps": steps, "diagnostics": old}))
        assert isinstance(written(remarks(preview), preview.errors, "markdown"), str)
