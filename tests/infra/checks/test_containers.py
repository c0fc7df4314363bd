"""The containers of a pod, and the one that trains."""

import pytest

from tests.infra.checks.jobs import found

LOGS = {"name": "logs", "image": "registry.example/logs:2"}
SAFE = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}
RAW = {"name": "trainer", "image": "registry.example/logs:2", "securityContext": SAFE}


def test_a1_sidecars_beside_the_training_are_fine():
    assert found(sidecars=[LOGS], init_containers=[LOGS | {"name": "fetch"}]) == []


@pytest.mark.parametrize("name", ["tensorflow", "logs"])
def test_a_container_has_a_name_of_its_own(name):
    place = ("sidecars", 0, "name")
    containers = {"init_containers": [LOGS], "sidecars": [LOGS | {"name": name}]}
    assert found(**containers) == [("fault", "container-name-twice", place)]


def test_a1_an_override_under_another_name_adds_a_container_that_keeps_the_pod_alive():
    place = ("pod_overrides", "containers", 0, "name")
    assert found(pod_overrides={"containers": [RAW]}) == [("warning", "container-keeps-pod-alive", place)]


def test_a1_an_override_of_the_training_container_is_what_is_meant():
    assert found(pod_overrides={"containers": [{"name": "tensorflow", "tty": True}]}) == []


@pytest.mark.parametrize("containers", [None, [], [{"tty": True}], "x"])
def test_a1_the_training_container_is_not_lost(containers):
    lost = ("fault", "training-container-lost", ("pod_overrides", "containers"))
    assert lost in found(pod_overrides={"containers": containers})
