"""Images, and pods that reach for the node."""

from __future__ import annotations

import pytest

from tests.policy.conftest import broken, container, sent, tfjob

DIGEST = "sha256:" + "0" * 64


def daemon(**pod):
    spec = {"template": {"spec": {"containers": [container()], **pod}}}
    return sent("DaemonSet", version="apps/v1", name="exporter", namespace="monitoring", spec=spec)


@pytest.mark.parametrize("image", ["reg/tf", "reg/tf:latest", "tf", "reg:5000/tf"])
def test_an_image_without_a_version_is_refused(image):
    [message] = broken("images-have-a-version", tfjob(pod={"containers": [container(image=image)]}))
    assert f"image {image}:" in message


@pytest.mark.parametrize("image", ["reg/tf:2.1", f"reg/tf@{DIGEST}", f"reg/tf:latest@{DIGEST}"])
def test_an_image_with_a_version_is_accepted(image):
    assert broken("images-have-a-version", tfjob(pod={"containers": [container(image=image)]})) == []


def test_an_image_of_several_containers_is_named_once():
    twice = {"containers": [container(image="tf"), container(image="tf", name="other")]}
    assert len(broken("images-have-a-version", tfjob(pod=twice))) == 1


def test_images_from_elsewhere_are_refused_once_registries_are_set():
    rule, job = "images-from-allowed-registries", tfjob()
    assert broken(rule, job) == []
    assert broken(rule, job, registries=["reg.example.org"]) == []
    [message] = broken(rule, job, registries=["reg.example.org/ml", "ghcr.io"])
    assert message == "image reg.example.org/tf is from elsewhere; use one from reg.example.org/ml or ghcr.io"


def test_a_registrys_password_in_an_image_is_not_repeated():
    pods = {"containers": [container(image="user:hunter2@reg/tf")]}
    assert "hunter2" not in str(broken("images-have-a-version", tfjob(pod=pods)))


@pytest.mark.parametrize(
    ("pod", "said"),
    [
        ({"hostNetwork": True}, "hostNetwork"),
        ({"hostPID": True}, "hostPID"),
        ({"hostIPC": True}, "hostIPC"),
        ({"volumes": [{"name": "v", "hostPath": {"path": "/dev"}}]}, "/dev (hostPath)"),
        ({"containers": [container(securityContext={"privileged": True})]}, "is privileged"),
        ({"initContainers": [container(securityContext={"privileged": True})]}, "is privileged"),
    ],
)
def test_pods_that_reach_for_the_node_are_refused_unless_they_are_named(pod, said):
    [message] = broken("pods-stay-off-the-node", daemon(**pod))
    assert said in message
    assert broken("pods-stay-off-the-node", daemon(**pod), allowed=["monitoring/exporter"]) == []
    assert broken("pods-stay-off-the-node", daemon(**pod), allowed=["kube-system/*"]) == [message]


def test_ordinary_pods_may_have_volumes():
    pod = {"volumes": [{"name": "v", "emptyDir": {}}], "hostNetwork": False}
    assert broken("pods-stay-off-the-node", daemon(**pod)) == []
