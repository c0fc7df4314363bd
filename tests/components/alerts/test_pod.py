"""When alerts of pods fire."""

import pytest

from components.rendering.alerts import layers
from tests.components.alerts.cases import (
    ALWAYS,
    NEVER,
    OF_SERVICE,
    OF_TRAINING,
    SERVICE,
    SERVICE_POD,
    TRAINING,
    TRAINING_POD,
    Case,
    pod_info,
)
from tests.components.alerts.conftest import FACTS

CONTAINER = f'{TRAINING}, container="tensorflow"'
OF_CONTAINER = {**OF_TRAINING, "container": "tensorflow"}
SERVICE_CONTAINER = f'{SERVICE}, container="web"'


def restarts(container=CONTAINER):
    return f'kube_pod_container_status_restarts_total{{{container}, uid="1"}}'


def waiting(reason):
    return f'kube_pod_container_status_waiting_reason{{{CONTAINER}, reason="{reason}"}}'


def killed(when):
    return f'kube_pod_container_status_{when}_reason{{{CONTAINER}, reason="OOMKilled"}}'


def pending(pod):
    return f'kube_pod_status_phase{{{pod}, phase="Pending"}}'


def created(pod, uid="1"):
    return f'kube_pod_created{{{pod}, uid="{uid}"}}'


def periods(kind=""):
    return f'container_cpu_cfs_{kind}periods_total{{{SERVICE_CONTAINER}, node="n1", id="/kubepods/web"}}'


def evicted(pod):
    return f'kube_pod_status_reason{{{pod}, reason="Evicted"}}'


def quota(kind, namespace="vision"):
    return f'kube_resourcequota{{namespace="{namespace}", resourcequota="q", resource="pods", type="{kind}"}}'


WORKING_SET = f'container_memory_working_set_bytes{{{CONTAINER}, node="n1", id="/kubepods/1"}}'
MEMORY_LIMIT = f'kube_pod_container_resource_limits{{{CONTAINER}, resource="memory", unit="byte"}}'

RUN = 'kube_tfjob_created{namespace="vision", tfjob="mnist"}'

CASES = {
    "PodRestarting": Case(
        fires={TRAINING_POD: ALWAYS, restarts(): "0+1x5 5x60"},
        quiet={restarts(): "0+1x2 2x60"},
        at="20m",
        labels=OF_CONTAINER,
        value="5",
    ),
    "PodOOMKilled": Case(
        fires={TRAINING_POD: ALWAYS, killed("terminated"): ALWAYS},
        quiet={killed("terminated"): NEVER, killed("last_terminated"): ALWAYS, restarts(): ALWAYS},
        at="30m",
        labels=OF_CONTAINER,
    ),
    "PodNearMemoryLimit": Case(
        fires={TRAINING_POD: ALWAYS, WORKING_SET: "95x60", MEMORY_LIMIT: "100x60"},
        quiet={WORKING_SET: "80x60"},
        at="20m",
        labels=OF_CONTAINER,
        value="95",
    ),
    "PodImagePullFailing": Case(
        fires={TRAINING_POD: ALWAYS, waiting("ImagePullBackOff"): ALWAYS},
        quiet={waiting("ImagePullBackOff"): None, waiting("ContainerCreating"): ALWAYS},
        at="20m",
        labels=OF_CONTAINER,
    ),
    "OfflinePodPending": Case(
        fires={TRAINING_POD: ALWAYS, pending(TRAINING): ALWAYS, created(TRAINING): "0x600"},
        quiet={created(TRAINING): "6000x600"},  # within its limit, waiting is normal
        at="150m",
        labels=OF_TRAINING,
        value="2h 30m 0s",
    ),
    "OfflinePodEvictedOften": Case(
        fires={
            TRAINING_POD: ALWAYS,
            RUN: "1x600",
            created(TRAINING, "a"): "1x9",
            created(TRAINING, "b"): "_x10 2x9",
            created(TRAINING, "c"): "_x20 3x9",
            created(TRAINING, "d"): "_x30 4x60",
        },
        quiet={RUN: "4x600"},  # each pod was of a job that was declared anew
        at="60m",
        labels=OF_TRAINING,
        value="3",
    ),
    "OnlinePodPending": Case(
        fires={SERVICE_POD: ALWAYS, pending(SERVICE): ALWAYS, created(SERVICE): "0x600"},
        quiet={
            SERVICE_POD: None,
            pending(SERVICE): None,
            TRAINING_POD: ALWAYS,
            pending(TRAINING): ALWAYS,
            created(TRAINING): "0x600",
        },
        at="10m",
        labels=OF_SERVICE,
        value="10m 0s",
    ),
    "OnlinePodEvicted": Case(
        fires={SERVICE_POD: ALWAYS, evicted(SERVICE): ALWAYS},
        quiet={evicted(SERVICE): None, TRAINING_POD: ALWAYS, evicted(TRAINING): ALWAYS},
        at="10m",
        labels={**OF_SERVICE, "reason": "Evicted"},
    ),
    "OnlinePodCPUThrottled": Case(
        fires={SERVICE_POD: ALWAYS, periods("throttled_"): "0+30x60", periods(): "0+60x60"},
        quiet={periods("throttled_"): "0+6x60"},
        at="30m",
        labels={**OF_SERVICE, "container": "web"},
        value="50",
    ),
    "QuotaNearlyUsed": Case(
        fires={quota("used"): "95x60", quota("hard"): "100x60"},
        quiet={quota("used"): "80x60", quota("used", "other"): "95x60", quota("hard", "other"): "100x60"},
        at="20m",
        labels={"namespace": "vision", "resourcequota": "q", "resource": "pods"},
        value="95",
    ),
}


def test_every_alert_of_pods_has_a_case():
    assert CASES.keys() == {alert.name for alert in layers(FACTS)["pod"]}


@pytest.mark.parametrize("name", CASES)
def test_it_fires_when_it_should_and_only_then(name, holds):
    holds(name, CASES[name])


def test_the_team_of_a_pod_is_that_of_whoever_runs_it(holds):
    series = restarts(SERVICE_CONTAINER)
    labels = {**OF_SERVICE, "container": "web"}
    holds(
        "PodRestarting",
        Case(
            fires={SERVICE_POD: ALWAYS, series: "0+1x5 5x60"},
            quiet={SERVICE_POD: None},
            at="20m",
            labels=labels,
            value="5",
        ),
    )


@pytest.mark.parametrize("before", ["", "n0"])
def test_two_instances_that_disagree_on_the_node_of_a_pod_do_not_stop_the_rules(holds, before):
    said_before = pod_info("vision", "mnist-worker-0", "TFJob/mnist", "offline-low", node=before)
    said_now = pod_info("vision", "mnist-worker-0", "TFJob/mnist", "offline-low", instance="ksm-2")
    fires = {said_before: "1x20", said_now: "_x18 1x60", restarts(): "0+1x5 5x60"}
    case = Case(
        fires=fires, quiet={restarts(): NEVER}, at="25m" if before else "20m", labels=OF_CONTAINER, value="5"
    )
    holds("PodRestarting", case)


def test_a_container_that_was_killed_and_runs_again_is_told_of_as_well(holds):
    fires = {TRAINING_POD: ALWAYS, killed("last_terminated"): "_x10 1x60", restarts(): "0x10 1x60"}
    holds("PodOOMKilled", Case(fires=fires, quiet={restarts(): NEVER}, at="20m", labels=OF_CONTAINER))
