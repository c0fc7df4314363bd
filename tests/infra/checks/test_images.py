"""Images of a job, and of the operator."""

import pytest

from tests.infra.checks.jobs import found

DIGEST = "sha256:" + "0" * 64
UNVERSIONED = "registry.example/mnist"
SIDECAR = {"name": "logs", "image": UNVERSIONED}


@pytest.mark.parametrize("image", ["mnist", "mnist:latest", "registry.example:5000/a/mnist", UNVERSIONED])
def test_an_image_has_a_version(image):
    assert found(image=image) == [("fault", "image-without-version", ("image",))]


@pytest.mark.parametrize(
    "image", ["mnist:1.4", f"mnist@{DIGEST}", f"r.example/mnist:1.4@{DIGEST}", f"m:latest@{DIGEST}"]
)
def test_a_tag_or_a_digest_is_a_version(image):
    assert found(image=image) == []


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"ps": {"image": UNVERSIONED}}, ("ps", "image")),
        ({"sidecars": [SIDECAR]}, ("sidecars", 0, "image")),
        ({"init_containers": [SIDECAR]}, ("init_containers", 0, "image")),
        (
            {"pod_overrides": {"containers": [{"name": "tensorflow", "image": UNVERSIONED}]}},
            ("pod_overrides", "containers", 0, "image"),
        ),
    ],
)
def test_no_image_is_forgotten(change, place):
    assert found(**change) == [("fault", "image-without-version", place)]


@pytest.mark.parametrize(
    ("registry", "image"),
    [
        ("registry.example", "registry.example/mnist:1"),
        ("registry.example/team", "registry.example/team/mnist:1"),
        ("registry.example/team/", "registry.example/team/mnist:1"),
        ("registry.example/team/mnist", "registry.example/team/mnist:1"),
        ("localhost:5000", "localhost:5000/mnist:1"),
        ("docker.io", "mnist:1.4"),
        ("docker.io/tensorflow", "tensorflow/tensorflow:2.15.0"),
        ("tensorflow", "docker.io/tensorflow/tensorflow:2.15.0"),
    ],
)
def test_an_image_from_a_registry_of_the_stack_passes(registry, image):
    assert found(image=image, stack=allowing(registry)) == []


@pytest.mark.parametrize(
    "image", ["mnist:1", "registry.example.evil/mnist:1", "registry.example/team2/mnist:1", "other/mnist:1"]
)
def test_an_image_from_elsewhere_is_refused(image):
    allowed = allowing("registry.example/team")
    assert found(image=image, stack=allowed) == [("fault", "image-registry-not-allowed", ("image",))]


def allowing(registry):
    return {"image_registries": [registry], "training_operator": {"install": False}}


@pytest.mark.parametrize(
    ("operator", "codes"),
    [
        ({}, ["image-registry-not-allowed"]),
        ({"image_registry": "other.example"}, ["image-registry-not-allowed"]),
        ({"image_registry": "registry.example/mirror"}, []),
        ({"source": "../operator"}, []),
    ],
)
def test_the_operator_comes_from_a_registry_of_the_stack_too(operator, codes):
    stack = {"image_registries": ["registry.example"], "training_operator": operator}
    assert [code for _, code, _ in found(stack=stack)] == codes
