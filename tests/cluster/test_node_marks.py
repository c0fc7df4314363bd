"""A pool's marks against the real API server, on nodes of the test's own."""

from __future__ import annotations

import json

import pytest

from components import node_marks
from components.cluster_nodes import NodeError
from components.node_marks import NodeMarksProvider

pytestmark = pytest.mark.cluster

POOL = "colocation.io/pool"
TAINTS = [{"key": "test/gpu", "value": "reserved", "effect": "NoSchedule"}]


@pytest.fixture
def node(sandbox, monkeypatch, request):
    """A node without a machine, with a taint of someone else's; gone after the test."""
    name = f"marks-{abs(hash(request.node.name)) % 10**6}"
    monkeypatch.setenv("KUBECONFIG", sandbox.workspace.environment()["KUBECONFIG"])
    monkeypatch.setattr(node_marks, "_CLAIM_SECONDS", 1)
    join(sandbox, name)
    yield name
    sandbox.kubectl("delete", "node", name, "--ignore-not-found")


def join(sandbox, name):
    manifest = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": {"test/zone": name}}}
    sandbox.kubectl("create", "-f", "-", stdin=json.dumps(manifest))
    sandbox.kubectl("taint", "node", name, "test/foreign=x:NoSchedule")


def props(name, pool="test", **change):
    declared = {"nodes": [name], "selector": {}, "labels": {"test/type": "gpu"}, "taints": TAINTS}
    return {"stack": "test", "pool": f"{pool}-{name}", **declared, "marked": None} | change


def create(declared):
    return NodeMarksProvider().create(dict(declared)).outs


def changed(outs, declared):
    return NodeMarksProvider().diff("id", outs, declared).changes


def ours(sandbox, name):
    """Labels and taints of the test, which controllers do not touch."""
    found = sandbox.get("node", name)
    labels = {k: v for k, v in found["metadata"]["labels"].items() if k.startswith("test/") or k == POOL}
    return labels, {t["key"]: t.get("value", "") for t in found["spec"]["taints"] if "test/" in t["key"]}


def test_marks_come_and_go_while_a_cordon_and_a_foreign_taint_stay(sandbox, node):
    outs = create(props(node))
    labels, taints = ours(sandbox, node)
    assert labels == {"test/zone": node, "test/type": "gpu", POOL: f"test-{node}"}
    assert taints == {"test/foreign": "x", "test/gpu": "reserved"}
    sandbox.kubectl("cordon", node)
    assert not changed(outs, props(node))

    changing = props(node, taints=[TAINTS[0] | {"value": "new"}])
    assert changed(outs, changing)
    outs = NodeMarksProvider().update("id", outs, changing).outs
    assert ours(sandbox, node)[1] == {"test/foreign": "x", "test/gpu": "new"}

    NodeMarksProvider().delete("id", outs)
    assert ours(sandbox, node) == ({"test/zone": node}, {"test/foreign": "x"})
    assert sandbox.get("node", node)["spec"]["unschedulable"] is True


def test_marks_taken_off_by_hand_come_back(sandbox, node):
    outs = create(props(node))
    sandbox.kubectl("label", "node", node, "test/type-")
    sandbox.kubectl("taint", "node", node, "test/gpu-")
    refreshed = NodeMarksProvider().read("id", outs).outs
    assert refreshed["marked"][node]["taints"] == []
    assert changed(refreshed, props(node))
    NodeMarksProvider().update("id", refreshed, props(node))
    labels, taints = ours(sandbox, node)
    assert (labels["test/type"], taints["test/gpu"]) == ("gpu", "reserved")


def test_a_label_with_another_value_is_refused_with_its_owner(sandbox, node):
    sandbox.kubectl("label", "node", node, "test/type=cpu")
    with pytest.raises(NodeError, match=f"node {node} has the label test/type=cpu from kubectl"):
        create(props(node))


def test_a_label_that_another_manager_applies_too_survives_destroy(sandbox, node):
    outs = create(props(node))
    theirs = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": node, "labels": {"test/type": "gpu"}}}
    sandbox.kubectl("apply", "--server-side", "--field-manager=other", "-f", "-", stdin=json.dumps(theirs))
    NodeMarksProvider().delete("id", outs)
    assert ours(sandbox, node)[0]["test/type"] == "gpu"


def test_a_second_pool_is_refused_and_changes_nothing(sandbox, node):
    create(props(node))
    before = ours(sandbox, node)
    with pytest.raises(NodeError, match=f"is in pool test-{node} already"):
        create(props(node, "other", labels={}, taints=[]))
    assert ours(sandbox, node) == before


def test_the_same_pool_of_another_stack_is_refused_and_changes_nothing(sandbox, node):
    create(props(node))
    before = ours(sandbox, node)
    with pytest.raises(NodeError, match=f"is in pool test-{node} of stack test already"):
        create(props(node, stack="other"))
    assert ours(sandbox, node) == before


def test_a_node_that_went_away_is_not_made_anew(sandbox, node):
    outs = create(props(node))
    sandbox.kubectl("delete", "node", node)
    NodeMarksProvider().delete("id", outs)
    assert "NotFound" in sandbox.kubectl("get", "node", node, check=False)


def test_a_node_that_joins_again_is_marked_again(sandbox, node):
    outs = create(props(node, nodes=[], selector={"test/zone": node}))
    sandbox.kubectl("delete", "node", node)
    join(sandbox, node)
    declared = props(node, nodes=[], selector={"test/zone": node})
    assert changed(outs, declared)
    NodeMarksProvider().update("id", outs, declared)
    assert ours(sandbox, node)[1]["test/gpu"] == "reserved"
