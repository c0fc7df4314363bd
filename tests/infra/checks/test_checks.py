"""Rules between the objects of a stack: each breaks by one change, and says so in its place."""

import pytest
from pydantic import ValidationError

from infra.checks import examine
from tests.infra.checks.jobs import but_for_several_pods


def codes(subject):
    return [(finding.code, finding.place) for finding in examine(subject)]


def test_the_small_stack_is_fine(data, subject):
    assert examine(subject(data)) == ()


@pytest.mark.parametrize(
    ("field", "code"),
    [("tenant", "unknown-tenant"), ("priority", "unknown-priority"), ("pool", "unknown-pool")],
)
def test_a_job_names_only_what_is_declared(data, subject, field, code):
    data["jobs"][0][field] = "visoin"
    assert (code, ("jobs", 0, field)) in codes(subject(data))


def test_a_misspelt_name_gets_the_nearest(data, subject):
    data["jobs"][0]["priority"] = "offline-lo"
    [finding] = examine(subject(data))
    assert finding.message == "no priority of the stack is called offline-lo"
    assert finding.remedy == "write offline-low"


def test_a_name_like_no_other_gets_all_that_are_declared(data, subject):
    data["jobs"][0]["priority"] = "x"
    [finding] = examine(subject(data))
    assert finding.remedy == "declare it, or write one of offline-low, online-high"


def test_a_job_without_a_pool_needs_none(data, subject):
    del data["jobs"][0]["pool"]
    data["jobs"][0]["worker"] = {}
    assert examine(subject(data)) == ()


def test_a_claim_is_declared(data, subject):
    data["jobs"][0]["volumes"][0]["claim"] = "dota"
    assert codes(subject(data)) == [("unknown-storage", ("jobs", 0, "volumes", 0, "claim"))]


def test_a_claim_of_another_tenant_is_refused(data, subject):
    data["tenants"].append({"name": "speech"})
    data["storage"][0]["tenant"] = "speech"
    assert codes(subject(data)) == [("claim-of-another-tenant", ("jobs", 0, "volumes", 0, "claim"))]


def test_storage_names_a_tenant(data, subject):
    data["storage"].append(data["storage"][0] | {"name": "other", "tenant": "nobody"})
    assert codes(subject(data)) == [("unknown-tenant", ("storage", 1, "tenant"))]


def test_gpus_without_a_pool_are_a_warning(data, subject):
    del data["jobs"][0]["pool"]
    [finding] = examine(subject(data))
    assert (finding.severity, finding.code) == ("warning", "gpus-without-pool")


def test_training_under_an_online_class_is_a_warning(data, subject):
    data["jobs"][0]["priority"] = "online-high"
    [finding] = examine(subject(data))
    assert (finding.severity, finding.code) == ("warning", "job-with-online-priority")


def test_a_job_needs_no_script(data, subject):
    del data["jobs"][0]["script"]
    assert [finding.severity for finding in examine(subject(data))] == ["advice"]


def test_a_job_of_an_unknown_tenant_hears_nothing_about_its_claims(data, subject):
    data["jobs"][0]["tenant"] = "nobody"
    assert [code for code, _ in codes(subject(data))] == ["unknown-tenant"]


def test_a_script_is_there(data, subject):
    [finding] = examine(subject(data, {"trian.py": "x"}))
    assert (finding.code, finding.remedy) == ("unknown-script", "write trian.py")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (" \n", "script-empty"),
        ("#" * (1024 * 1024 - 4095), "script-too-large"),
        ("é" * 600_000, "script-too-large"),
    ],
)
def test_a_script_can_be_mounted(data, subject, text, code):
    assert codes(subject(data, {"train.py": text})) == [(code, ("jobs", 0, "script"))]


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("x = 1\nfor step in range(3)\n", "train.py, line 2: expected ':'"),
        ("x = 1\n  y = 2\n", "train.py, line 2: unexpected indent"),
        ("return 1\n", "train.py, line 1: 'return' outside function"),
        ("x = '\0'\n", "train.py"),
        ("# coding: ascii\nx = 'é'\n", "train.py"),
        ("# coding: no-such\n", "train.py: unknown encoding: no-such"),
    ],
)
def test_a_script_that_python_cannot_read_is_refused_with_its_line(data, subject, text, where):
    [finding] = examine(subject(data, {"train.py": text}))
    assert (finding.severity, finding.code) == ("fault", "script-syntax")
    assert where in finding.message


def test_so_is_one_that_it_imports_from_beside_it(data, subject):
    scripts = {"train.py": "import model\n", "model.py": "def f(:\n"}
    assert "model.py, line 1" in examine(subject(data, scripts))[0].message


