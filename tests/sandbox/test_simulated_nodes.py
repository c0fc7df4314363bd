"""The simulated nodes complete the topology, and none attracts what must really run."""

import pytest

from sandbox import simulated_nodes
from sandbox.node import NODE_NAME

NODES = {node.name: simulated_nodes.manifest(node) for node in simulated_nodes.topology()}


def test_with_the_real_node_there_are_three_masters_and_six_workers():
    masters = [name for name in NODES if name.startswith("node-master-")]
    assert len(masters) == 3
    assert len({*NODES, NODE_NAME} - set(masters)) == 6


def test_four_nodes_have_four_gpus():
    gpus = [node["status"]["allocatable"].get("nvidia.com/gpu") for node in NODES.values()]
    assert sorted(filter(None, gpus)) == ["4"] * 4


@pytest.mark.parametrize("node", NODES.values(), ids=NODES)
def test_every_simulated_node_is_tainted_and_marked_for_kwok(node):
    assert simulated_nodes.TAINT in node["spec"]["taints"]
    assert node["metadata"]["annotations"][simulated_nodes.ANNOTATION] == "fake"
