"""What a NodePool declares."""

import base64

import dill

from components.node_marks import NodeMarksProvider
from components.node_pool import NodePool, NodePoolArgs
from infra.models import PoolSpec

MARKS = "pulumi-python:dynamic/colocation:NodeMarks"
GPU = {
    "name": "gpu",
    "nodes": ["node-2", "node-1"],
    "labels": {"node-type": "gpu"},
    "taints": [{"key": "gpu", "value": "reserved", "effect": "NoSchedule"}],
    "foreign_taints": [{"key": "other", "effect": "NoSchedule"}],
}


def marks(declare, **change):
    spec = PoolSpec.model_validate(GPU | change)
    return declare(lambda: NodePool("gpu", NodePoolArgs(spec=spec, stack_name="dev"))).only(MARKS)


def test_a_pool_marks_its_nodes_with_its_labels_and_taints(declare):
    inputs = marks(declare).inputs
    assert (inputs["stack"], inputs["pool"]) == ("dev", "gpu")
    assert inputs["nodes"] == ["node-1", "node-2"]
    assert inputs["labels"] == {"node-type": "gpu"}
    assert inputs["taints"] == [{"key": "gpu", "value": "reserved", "effect": "NoSchedule"}]


def test_the_order_in_which_nodes_are_listed_changes_nothing(declare):
    assert marks(declare).inputs == marks(declare, nodes=["node-1", "node-2"]).inputs


def test_a_pool_by_selector_names_no_nodes(declare):
    inputs = marks(declare, nodes=[], selector={"zone": "a"}).inputs
    assert inputs["selector"] == {"zone": "a"}
    assert inputs["nodes"] == []


def test_the_state_holds_the_providers_name_and_neither_code_nor_access(declare, monkeypatch):
    monkeypatch.setenv("KUBECONFIG", "/secret/kubeconfig")
    pickled = base64.b64decode(marks(declare).inputs["__provider"])
    assert len(pickled) < 100
    assert b"secret" not in pickled
    assert type(dill.loads(pickled)) is NodeMarksProvider
