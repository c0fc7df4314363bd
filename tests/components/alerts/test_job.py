"""When alerts of training jobs fire."""

import pytest

from components.rendering.alerts import layers
from tests.components.alerts.cases import ALWAYS, NEVER, TRAINING, TRAINING_POD, Case
from tests.components.alerts.conftest import FACTS

JOB = 'namespace="vision", tfjob="mnist"'
OF_JOB = {"namespace": "vision", "tfjob": "mnist"}
POD = f'{TRAINING}, tfjob="mnist", replica_type="worker", job="training-pods"'
LOSS = f"training_loss{{{POD}}}"
SCHEDULED = 'namespace="vision", cronjob="nightly"'


def condition(name):
    return f'kube_tfjob_status_condition{{{JOB}, condition="{name}", reason="TFJob{name}"}}'


def of_job(metric):
    return f"kube_tfjob_{metric}{{{JOB}}}"


def of_pod(metric):
    return f"{metric}{{{POD}}}"


START = f'kube_pod_start_time{{{TRAINING}, uid="1"}}'
RESTARTS = f'kube_pod_container_status_restarts_total{{{TRAINING}, container="tensorflow", uid="1"}}'
MADE = f'kube_pod_created{{{TRAINING}, uid="1"}}'

CASES = {
    "TFJobFailed": Case(
        fires={condition("Failed"): ALWAYS, condition("Running"): NEVER},
        quiet={condition("Failed"): NEVER, condition("Running"): ALWAYS},
        at="5m",
        labels=OF_JOB,
    ),
    "TFJobNotStarted": Case(
        fires={TRAINING_POD: ALWAYS, of_job("created"): "0x600", condition("Created"): ALWAYS},
        quiet={condition("Running"): "_x60 1x600"},
        at="150m",
        labels=OF_JOB,
        value="2h 30m 0s",
    ),
    "TFJobHasNoPods": Case(
        fires={of_job("created"): "0x600", condition("Created"): ALWAYS},
        quiet={TRAINING_POD: ALWAYS},
        at="10m",
        labels=OF_JOB,
        value="10m 0s",
    ),
    "TFJobRestartLoop": Case(
        fires={TRAINING_POD: ALWAYS, RESTARTS: "0+1x10 10x60", MADE: "1x600", of_job("created"): "1x600"},
        quiet={RESTARTS: "0+1x2 2x60"},
        at="20m",
        labels=OF_JOB,
        value="10",
    ),
    "TFJobPastDeadline": Case(
        fires={
            of_job("status_start_time"): "0x600",
            of_job("spec_active_deadline_seconds"): "1800x600",
            of_job("status_completion_time"): "_x30 1800x600",
            condition("Failed"): "_x30 1x600",
        },
        quiet={condition("Failed"): None, condition("Succeeded"): "_x30 1x600"},
        at="60m",
        labels=OF_JOB,
        value="30m 0s",
    ),
    "TFJobNoProgress": Case(
        fires={
            TRAINING_POD: ALWAYS,
            condition("Running"): ALWAYS,
            START: "0x600",
            of_pod("training_last_progress_timestamp_seconds"): "600x600",
        },
        quiet={START: "2000x600"},  # begun again a moment ago
        at="40m",
        labels=OF_JOB,
        value="30m 0s",
    ),
    "CheckpointStale": Case(
        fires={
            TRAINING_POD: ALWAYS,
            condition("Running"): ALWAYS,
            START: "0x600",
            of_pod("training_checkpoint_timestamp_seconds"): "600x600",
        },
        quiet={condition("Running"): NEVER},
        at="90m",
        labels=OF_JOB,
        value="1h 20m 0s",
    ),
    "TrainingLossNaN": Case(
        fires={LOSS: "1x5" + 60 * " NaN"},
        quiet={LOSS: "1x5 1000x60"},
        at="20m",
        labels=OF_JOB,
        value="1",
    ),
    "TrainingLossRising": Case(
        fires={LOSS: "1x40 2x60", of_job("created"): "0x100"},
        quiet={LOSS: "2x40 1x60"},
        at="60m",
        labels=OF_JOB,
        value="2",
    ),
    "ScheduledTrainingMissed": Case(
        fires={
            f"kube_cronjob_next_schedule_time{{{SCHEDULED}}}": "0x600",
            f"kube_cronjob_status_active{{{SCHEDULED}}}": NEVER,
        },
        quiet={f"kube_cronjob_status_active{{{SCHEDULED}}}": ALWAYS},
        at="20m",
        labels={"namespace": "vision", "cronjob": "nightly"},
        value="20m 0s",
    ),
}


