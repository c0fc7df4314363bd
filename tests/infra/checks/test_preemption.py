"""Offline work that gives way must be able to come back."""

import pytest

from infra.checks import Subject, examine
from infra.models import Stack
from tests.infra.checks.jobs import OF_SEVERAL_PODS, found
from tests.infra.conftest import SMALL

GPU = {"resources": {"gpus": 1}}
MISSING = [
    (
        {"worker": GPU | {"restart_policy": "Never"}},
        ("no-restart-after-preemption", ("worker", "restart_policy")),
    ),
    ({"ps": {"restart_policy": "Never"}}, ("no-restart-after-preemption", ("ps", "restart_policy"))),
    (
        {"run_policy": {"backoff_limit": 0}},
        ("no-restart-after-preemption", ("run_policy", "backoff_limit")),
    ),
    ({"checkpoint_path": None}, ("no-checkpoint-path", ())),
    (
        {"termination_grace_period_seconds": 4},
        ("no-time-for-a-checkpoint", ("termination_grace_period_seconds",)),
    ),
    (
        {"pod_overrides": {"terminationGracePeriodSeconds": 0}},
        ("no-time-for-a-checkpoint", ("pod_overrides", "terminationGracePeriodSeconds")),
    ),
]


@pytest.mark.parametrize(("change", "what"), MISSING)
@pytest.mark.parametrize("schedule", [None, "0 2 * * *"])
def test_what_is_missing_is_a_warning_and_in_production_a_fault(change, what, schedule):
    job = change | {"schedule": schedule}
    assert found(**job) == [("warning", *what)]
    assert found(**job, stack={"production": True}) == [("fault", *what)]


@pytest.mark.parametrize("change", [change for change, _ in MISSING])
def test_a_job_that_is_never_preempted_needs_no_way_back(change):
    online = {"priority": "online-high"}
    assert [code for _, code, _ in found(**change, **online)] == ["job-with-online-priority"]


def test_a_job_that_can_come_back_is_fit_for_production():
    worker = GPU | {"restart_policy": "OnFailure"}
    job = {"worker": worker, "termination_grace_period_seconds": 5, "run_policy": {"backoff_limit": None}}
    assert found(**job, stack={"production": True}) == []


@pytest.mark.parametrize(
    ("change", "fails"),
    [
        ({"worker": {"replicas": 1}}, False),
        ({"worker": {"replicas": 1, "restart_policy": "ExitCode"}}, True),
        ({"worker": {"replicas": 2}}, True),
        ({"worker": {"replicas": 2}, "enable_dynamic_worker": True}, False),
        ({"worker": {"replicas": 2}, "schedule": "0 2 * * *"}, False),
        ({"worker": {"replicas": 1}, "ps": {}}, True),
        ({"worker": None, "chief": {}}, True),
    ],
)
def test_the_operator_fails_a_preempted_job_but_for_a_lone_worker_that_starts_again(change, fails):
    """kubeflow/trainer#2124"""
    stack = Stack.model_validate(SMALL | {"jobs": [SMALL["jobs"][0] | change]})
    codes = {finding.code for finding in examine(Subject(stack, {"train.py": ""}))}
    assert (OF_SEVERAL_PODS in codes) is fails
