"""GPUs that jobs ask for against those that nodes offer."""

import pytest

from tests.infra.live.conftest import node


@pytest.mark.parametrize("gpus", [None, "0"])
def test_a_pool_without_a_device_plugin_is_a_fault_that_names_its_nodes(only, gpus):
    nodes = (node("n1", gpus=gpus), node("n2", gpus=gpus))
    assert only(nodes=nodes) == ("fault", "gpus-not-allocatable", ("pools", 0))
    assert "no node of it offers it: n1, n2; run NVIDIA's device plugin" in only.text


def test_a_single_node_without_is_a_warning(only):
    assert only(nodes=(node("n1"), node("n2", gpus=None))) == (
        "warning",
        "gpus-not-allocatable",
        ("pools", 0),
    )
    assert "1 of its 2 nodes do not offer it: n2" in only.text


def test_a_pool_whose_jobs_ask_for_none_needs_no_device_plugin(data, found):
    data["jobs"][0]["worker"]["resources"]["gpus"] = 0
    assert found(nodes=(node("n1", gpus=None), node("n2", gpus=None))) == ()


def test_a_pod_that_asks_for_more_than_any_node_of_its_pool_offers_is_a_fault(data, only):
    data["jobs"][0]["worker"]["resources"]["gpus"] = 8
    large = node("other", gpus="8")  # outside the pool
    place = ("jobs", 0, "worker", "resources", "gpus")
    assert only(nodes=(node("n1"), node("n2"), large)) == ("fault", "gpus-not-allocatable", place)
    assert "asks for 8 of nvidia.com/gpu, and the most that a node of pool gpu offers is 4" in only.text


def test_a_job_without_a_pool_is_compared_with_the_whole_cluster(data, found, only):
    del data["jobs"][0]["pool"]
    assert found() == ()
    nodes = (node("n1", gpus=None), node("n2", gpus=None))
    assert only(nodes=nodes)[1:] == ("gpus-not-allocatable", ("jobs", 0, "worker", "resources", "gpus"))
    assert "no node offers any" in only.text
