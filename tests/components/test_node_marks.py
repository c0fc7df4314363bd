"""What NodeMarks does to nodes: create, update, drift, destroy, and every way they fail."""

import pytest

from components import node_marks
from components.cluster_nodes import NodeError, UnreachableError
from components.node_marks import NodeMarksProvider
from tests.components.fake_cluster import FakeCluster

POOL = "colocation.io/pool"
CORDON = {"key": "cordon", "effect": "NoSchedule"}
FAKE = {"key": "kwok", "value": "fake", "effect": "NoSchedule"}
GPU = {
    "pool": "gpu",
    "nodes": ["n1", "n2"],
    "selector": {},
    "labels": {"type": "gpu"},
    "taints": [{"key": "gpu", "value": "reserved", "effect": "NoSchedule"}],
    "marked": None,
}
RENDER = GPU | {"pool": "render", "nodes": ["n3"], "labels": {"type": "render"}}


@pytest.fixture
def cluster(monkeypatch):
    cluster = FakeCluster()
    monkeypatch.setattr(node_marks, "ClusterNodes", lambda: cluster)
    monkeypatch.setattr(node_marks.time, "sleep", lambda seconds: None)
    for name in ("n1", "n2", "n3"):
        cluster.join(name, FAKE)
    return cluster


@pytest.fixture
def provider():
    return NodeMarksProvider()


def created(provider, props=GPU):
    return provider.create(dict(props)).outs


def updated(provider, olds, **change):
    news = {key: olds[key] for key in GPU} | {"marked": None} | change
    return provider.update(olds["pool"], olds, news).outs


def changes(provider, olds, **change):
    return provider.diff(olds["pool"], olds, {key: olds[key] for key in GPU} | change).changes


def faults(provider, props):
    return [failure.reason for failure in provider.check({}, dict(props)).failures]


def test_each_node_of_the_pool_gets_its_marks_and_no_other_node(cluster, provider):
    created(provider)
    for name in ("n1", "n2"):
        assert cluster.labels(name) == {"type": "gpu", POOL: "gpu"}
        assert cluster.taints(name) == ["kwok=fake", "gpu=reserved"]
    assert cluster.labels("n3") == {}
    assert cluster.taints("n3") == ["kwok=fake"]


def test_the_state_lists_the_nodes_with_what_they_carry(cluster, provider):
    carried = {"labels": {"type": "gpu", POOL: "gpu"}, "taints": ["gpu=reserved:NoSchedule"]}
    assert created(provider)["marked"] == {"n1": carried, "n2": carried}


def test_a_second_update_changes_nothing(cluster, provider):
    outs = created(provider)
    assert not changes(provider, outs)
    assert not changes(provider, provider.read("gpu", outs).outs)


def test_destroy_takes_our_marks_away_and_leaves_the_rest(cluster, provider):
    cluster.join("n1", FAKE, zone="a")
    outs = created(provider)
    cluster.edit("n1", lambda node: node["spec"]["taints"].append(CORDON))
    provider.delete("gpu", outs)
    assert cluster.taints("n1") == ["kwok=fake", "cordon="]
    assert cluster.labels("n1") == {"zone": "a"}
    assert cluster.nodes["n1"]["metadata"]["annotations"] == {}


def test_destroy_keeps_a_taint_that_was_there_before_us(cluster, provider):
    cluster.join("n1", {"key": "gpu", "value": "reserved", "effect": "NoSchedule"})
    outs = created(provider)
    provider.delete("gpu", outs)
    assert cluster.taints("n1") == ["gpu=reserved"]
    assert cluster.taints("n2") == ["kwok=fake"]


def test_destroy_keeps_a_label_that_others_applied_too(cluster, provider):
    cluster.join("n1", type="gpu")
    provider.delete("gpu", created(provider))
    assert cluster.labels("n1") == {"type": "gpu"}


def test_destroy_is_content_with_nodes_that_are_gone(cluster, provider):
    outs = created(provider)
    cluster.leave("n1")
    provider.delete("gpu", outs)
    assert cluster.labels("n2") == {}


def test_destroy_finds_marked_nodes_that_the_state_has_forgotten(cluster, provider):
    outs = created(provider)
    provider.delete("gpu", outs | {"marked": {}})
    assert cluster.labels("n1") == {}
    assert cluster.taints("n1") == ["kwok=fake"]


