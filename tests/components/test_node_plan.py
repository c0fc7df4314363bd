"""What has to change on a node, decided without a cluster."""

import pytest

from components import node_plan
from components.node_plan import Marks

POOL = "colocation.io/pool"
STACK = "colocation.io/stack"
OWN = "colocation.io/taints"
GPU_TAINT = {"key": "gpu", "value": "reserved", "effect": "NoSchedule"}
CORDON = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}
FOREIGN = {"key": "kwok.x-k8s.io/node", "value": "fake", "effect": "NoSchedule"}
GPU = Marks.wanted({"stack": "dev", "pool": "gpu", "labels": {"node-type": "gpu"}, "taints": [GPU_TAINT]})
NONE = GPU.none()
MANAGER = "colocation-pool-dev/gpu"


def node(*taints, labels=None, own="", owners=None):
    """A node as the API serves it; `owners` are managers by label."""
    owners = owners or {}
    return {
        "metadata": {
            "name": "node-1",
            "uid": "uid-1",
            "resourceVersion": "7",
            "labels": labels or {},
            "annotations": {OWN: own} if own else {},
            "managedFields": [
                {"manager": manager, "fieldsV1": {"f:metadata": {"f:labels": {f"f:{label}": {}}}}}
                for label, manager in owners.items()
            ],
        },
        "spec": {"taints": list(taints)} if taints else {},
    }


def marked(*taints, own="gpu:NoSchedule"):
    labels = {"node-type": "gpu", POOL: "gpu", STACK: "dev"}
    return node(*taints, labels=labels, own=own, owners=dict.fromkeys(labels, MANAGER))


def taints_after(before, marks):
    return node_plan.taint_patch(before, marks)["spec"]["taints"]


def owned_after(before, marks):
    return node_plan.taint_patch(before, marks)["metadata"]["annotations"][OWN]


def test_a_taint_is_added_beside_those_of_others():
    before = node(FOREIGN, CORDON)
    assert taints_after(before, GPU) == [FOREIGN, CORDON, GPU_TAINT]
    assert owned_after(before, GPU) == "gpu:NoSchedule"


def test_a_taint_is_taken_away_from_between_those_of_others():
    assert taints_after(marked(FOREIGN, GPU_TAINT, CORDON), NONE) == [FOREIGN, CORDON]


def test_a_taint_that_was_there_before_is_not_ours_to_take_away():
    assert node_plan.taint_patch(node(GPU_TAINT), GPU) is None
    assert node_plan.taint_patch(node(GPU_TAINT), NONE) is None


def test_our_own_taint_changes_its_value():
    old = GPU_TAINT | {"value": "old"}
    assert taints_after(marked(FOREIGN, old), GPU) == [FOREIGN, GPU_TAINT]


def test_what_the_server_added_to_our_taint_is_kept():
    ours = GPU_TAINT | {"timeAdded": "2026-01-01T00:00:00Z"}
    wanted = Marks.wanted(
        {"stack": "dev", "pool": "gpu", "labels": {}, "taints": [GPU_TAINT, {**CORDON, "value": ""}]}
    )
    assert ours in taints_after(marked(ours), wanted)


def test_one_key_with_two_effects_makes_two_taints():
    before = node(GPU_TAINT | {"effect": "NoExecute"})
    assert len(taints_after(before, GPU)) == 2


def test_a_taint_that_someone_took_off_is_put_on_again():
    assert taints_after(marked(CORDON), GPU) == [CORDON, GPU_TAINT]


def test_a_taint_that_is_no_longer_declared_goes_and_the_others_stay():
    other = {"key": "other", "effect": "NoSchedule"}
    before = marked(GPU_TAINT, other, own="gpu:NoSchedule,other:NoSchedule")
    assert taints_after(before, GPU) == [GPU_TAINT]
    assert owned_after(before, GPU) == "gpu:NoSchedule"


def test_a_settled_node_needs_nothing():
    assert node_plan.settled(marked(CORDON, GPU_TAINT), GPU)
    assert node_plan.settled(node(CORDON), NONE)


def test_a_patch_is_for_the_version_of_the_node_that_was_read():
    assert node_plan.taint_patch(node(), GPU)["metadata"]["resourceVersion"] == "7"


def test_a_node_that_went_away_is_not_made_anew_by_its_labels():
    assert node_plan.label_patch(node(), GPU)["metadata"]["uid"] == "uid-1"


def test_giving_labels_up_is_applying_none():
    assert "labels" not in node_plan.label_patch(marked(), NONE)["metadata"]


@pytest.mark.parametrize(
    "before",
    [
        node(),
        node(labels={"node-type": "gpu", POOL: "gpu", STACK: "dev"}),  # right, and nobody's
        node(labels={"node-type": "cpu"}, owners={"node-type": MANAGER}),
    ],
)
def test_labels_are_applied_until_the_pool_owns_them_with_the_right_value(before):
    assert not node_plan.labels_settled(before, GPU)


def test_a_label_that_is_no_longer_declared_has_to_go():
    assert not node_plan.labels_settled(
        marked(), Marks.wanted({"stack": "dev", "pool": "gpu", "labels": {}, "taints": []})
    )


def test_a_label_of_others_with_another_value_is_refused_by_name():
    before = node(labels={"node-type": "cpu"}, owners={"node-type": "cloud"})
    [fault] = node_plan.faults(before, GPU)
    assert fault.startswith("pool gpu: node node-1 has the label node-type=cpu from cloud; remove it there")


def test_a_label_of_others_with_the_same_value_is_shared():
    before = node(labels={"node-type": "gpu"}, owners={"node-type": "cloud"})
    assert list(node_plan.faults(before, GPU)) == []


def test_a_taint_of_others_with_another_value_is_refused():
    [fault] = node_plan.faults(node(GPU_TAINT | {"value": "infer"}), GPU)
    assert "has the taint gpu=infer:NoSchedule, which is not this pool's" in fault


def test_another_pools_node_is_told_by_its_label():
    assert node_plan.claimant(node(labels={POOL: "render"}), GPU) == "render"
    assert node_plan.claimant(node(labels={POOL: "gpu", STACK: "prod"}), GPU) == "gpu of stack prod"
    assert node_plan.claimant(marked(), GPU) is None
    assert node_plan.claimant(node(), GPU) is None


def test_marks_of_the_pool_that_a_node_moves_from_are_no_fault():
    old = node(
        GPU_TAINT | {"value": "render"},
        labels={"node-type": "render", POOL: "render"},
        own="gpu:NoSchedule",
        owners={"node-type": "colocation-pool-dev/render"},
    )
    assert list(node_plan.faults(old, GPU)) == []


def test_taints_of_another_pool_are_not_taken_away():
    other = node(GPU_TAINT, labels={POOL: "render"}, own="gpu:NoSchedule")
    assert node_plan.taint_patch(other, NONE) is None


def test_the_state_tells_what_a_node_carries_of_the_pools_marks():
    before = node(FOREIGN, GPU_TAINT, labels={"node-type": "gpu", "zone": "a"})
    assert node_plan.carried(before, GPU) == {
        "labels": {"node-type": "gpu"},
        "taints": ["gpu=reserved:NoSchedule"],
    }
