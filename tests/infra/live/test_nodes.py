"""Pools against the nodes that are really there."""

import pytest

from tests.infra.live.conftest import HEALTHY, node

OURS = {"colocation.io/pool": "gpu", "colocation.io/stack": "dev", "node-type": "gpu"}


def with_first(first):
    return (first, *HEALTHY.nodes[1:])


def test_a_healthy_cluster_gives_no_finding(found):
    assert found() == ()


def test_a_cluster_before_the_first_update_gives_no_finding(found):
    assert found(namespaces=(), operators=(), crds=(), webhooks=()) == ()


def test_a_cluster_that_carries_the_stacks_own_marks_gives_no_finding(data, found):
    data["pools"][0]["taints"] = [{"key": "gpu", "value": "reserved", "effect": "NoSchedule"}]
    marked = node(
        "n1",
        labels=OURS,
        owners=dict.fromkeys(OURS, "colocation-pool-dev/gpu"),
        taints=[{"key": "gpu", "value": "reserved", "effect": "NoSchedule"}],
        annotations={"colocation.io/taints": "gpu:NoSchedule"},
    )
    assert found(nodes=with_first(marked)) == ()


def test_a_declared_node_that_is_not_there_is_a_fault(only):
    assert only(nodes=HEALTHY.nodes[:1]) == ("fault", "node-absent", ("pools", 0, "nodes", 1))
    assert only.text == "the cluster has no node n2; let it join, or take it out of the pool"


def test_a_misspelt_node_gets_the_nearest_that_is_free(data, only):
    data["pools"][0]["nodes"] = ["node-gpu-01", "node-gpu-2"]
    only(nodes=(node("node-gpu-01"), node("node-gpu-02")))
    assert only.text.endswith("write node-gpu-02, or let it join")


def by_selector(data, name="gpu", **selector):
    pool = data["pools"][0]
    return {key: value for key, value in pool.items() if key != "nodes"} | {
        "name": name,
        "selector": selector,
    }


def test_a_selector_that_selects_nothing_is_a_warning(data, only):
    data["pools"] = [by_selector(data, zone="a")]
    assert only() == ("warning", "selector-selects-nothing", ("pools", 0, "selector"))
    assert "zone=a" in only.text


def test_a_selector_that_selects_something_is_fine(data, found):
    data["pools"] = [by_selector(data, zone="a")]
    assert found(nodes=(node("n1", labels={"zone": "a"}), node("n2", gpus=None))) == ()


def test_a_node_that_two_selectors_meet_is_a_fault(data, only):
    data["pools"] = [by_selector(data, zone="a"), by_selector(data, "cpu", kind="x")]
    met = node("n1", labels={"zone": "a", "kind": "x"})
    assert only(nodes=(met,)) == ("fault", "node-selected-twice", ("pools", 1, "selector"))
    assert "n1 is in pool gpu too" in only.text


def test_a_label_of_others_with_another_value_is_a_fault(only):
    theirs = node("n1", labels={"node-type": "cpu"}, owners={"node-type": "kubelet"})
    place = ("pools", 0, "labels", "node-type")
    assert only(nodes=with_first(theirs)) == ("fault", "node-label-of-others", place)
    assert "node n1 has the label node-type=cpu from kubelet" in only.text


def test_a_label_of_others_with_the_same_value_is_fine(found):
    same = node("n1", labels={"node-type": "gpu"}, owners={"node-type": "kubelet"})
    assert found(nodes=with_first(same)) == ()


@pytest.mark.parametrize(("value", "codes"), [("other", ["node-taint-of-others"]), ("reserved", [])])
def test_a_taint_of_others_may_only_have_the_same_value(data, found, value, codes):
    data["pools"][0]["taints"] = [
        {"key": "a", "effect": "NoExecute"},
        {"key": "gpu", "value": "reserved", "effect": "NoSchedule"},
    ]
    theirs = node("n1", taints=[{"key": "gpu", "value": value, "effect": "NoSchedule"}])
    findings = found(nodes=with_first(theirs))
    assert [finding.code for finding in findings] == codes
    assert all(finding.place == ("pools", 0, "taints", 1) for finding in findings)


def held_by(pool, stack="dev"):
    labels = {"colocation.io/pool": pool, "colocation.io/stack": stack}
    return node("n1", labels=labels, owners=dict.fromkeys(labels, f"colocation-pool-{stack}/{pool}"))


@pytest.mark.parametrize(
    ("pool", "stack", "text"),
    [("renamed", "dev", "by pool renamed, which"), ("gpu", "prod", "by pool gpu of stack prod, which")],
)
def test_a_node_that_a_pool_outside_the_stack_holds_is_a_fault(only, pool, stack, text):
    theirs = with_first(held_by(pool, stack))
    assert only(nodes=theirs) == ("fault", "node-claimed", ("pools", 0, "nodes", 0))
    assert text in only.text


def test_a_node_may_move_between_pools_of_the_stack(data, found):
    data["pools"].append({"name": "cpu", "nodes": ["other"]})
    assert found(nodes=with_first(held_by("cpu"))) == ()


@pytest.mark.parametrize("other", ["colocation.io/pool", "colocation.io/stack"])
def test_a_claim_that_was_put_there_by_hand_is_told_once(only, other):
    label = {"colocation.io/pool": "theirs", "colocation.io/stack": "theirs"}
    del label[other]
    by_hand = node("n1", labels=label, owners=dict.fromkeys(label, "kubectl-label"))
    assert only(nodes=with_first(by_hand))[:2] == ("fault", "node-label-of-others")


def test_without_access_to_nodes_nothing_is_concluded_about_them(data, found):
    data["jobs"][0]["worker"]["resources"]["gpus"] = 99
    assert found(nodes=None) == ()
