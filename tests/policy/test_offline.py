"""Offline pods state resources, a class and a restart policy."""

from __future__ import annotations

import pytest

from tests.policy.conftest import broken, container, sent, tfjob

RESOURCES = "offline-pods-state-resources"
CLASS = "offline-pods-have-an-offline-class"
RESTART = "offline-pods-state-a-restart-policy"


@pytest.mark.parametrize("rule", [RESOURCES, CLASS, RESTART])
def test_a_sound_training_job_breaks_no_rule_of_offline_pods(rule):
    assert broken(rule, tfjob()) == []


@pytest.mark.parametrize(
    ("resources", "lacking"),
    [
        ({}, "requests.cpu, requests.memory, limits.cpu, limits.memory"),
        ({"requests": {"cpu": 1.0, "memory": "1Gi"}}, "limits.cpu, limits.memory"),
        ({"limits": {"cpu": "1", "memory": "1Gi"}}, "requests.cpu, requests.memory"),
    ],
)
def test_a_training_container_without_amounts_is_told_which_it_lacks(resources, lacking):
    [message] = broken(RESOURCES, tfjob(pod={"containers": [container(resources=resources)]}))
    assert f"states no {lacking}:" in message
    assert "container tensorflow of its Worker pods" in message


def test_containers_that_run_first_state_their_amounts_too():
    pod = {"initContainers": [container(name="fetch", resources={})]}
    [message] = broken(RESOURCES, tfjob(pod=pod))
    assert "container fetch" in message


def test_pods_of_an_offline_class_are_offline_work_whatever_their_kind():
    pod = {"priorityClassName": "offline-low", "containers": [container(resources={})]}
    deployment = sent("Deployment", version="apps/v1", spec={"template": {"spec": pod}})
    assert len(broken(RESOURCES, deployment)) == 1


def test_pods_of_online_services_are_left_alone():
    pod = {"containers": [container(resources={})]}
    deployment = sent("Deployment", version="apps/v1", spec={"template": {"spec": pod}})
    assert broken(RESOURCES, deployment) == []


@pytest.mark.parametrize(
    ("named", "said"), [(None, "have no class"), ("online-high", "have the class online-high")]
)
def test_training_of_no_offline_class_is_refused(named, said):
    [message] = broken(CLASS, tfjob(pod={"priorityClassName": named}))
    assert said in message


def test_the_names_of_offline_classes_can_be_set():
    job = tfjob(pod={"priorityClassName": "batch"})
    assert len(broken(CLASS, job)) == 1
    assert broken(CLASS, job, classes=["batch*"]) == []


def test_a_role_without_a_restart_policy_is_refused():
    [message] = broken(RESTART, tfjob(replica={"restartPolicy": None}, role="PS"))
    assert "its PS pods say no restartPolicy" in message


def test_a_job_of_an_offline_class_without_a_restart_policy_is_refused():
    pod = {"priorityClassName": "offline-low", "containers": [container()]}
    spec = {"jobTemplate": {"spec": {"template": {"spec": pod}}}}
    assert len(broken(RESTART, sent("CronJob", version="batch/v1", spec=spec))) == 1
    pod["restartPolicy"] = "Never"
    assert broken(RESTART, sent("CronJob", version="batch/v1", spec=spec)) == []