@pytest.mark.parametrize(
    "drift",
    [
        lambda node: node["metadata"]["labels"].pop("type"),
        lambda node: node["metadata"]["labels"].pop(POOL),
        lambda node: node["spec"].update(taints=[CORDON]),
    ],
)
def test_marks_taken_off_by_hand_show_and_come_back(cluster, provider, drift):
    outs = created(provider)
    cluster.edit("n1", drift)
    assert changes(provider, outs)
    refreshed = provider.read("gpu", outs).outs
    assert refreshed["marked"]["n1"] != refreshed["marked"]["n2"]
    outs = updated(provider, refreshed)
    assert cluster.labels("n1") == {"type": "gpu", POOL: "gpu"}
    assert "gpu=reserved" in cluster.taints("n1")
    assert not changes(provider, outs)


def test_a_node_made_anew_under_its_old_name_is_marked_again(cluster, provider):
    outs = created(provider)
    cluster.join("n1")
    assert changes(provider, outs)
    updated(provider, outs)
    assert cluster.taints("n1") == ["gpu=reserved"]


def test_a_cordon_between_two_runs_changes_nothing_and_stays(cluster, provider):
    outs = created(provider)
    cluster.edit("n1", lambda node: node["spec"]["taints"].append(CORDON))
    assert not changes(provider, outs)
    updated(provider, outs, taints=[{"key": "gpu", "value": "new", "effect": "NoSchedule"}])
    assert sorted(cluster.taints("n1")) == ["cordon=", "gpu=new", "kwok=fake"]


def test_a_node_taken_out_of_the_pool_gives_its_marks_back(cluster, provider):
    outs = updated(provider, created(provider), nodes=["n1"])
    assert cluster.labels("n2") == {}
    assert cluster.taints("n2") == ["kwok=fake"]
    assert list(outs["marked"]) == ["n1"]


def test_a_node_that_joins_a_selector_is_picked_up(cluster, provider):
    cluster.join("n1", zone="a")
    outs = created(provider, GPU | {"nodes": [], "selector": {"zone": "a"}})
    assert list(outs["marked"]) == ["n1"]
    cluster.join("n4", zone="a")
    assert changes(provider, outs)
    assert list(updated(provider, outs)["marked"]) == ["n1", "n4"]


def test_a_node_that_leaves_a_selector_gives_its_marks_back(cluster, provider):
    cluster.join("n1", zone="a")
    outs = created(provider, GPU | {"nodes": [], "selector": {"zone": "a"}})
    cluster.edit("n1", lambda node: node["metadata"]["labels"].update(zone="b"))
    assert changes(provider, outs)
    updated(provider, outs)
    assert cluster.labels("n1") == {"zone": "b"}


def test_a_selector_that_meets_no_node_yet_is_fine(cluster, provider):
    props = GPU | {"nodes": [], "selector": {"zone": "none"}}
    assert faults(provider, props) == []
    assert created(provider, props)["marked"] == {}


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
    assert cluster.labels("n1") == {"type": "gpu", POOL: "gpu"}
    assert cluster.taints("n1") == ["kwok=fake", "gpu=reserved"]
    assert cluster.labels("n3") == {}


def test_a_node_moves_from_one_pool_to_another_in_one_update(cluster, provider, monkeypatch):
    gpu, render = created(provider), created(provider, RENDER)

    def the_other_update_runs_meanwhile(seconds):
        updated(provider, gpu, nodes=["n1"])

    monkeypatch.setattr(node_marks.time, "sleep", the_other_update_runs_meanwhile)
    assert faults(provider, RENDER | {"nodes": ["n2", "n3"]}) == []
    updated(provider, render, nodes=["n2", "n3"])
    assert cluster.labels("n2") == {"type": "render", POOL: "render"}


def test_a_pool_that_lost_a_node_to_another_leaves_the_others_marks_alone(cluster, provider):
    gpu = created(provider)
    cluster.join("n2", FAKE)
    created(provider, RENDER | {"nodes": ["n2"]})
    provider.delete("gpu", gpu)
    assert cluster.labels("n2") == {"type": "render", POOL: "render"}
    assert cluster.taints("n2") == ["kwok=fake", "gpu=reserved"]


def test_a_renamed_pool_is_replaced_the_old_one_going_first(cluster, provider):
    result = provider.diff("gpu", created(provider), GPU | {"pool": "gpus"})
    assert result.replaces == ["pool"]
    assert result.delete_before_replace


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
