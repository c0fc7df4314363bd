"""How NodeMarks fails: what it says, and what it leaves behind."""

import pytest

from components import node_marks
from components.cluster_nodes import NodeError, UnreachableError
from tests.components.marks import CLAIM, CORDON, FAKE, GPU, POOL, RENDER, changes, created, faults, updated


def test_a_node_that_is_not_there_is_told_at_preview_and_stops_the_update(cluster, provider):
    props = GPU | {"nodes": ["n1", "n9"]}
    [fault] = faults(provider, props)
    assert fault.startswith("pool gpu: node n9 is not in the cluster; let it join")
    with pytest.raises(NodeError, match="n9 is not in the cluster"):
        created(provider, props)
    assert cluster.writes == []


def test_every_fault_is_told_at_once(cluster, provider):
    cluster.join("n1", {"key": "gpu", "value": "infer", "effect": "NoSchedule"}, type="cpu")
    assert len(faults(provider, GPU | {"nodes": ["n1", "n8", "n9"]})) == 4


def test_a_taint_of_others_with_another_value_is_refused_before_any_write(cluster, provider):
    cluster.join("n2", {"key": "gpu", "value": "infer", "effect": "NoSchedule"})
    with pytest.raises(NodeError, match="gpu=infer:NoSchedule, which is not this pool's"):
        created(provider)
    assert cluster.writes == []


def test_another_write_in_between_is_read_again(cluster, provider):
    def cordon_once(name):
        cluster.before_write = None
        cluster.edit(name, lambda node: node["spec"]["taints"].append(CORDON))

    outs = created(provider)
    cluster.before_write = cordon_once
    updated(provider, outs, taints=[])
    assert cluster.taints("n1") == ["kwok=fake", "cordon="]
    assert cluster.taints("n2") == ["kwok=fake"]


def test_writes_without_end_in_between_are_told(cluster, provider):
    outs = created(provider)
    cluster.before_write = lambda name: cluster.edit(name, lambda node: None)
    with pytest.raises(NodeError, match="node n1 was changed by others at each of"):
        updated(provider, outs, taints=[])


@pytest.fixture
def refusing(cluster, monkeypatch):
    """Refuse to put taints on a node."""
    good = cluster.merge

    def refuse(name):
        def merge(target, patch, manager):
            if target == name and patch["spec"]["taints"] != [FAKE]:
                raise NodeError("refused")
            return good(target, patch, manager)

        monkeypatch.setattr(cluster, "merge", merge)

    return refuse


def test_an_update_that_fails_half_way_is_completed_by_the_next(cluster, provider, refusing):
    outs = created(provider)
    taints = [{"key": "gpu", "value": "new", "effect": "NoSchedule"}]
    refusing("n2")
    with pytest.raises(NodeError, match="refused"):
        updated(provider, outs, taints=taints)
    assert cluster.taints("n1") == ["kwok=fake", "gpu=new"]
    refusing("none")
    outs = updated(provider, outs, taints=taints)
    assert cluster.taints("n2") == ["kwok=fake", "gpu=new"]
    assert not changes(provider, outs)


def test_a_create_that_fails_leaves_nothing_behind(cluster, provider, refusing):
    refusing("n2")
    with pytest.raises(NodeError, match="refused"):
        created(provider)
    assert cluster.labels("n1") == cluster.labels("n2") == {}
    assert cluster.taints("n1") == cluster.taints("n2") == ["kwok=fake"]


def test_a_create_that_was_killed_is_completed_by_the_next_and_destroyed_in_full(cluster, provider):
    created(provider)  # the state of this one is lost
    outs = created(provider)
    provider.delete("gpu", outs)
    assert cluster.taints("n1") == ["kwok=fake"]


def test_two_pools_cannot_have_one_node(cluster, provider):
    created(provider)
    with pytest.raises(NodeError, match="pool render: node n1 is in pool gpu already; keep it in one"):
        created(provider, RENDER | {"nodes": ["n1", "n3"]})
    assert cluster.labels("n1") == {"type": "gpu", **CLAIM}
    assert cluster.taints("n1") == ["kwok=fake", "gpu=reserved"]
    assert cluster.labels("n3") == {}