def test_every_alert_of_jobs_has_a_case():
    assert CASES.keys() == {alert.name for alert in layers(FACTS)["job"]}


@pytest.mark.parametrize("name", CASES)
def test_it_fires_when_it_should_and_only_then(name, holds):
    holds(name, CASES[name])


def changed(name, **change):
    case = CASES[name]
    return Case(
        **{**{key: getattr(case, key) for key in ("fires", "quiet", "at", "labels", "value")}, **change}
    )


def test_a_job_that_goes_on_after_its_deadline_is_told_of_as_well(holds):
    fires = {
        of_job("status_start_time"): "0x600",
        of_job("spec_active_deadline_seconds"): "1800x600",
        condition("Running"): ALWAYS,
    }
    quiet = {of_job("spec_active_deadline_seconds"): "7200x600"}
    holds("TFJobPastDeadline", changed("TFJobPastDeadline", fires=fires, quiet=quiet, value="1h 0m 0s"))


def test_a_job_that_hangs_before_its_first_step_makes_no_progress(holds):
    progress = of_pod("training_last_progress_timestamp_seconds")
    fires = {**CASES["TFJobNoProgress"].fires, progress: "0x600"}
    # Without the metric nothing is known of its progress.
    case = changed("TFJobNoProgress", fires=fires, quiet={progress: None}, value="40m 0s")
    holds("TFJobNoProgress", case)


def test_pods_that_the_operator_makes_again_count_as_restarts(holds):
    again = {f'kube_pod_created{{{TRAINING}, uid="{i}"}}': f"_x{i} {i}x3" for i in range(2, 8)}
    created = of_job("created")
    fires = {TRAINING_POD: ALWAYS, RESTARTS: NEVER, MADE: "1x600", created: "1x600", **again}
    # As many pods, each of a job that was declared anew.
    case = changed("TFJobRestartLoop", fires=fires, quiet={created: "7x600"}, value="6")
    holds("TFJobRestartLoop", case)


def test_pods_that_are_gone_after_one_scrape_count_as_restarts(holds):
    pods = {}
    for i in range(1, 8):
        uid = f'{TRAINING}, uid="{i}"'
        pods[f"kube_pod_created{{{uid}}}"] = f"_x{i} {i} stale"
        pods[f'kube_pod_container_status_restarts_total{{{uid}, container="tensorflow"}}'] = f"_x{i} 0 stale"
    created = of_job("created")
    fires = {TRAINING_POD: ALWAYS, created: "1x600", **pods}
    holds("TFJobRestartLoop", changed("TFJobRestartLoop", fires=fires, quiet={created: "7x600"}, value="6"))


def test_pods_that_are_seen_a_scrape_after_their_job_are_not_missed(holds):
    fires = {of_job("created"): "_x20 0x600", condition("Created"): "_x20 1x600"}
    quiet = {TRAINING_POD: "_x21 1x600"}
    case = changed("TFJobHasNoPods", fires=fires, quiet=quiet, at="23m", value="23m 0s")
    holds("TFJobHasNoPods", case)
    at_once = changed(
        "TFJobHasNoPods",
        fires={**fires, condition("Created"): "_x15 1x600", of_job("created"): "_x15 0x600"},
        quiet=fires,
        at="20m",
        value="20m 0s",
    )
    holds("TFJobHasNoPods", at_once)


def test_the_loss_of_a_job_that_was_declared_anew_is_its_own(holds):
    holds("TrainingLossRising", changed("TrainingLossRising", quiet={of_job("created"): "0x40 2400x60"}))


def test_an_infinite_loss_is_not_a_number_either(holds):
    holds("TrainingLossNaN", changed("TrainingLossNaN", fires={LOSS: "1x5" + 60 * " Inf"}))