@pytest.mark.parametrize(
    "head", ["\ufeff", "\ufeff# -*- coding: utf-8 -*-\n", "#!/usr/bin/python3\n", "# coding: gbk\n"]
)
def test_a_script_may_begin_as_editors_let_it_begin(data, subject, head):
    scripts = {"train.py": f"{head}import model\n", "model.py": "def f(:\n"}
    [finding] = examine(subject(data, scripts))
    assert finding.message.endswith(" cannot read model.py, line 1: invalid syntax")


def test_a_script_that_warns_is_read(data, subject):
    assert examine(subject(data, {"train.py": 'x = "\\d"\n'})) == ()


def test_the_largest_script_fits(data, subject):
    assert examine(subject(data, {"train.py": "#" * (1024 * 1024 - 4096)})) == ()


def test_one_node_is_in_one_pool(data, subject):
    data["pools"].append({"name": "cpu", "nodes": ["n3", "n2"]})
    [finding] = examine(subject(data))
    assert (finding.code, finding.place) == ("node-in-two-pools", ("pools", 1, "nodes", 1))
    assert finding.message == "n2 is in pool gpu already"


def test_two_pools_do_not_select_alike(data, subject):
    data["pools"] += [{"name": name, "selector": {"a": "b"}} for name in ("one", "two")]
    assert codes(subject(data)) == [("node-in-two-pools", ("pools", 2, "selector"))]


def test_a_pool_does_not_undo_its_own_selector(data, subject):
    data["pools"].append({"name": "x", "selector": {"a": "b"}, "labels": {"a": "c"}})
    assert codes(subject(data)) == [("label-undoes-selector", ("pools", 1, "labels", "a"))]


def test_our_own_labels_are_not_given_by_hand(data, subject):
    data["pools"][0]["labels"]["colocation.io/pool"] = "other"
    assert codes(subject(data)) == [("label-reserved", ("pools", 0, "labels", "colocation.io/pool"))]


@pytest.mark.parametrize("field", ["taints", "foreign_taints"])
def test_a_taint_has_one_value_and_one_owner(data, subject, field):
    data["pools"][0]["taints"] = [{"key": "gpu", "value": "reserved", "effect": "NoSchedule"}]
    again = {"key": "gpu", "value": "other", "effect": "NoSchedule"}
    data["pools"][0].setdefault(field, []).append(again)
    [finding] = examine(subject(data))
    assert (finding.code, finding.place[2]) == ("taint-twice", field)


def test_one_key_may_have_two_effects(data, subject):
    effects = ("NoSchedule", "NoExecute")
    data["pools"][0]["taints"] = [{"key": "gpu", "effect": effect} for effect in effects]
    assert examine(subject(data)) == ()


@pytest.mark.parametrize("value", [100000, 100001])
def test_offline_work_ranks_below_every_online_class(data, subject, value):
    data["priorities"][1]["value"] = value
    assert codes(subject(data)) == [("offline-not-below-online", ("priorities", 1, "value"))]


def test_the_lowest_online_class_counts_not_only_the_default(data, subject):
    data["priorities"].append({"name": "online-low", "value": 500, "kind": "online"})
    [finding] = examine(subject(data))
    assert finding.message == "1000 is not below online-low, which has 500"


def test_offline_work_needs_a_default_for_services_without_a_class(data, subject):
    data["priorities"][0]["global_default"] = False
    assert codes(subject(data)) == [("no-global-default", ("priorities",))]


def test_offline_work_below_zero_needs_no_default_of_this_stacks(data, subject):
    data["priorities"][0]["global_default"] = False
    offline = next(p for p in data["priorities"] if p["kind"] == "offline")
    offline["value"] = -1
    assert codes(subject(data)) == []


def test_a_stack_without_offline_classes_needs_no_default(data, subject):
    del data["jobs"], data["priorities"]
    assert examine(subject(data)) == ()


def test_online_classes_alone_need_no_default(data, subject):
    del data["jobs"], data["priorities"][1]
    data["priorities"][0]["global_default"] = False
    assert examine(subject(data)) == ()


def test_one_class_is_the_default(data, subject):
    data["priorities"].append({"name": "b", "value": 9999, "kind": "online", "global_default": True})
    assert codes(subject(data)) == [("second-global-default", ("priorities", 2, "global_default"))]


def test_offline_work_is_never_the_default(data, subject):
    data["priorities"][0]["global_default"] = False
    data["priorities"][1]["global_default"] = True
    assert codes(subject(data)) == [("offline-global-default", ("priorities", 1, "global_default"))]


@pytest.mark.parametrize(
    ("change", "code"),
    [({"name": "system-x"}, "priority-name-reserved"), ({"value": 10**9 + 1}, "priority-too-high")],
)
def test_what_kubernetes_keeps_for_itself_is_refused(data, subject, change, code):
    data["priorities"][0] |= change
    assert [found for found, _ in codes(subject(data))] == [code]


