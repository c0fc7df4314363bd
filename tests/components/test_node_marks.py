"""What NodeMarks does to nodes: create, update, drift and destroy."""

import pytest

from tests.components.marks import CLAIM, CORDON, FAKE, GPU, POOL, STACK, changes, created, faults, updated


def test_each_node_of_the_pool_gets_its_marks_and_no_other_node(cluster, provider):
    created(provider)
    for name in ("n1", "n2"):
        assert cluster.labels(name) == {"type": "gpu", **CLAIM}
        assert cluster.taints(name) == ["kwok=fake", "gpu=reserved"]
    assert cluster.labels("n3") == {}
    assert cluster.taints("n3") == ["kwok=fake"]


def test_the_state_lists_the_nodes_with_what_they_carry(cluster, provider):
    carried = {"labels": {"type": "gpu", **CLAIM}, "taints": ["gpu=reserved:NoSchedule"]}
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


def test_destroy_finds_marked_nodes_whose_pool_label_someone_took_off(cluster, provider):
    outs = created(provider)
    cluster.edit("n1", lambda node: node["metadata"]["labels"].pop(POOL))
    provider.delete("gpu", outs)
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
    assert cluster.labels("n1") == {"type": "gpu", **CLAIM}
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


def test_a_renamed_pool_is_replaced_the_old_one_going_first(cluster, provider):
    result = provider.diff("gpu", created(provider), GPU | {"pool": "gpus"})
    assert result.replaces == ["pool"]
    assert result.delete_before_replace


def test_a_renamed_stack_gives_its_marks_back_and_puts_on_others(cluster, provider):
    outs = created(provider)
    assert provider.diff("gpu", outs, GPU | {"stack": "prod"}).replaces == ["stack"]
    provider.delete("gpu", outs)
    created(provider, GPU | {"stack": "prod"})
    assert cluster.labels("n1") == {"type": "gpu", **CLAIM, STACK: "prod"}


def test_marks_from_before_stacks_were_told_apart_are_replaced_without_a_trace(cluster, provider):
    old = {key: value for key, value in GPU.items() if key != "stack"}
    outs = created(provider, old)
    assert STACK not in cluster.labels("n1")
    assert provider.diff("gpu", outs, GPU).replaces == ["stack"]
    provider.delete("gpu", outs)
    assert cluster.labels("n1") == {}
    assert cluster.taints("n1") == ["kwok=fake"]
