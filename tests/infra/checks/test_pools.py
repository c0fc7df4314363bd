"""Marks of pools that belong to others."""

import pytest


@pytest.mark.parametrize("key", ["kubernetes.io/hostname", "kubernetes.io/arch", "beta.kubernetes.io/os"])
def test_labels_that_the_kubelet_writes_are_refused(data, found, key):
    data["pools"][0]["labels"][key] = "x"
    assert found(data) == [("label-of-kubelet", ("pools", 0, "labels", key))]


@pytest.mark.parametrize("key", ["kubernetes.io/purpose", "batch.kubernetes.io/x", "k8s.io/x", "a.k8s.io/x"])
def test_other_labels_of_kubernetes_are_a_warning(data, one, key):
    data["pools"][0]["labels"][key] = "x"
    finding = one(data)
    assert (finding.severity, finding.code) == ("warning", "label-of-kubernetes")


@pytest.mark.parametrize(
    "key",
    [
        "node-role.kubernetes.io/worker",
        "node-restriction.kubernetes.io/team",
        "acme.node-restriction.kubernetes.io/team",
        "topology.kubernetes.io/zone",
        "node.kubernetes.io/instance-type",
        "kwok.x-k8s.io/node",
        "nvidia.com/gpu.product",
    ],
)
def test_labels_that_people_put_on_nodes_are_fine(data, found, key):
    data["pools"][0]["labels"][key] = "x"
    assert found(data) == []


def test_d1_a_taint_of_the_cordon_is_not_ours_to_put(data, found):
    taint = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}
    data["pools"][0]["taints"].append(taint)
    assert found(data) == [("taint-of-kubernetes", ("pools", 0, "taints", 1))]


def test_d1_a_taint_of_others_may_be_told(data, found):
    taint = {"key": "node-role.kubernetes.io/control-plane", "effect": "NoSchedule"}
    data["pools"][0]["foreign_taints"] = [taint]
    assert found(data) == []