def test_the_highest_priority_that_users_have_is_allowed(data, subject):
    data["priorities"][0]["value"] = 10**9
    assert examine(subject(data)) == ()


@pytest.mark.parametrize("kind", ["pools", "priorities", "tenants", "storage", "jobs"])
def test_a_name_is_used_once_in_its_list(data, subject, kind):
    again = dict(data[kind][-1])
    if kind == "pools":
        again["nodes"] = ["n9"]
    data[kind].append(again)
    assert codes(subject(data)) == [("duplicate-name", (kind, len(data[kind]) - 1, "name"))]


@pytest.mark.parametrize(
    ("roles", "room"),
    [
        ({"worker": {"replicas": 1}}, 63 - len("-worker-0")),
        ({"worker": {"replicas": 12}}, 63 - len("-worker-11")),
        ({"worker": {"replicas": 11}}, 63 - len("-worker-10")),
        ({"worker": {"replicas": 10}}, 63 - len("-worker-9")),
        ({"worker": {}, "evaluator": {}}, 63 - len("-evaluator-0")),
        ({"worker": {}, "schedule": "@daily"}, 63 - len("-29740080-worker-0")),
    ],
)
def test_pod_names_fit_into_a_label(data, subject, roles, room):
    data["jobs"][0] |= {"worker": None} | roles | {"name": "a" * room}
    del data["jobs"][0]["pool"]
    assert but_for_several_pods(examine(subject(data))) == ()
    data["jobs"][0]["name"] += "a"
    [finding] = but_for_several_pods(examine(subject(data)))
    assert finding.code == "job-name-too-long"
    assert finding.remedy == f"use at most {room} characters, not {room + 1}"


@pytest.mark.parametrize("name", ["kube-system", "default"])
def test_a_tenant_does_not_take_over_a_system_namespace(data, subject, name):
    data["tenants"].append({"name": name})
    assert codes(subject(data)) == [("tenant-takes-system-namespace", ("tenants", 1, "name"))]


@pytest.mark.parametrize("name", ["kube-system", "default"])
def test_the_operator_does_not_take_over_a_system_namespace(data, subject, name):
    data["training_operator"] = {"namespace": name}
    place = ("training_operator", "namespace")
    assert codes(subject(data)) == [("operator-takes-system-namespace", place)]


def test_an_operator_that_is_there_already_may_be_anywhere(data, subject):
    data["training_operator"] = {"namespace": "kube-system", "install": False}
    assert examine(subject(data)) == ()


def test_jobs_of_two_tenants_do_not_share_a_name(data, subject):
    data["tenants"].append({"name": "speech"})
    other = data["jobs"][0] | {"tenant": "speech", "volumes": [], "checkpoint_path": None}
    data["jobs"].append(other)
    assert ("duplicate-name", ("jobs", 1, "name")) in codes(subject(data))


def test_a13_a_name_that_the_webhook_lets_pass_is_refused_with_the_longest_length(data, subject):
    name = "ranking-v3-nightly-retrain-eu-west-cluster-07-shadow-2"
    data["jobs"][0] |= {"name": name, "worker": {"replicas": 12}, "evaluator": {}}
    finding = next(f for f in examine(subject(data)) if f.code == "job-name-too-long")
    assert finding.remedy == f"use at most {63 - len('-evaluator-0')} characters, not {len(name)}"


@pytest.mark.parametrize("name", ["2024-mnist", "a.b", "Mnist"])
def test_a13_a_name_that_is_no_service_is_refused(data, subject, name):
    data["jobs"][0]["name"] = name
    with pytest.raises(ValidationError, match="start with a lower-case letter"):
        subject(data)


@pytest.mark.parametrize("nothing", [{}, {"jobs": []}, {"production": True, "pools": []}])
def test_a_stack_that_declares_nothing_is_a_warning(subject, nothing):
    [finding] = examine(subject(nothing))
    assert (finding.severity, finding.code) == ("warning", "empty-stack")


@pytest.mark.parametrize("section", ["queueing", "node_protection", "monitoring"])
def test_a_section_that_is_named_and_empty_is_a_warning(data, subject, section):
    [finding] = [one for one in examine(subject(data | {section: None})) if one.code == "empty-section"]
    assert (finding.severity, finding.place) == ("warning", (section,))
    without = examine(subject(data | {section: {}}))
    assert not [one for one in without if one.code == "empty-section"]


@pytest.mark.parametrize("kind", ["pools", "tenants", "training_operator"])
def test_a_stack_of_one_section_is_not_empty(data, subject, kind):
    assert examine(subject({kind: data[kind]})) == ()
