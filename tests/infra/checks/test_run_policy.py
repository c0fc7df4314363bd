"""What ends a job, and what only seems to."""

import pytest

from tests.infra.checks.jobs import examined, found

TTL = ("run_policy", "ttl_seconds_after_finished")
NIGHTLY = {"schedule": "0 2 * * *"}


def policy(**fields):
    return {"run_policy": fields}


def exit_code(**fields):
    return policy(**fields) | {"worker": {"restart_policy": "ExitCode", "resources": {"gpus": 1}}}


def test_a8_a_ttl_on_a_declared_job_is_refused():
    [finding] = examined(**policy(ttl_seconds_after_finished=300))
    assert (finding.severity, finding.code, finding.place[2:]) == ("fault", "ttl-trains-again", TTL)
    assert "clean_pod_policy: All" in finding.remedy
    assert "recreate: true" in finding.remedy


def test_a8_who_wants_to_train_again_is_warned_at_preview():
    again = policy(ttl_seconds_after_finished=300, recreate=True)
    assert found(**again) == [("warning", "ttl-recreates", TTL)]


def test_recreate_does_nothing_by_itself():
    place = ("run_policy", "recreate")
    assert found(**policy(recreate=True)) == [("warning", "recreate-without-ttl", place)]
    assert found(**NIGHTLY, **policy(recreate=True)) == [("warning", "recreate-without-ttl", place)]


@pytest.mark.parametrize("recreate", [True, False])
def test_the_ttl_of_a_schedules_runs_stands_there(recreate):
    ttl = policy(ttl_seconds_after_finished=300, recreate=recreate)
    assert found(**NIGHTLY, **ttl) == [("fault", "ttl-beside-schedule", TTL)]
    assert found(**NIGHTLY) == []


def test_a_schedule_whose_runs_never_start_is_refused():
    assert found(**policy(suspend=True)) == []
    assert found(**NIGHTLY, **policy(suspend=True)) == [
        ("fault", "runs-suspended", ("run_policy", "suspend"))
    ]


@pytest.mark.parametrize("limit", [1, 3])
def test_a_backoff_limit_is_not_kept_under_exit_code(limit):
    place = ("worker", "restart_policy")
    assert found(**exit_code(backoff_limit=limit)) == [("warning", "backoff-not-counted", place)]
    assert found(**policy(backoff_limit=limit)) == []


def test_who_says_that_there_is_no_limit_needs_no_warning():
    assert found(**exit_code(backoff_limit=None)) == []


def test_a_deadline_is_not_watched_unless_the_node_keeps_it():
    late = policy(active_deadline_seconds=600)
    [finding] = examined(**late)
    assert (finding.severity, finding.code) == ("warning", "deadline-not-watched")
    assert finding.place[2:] == ("run_policy", "active_deadline_seconds")
    assert "{activeDeadlineSeconds: 600}" in finding.remedy
    assert found(**late, pod_overrides={"activeDeadlineSeconds": 600}) == []


SCHEDULING = ("run_policy", "scheduling_policy")
OTHERS = {"training_operator": {"install": False}}


def test_b2_a_scheduling_policy_that_nothing_acts_on_is_a_warning():
    queued = policy(scheduling_policy={"queue": "nightly"})
    assert found(**queued) == [("warning", "scheduling-policy-ignored", SCHEDULING)]
    assert found(**queued, stack=OTHERS) == []


def test_b2_a_job_does_not_wait_for_more_pods_than_it_has():
    few, many = (policy(scheduling_policy={"min_available": pods}) for pods in (2, 3))
    roles = {"ps": {}}
    assert found(**roles, **few, stack=OTHERS) == []
    assert found(**roles, **many, stack=OTHERS) == [
        ("fault", "min-available-too-large", (*SCHEDULING, "min_available"))
    ]
