"""Where node protection runs, and whom it protects from."""

import pytest

from tests.infra.checks.jobs import examined, found

CODES = ("node-protection-namespace", "node-protection-of-nothing", "spare-cores-are-all")


def of_protection(namespace="node-protection", **stack):
    data = {"node_protection": {"namespace": namespace}} | stack
    return [(severity, code) for severity, code, _ in found(stack=data) if code in CODES]


def test_a_namespace_of_its_own_is_fine():
    assert of_protection() == []


@pytest.mark.parametrize("namespace", ["vision", "obs", "gpus", "queues", "operators", "kube-system"])
def test_a_namespace_that_somebody_has_already_is_refused(namespace):
    stack = {
        "tenants": [{"name": "vision"}],
        "monitoring": {"namespace": "obs", "gpu_metrics": {"namespace": "gpus"}},
        "queueing": {"namespace": "queues"},
        "training_operator": {"namespace": "operators"},
    }
    assert of_protection(namespace, **stack) == [("fault", "node-protection-namespace")]


@pytest.mark.parametrize(
    "stack", [{"priorities": [{"name": "online-high", "value": 10, "kind": "online"}]}, {"tenants": []}]
)
def test_without_offline_pods_there_is_nothing_to_protect_from(stack):
    assert ("fault", "node-protection-of-nothing") in of_protection(**stack)


@pytest.mark.parametrize(
    ("cores", "codes"), [(0, []), (7, []), (8, ["spare-cores-are-all"]), (64, ["spare-cores-are-all"])]
)
def test_cores_that_no_node_of_a_pool_has_are_not_spared(cores, codes):
    pool = {"name": "cpu", "nodes": ["n1"], "capacity": {"cpu": 8, "memory": "32Gi"}}
    stack = {"node_protection": {"spare_cores": cores}, "pools": [pool]}
    assert [code for _, code, _ in found(stack=stack) if code in CODES] == codes


@pytest.mark.parametrize(
    ("image", "code"),
    [
        ("registry.example/python", "image-without-version"),
        ("elsewhere.example/python:3.13", "image-registry-not-allowed"),
        (None, "image-registry-not-allowed"),
    ],
)
def test_its_image_obeys_the_rules_of_images(image, code):
    stack = {"node_protection": {"image": image}, "image_registries": ["registry.example"]}
    of_image = [f.code for f in examined(stack=stack) if f.place == ("node_protection", "image")]
    assert of_image == [code]