def test_pools_of_one_name_in_two_stacks_cannot_have_one_node(cluster, provider):
    created(provider)
    with pytest.raises(NodeError, match="pool gpu: node n1 is in pool gpu of stack dev already"):
        created(provider, GPU | {"stack": "prod", "labels": {}, "taints": []})
    assert cluster.labels("n1") == {"type": "gpu", **CLAIM}
    assert cluster.taints("n1") == ["kwok=fake", "gpu=reserved"]


def test_a_stack_leaves_alone_what_the_pool_of_one_name_in_another_has(cluster, provider):
    dev, prod = created(provider), created(provider, GPU | {"stack": "prod", "nodes": ["n3"]})
    updated(provider, prod, nodes=["n3"], labels={})
    provider.delete("gpu", prod)
    assert cluster.labels("n3") == {}
    assert not changes(provider, dev)
    assert cluster.taints("n1") == ["kwok=fake", "gpu=reserved"]


def test_a_create_that_fails_takes_no_mark_that_was_there_before(cluster, provider):
    created(provider)  # by someone whose stack has the same name, and a state of its own
    with pytest.raises(NodeError, match="n9 is not in the cluster"):
        created(provider, GPU | {"nodes": ["n1", "n2", "n9"]})
    assert cluster.labels("n1") == {"type": "gpu", **CLAIM}
    assert cluster.taints("n2") == ["kwok=fake", "gpu=reserved"]


@pytest.mark.parametrize("stack", ["_dev", "dev.", "d" * 41])
def test_a_stack_whose_name_no_node_can_bear_is_told_before_any_write(cluster, provider, stack):
    with pytest.raises(NodeError, match="pulumi stack rename"):
        created(provider, GPU | {"stack": stack})
    assert cluster.writes == []


def test_a_node_moves_from_one_pool_to_another_in_one_update(cluster, provider, monkeypatch):
    gpu, render = created(provider), created(provider, RENDER)

    def the_other_update_runs_meanwhile(seconds):
        updated(provider, gpu, nodes=["n1"])

    monkeypatch.setattr(node_marks.time, "sleep", the_other_update_runs_meanwhile)
    assert faults(provider, RENDER | {"nodes": ["n2", "n3"]}) == []
    updated(provider, render, nodes=["n2", "n3"])
    assert cluster.labels("n2") == {"type": "render", **CLAIM, POOL: "render"}


def test_a_pool_that_lost_a_node_to_another_leaves_the_others_marks_alone(cluster, provider):
    gpu = created(provider)
    cluster.join("n2", FAKE)
    created(provider, RENDER | {"nodes": ["n2"]})
    provider.delete("gpu", gpu)
    assert cluster.labels("n2") == {"type": "render", **CLAIM, POOL: "render"}
    assert cluster.taints("n2") == ["kwok=fake", "gpu=reserved"]


def test_a_preview_without_a_cluster_goes_by_the_state(cluster, provider):
    outs = created(provider)
    cluster.down = True
    assert faults(provider, GPU) == []
    assert not changes(provider, outs)
    assert changes(provider, outs, labels={"type": "new"})
    drifted = outs | {"marked": {"n1": {"labels": {}, "taints": []}, "n2": outs["marked"]["n2"]}}
    assert changes(provider, drifted)


@pytest.mark.parametrize("operation", ["create", "update", "read", "delete"])
def test_what_needs_the_cluster_says_that_it_is_not_there(cluster, provider, operation):
    outs = created(provider)
    cluster.down = True
    with pytest.raises(UnreachableError, match="does not answer"):
        {
            "create": lambda: created(provider),
            "update": lambda: updated(provider, outs, labels={}),
            "read": lambda: provider.read("gpu", outs),
            "delete": lambda: provider.delete("gpu", outs),
        }[operation]()
