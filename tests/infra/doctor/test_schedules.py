"""Scheduled jobs whose runs do not begin."""

import pytest

from infra.doctor.wanted_logs import wanted
from tests.infra.doctor.conftest import (
    ago,
    container,
    ended,
    event,
    named,
    tfjob,
    unscheduled,
    waiting,
)

RUN = "mnist-29000000"


@pytest.fixture
def clinic(clinic_of, data):
    """`mnist` every hour; its last run has succeeded and is gone."""
    data["jobs"][0]["schedule"] = "0 * * * *"
    found = clinic_of(data)
    found.jobs, found.pods = [], []
    found.kinds["cronjobs"] = [cron_job()]
    return found


def cron_job(last=3600, active=(), age=7200, **spec):
    status = {"lastScheduleTime": ago(last), "active": list(active)} if last is not None else {}
    return named("mnist", spec={"suspend": False} | spec, status=status, age=age)


def starter(phase="Running", *, statuses=None, age=60, **status):
    labels = {
        "colocation.io/job": "mnist",
        "colocation.io/starts-training": "true",
        "batch.kubernetes.io/job-name": RUN,
    }
    statuses = [container("start-run")] if statuses is None else statuses
    spec = {"containers": [{"name": "start-run", "image": "registry.example/mnist:1.4"}], "nodeName": "n1"}
    found = {"phase": phase, "containerStatuses": statuses, **status}
    return named(f"{RUN}-abcde", labels=labels, spec=spec, status=found, age=age)


def failed():
    return starter("Failed", statuses=[container("start-run", state={"terminated": ended(1)})])


def test_a_schedule_that_has_started_what_was_due_is_well(clinic):
    """It is 12:00 now, and the controller has two minutes for that run."""
    assert clinic.found() == ()


def test_a_run_that_trains_is_told_of_its_tfjob_alone(clinic):
    clinic.kinds["cronjobs"] = [cron_job(last=60, active=[{"name": RUN}])]
    clinic.pods, clinic.jobs = (
        [starter(age=600)],
        [tfjob(RUN, labels={"colocation.io/job": "mnist"}, since=5)],
    )
    assert {found.object for found in clinic.found()} <= {f"TFJob vision/{RUN}"}


def test_a_schedule_that_somebody_suspended_is_told(clinic, data, clinic_of):
    clinic.kinds["cronjobs"] = [cron_job(last=86400, age=90000, suspend=True)]
    found = clinic.only("schedule-suspended")
    assert (found.severity, found.affects) == ("warning", ("mnist",))
    data["jobs"][0]["schedule"] = {"cron": "0 * * * *", "suspend": True}
    meant = clinic_of(data)
    meant.jobs, meant.pods, meant.kinds["cronjobs"] = [], [], clinic.kinds["cronjobs"]
    assert meant.found() == ()


def test_a_run_that_was_due_and_did_not_start_is_told_with_its_time(clinic):
    clinic.kinds["cronjobs"] = [cron_job(last=3 * 3600, age=90000)]
    clinic.events = [event("TooManyMissedTimes", "too many missed start times", "mnist", "CronJob")]
    found = clinic.only("schedule-missed")
    assert "due at 2026-01-01T11:00:00Z" in found.cause
    assert "too many" in dict(found.shown())["events"]


@pytest.mark.parametrize(
    "change",
    [
        {"active": [{"name": RUN}]},  # Forbid: the last one still trains
        {"age": 1800},  # made after that time
    ],
)
def test_a_run_that_could_not_be_due_is_not_missed(clinic, change):
    clinic.kinds["cronjobs"] = [
        cron_job(**{"last": None if "age" in change else 3 * 3600, "age": 90000} | change)
    ]
    if "active" in change:
        clinic.kinds["cronjobs"][0]["status"]["lastScheduleTime"] = ago(3 * 3600)
    assert clinic.found() == ()


@pytest.mark.parametrize("there", [{"schedule": "0 3 * * 0"}, {"timeZone": "Asia/Kathmandu"}])
def test_a_schedule_that_the_cluster_does_not_have_yet_has_missed_nothing(clinic, there):
    clinic.kinds["cronjobs"] = [cron_job(last=3 * 3600, age=90000, **there)]
    assert clinic.found() == ()


def test_a_schedule_that_was_written_anew_has_missed_nothing_before(clinic):
    clinic.kinds["cronjobs"] = [cron_job(last=3 * 3600, age=90000)]
    fields = [{"manager": "a", "time": ago(600)}, {"manager": "b", "time": ago(10), "subresource": "status"}]
    clinic.kinds["cronjobs"][0]["metadata"]["managedFields"] = fields
    assert clinic.found() == ()


@pytest.mark.parametrize(
    ("reason", "message", "code"),
    [
        ("ImagePullBackOff", "pull access denied", "registry-refuses"),
        ("ErrImagePull", "manifest unknown: not found", "image-not-found"),
        ("ErrImagePull", "dial tcp: lookup registry.example: no such host", "registry-unreachable"),
    ],
)
def test_a_start_whose_image_is_not_to_be_had_is_told(clinic, reason, message, code):
    clinic.kinds["cronjobs"] = [cron_job(last=60, active=[{"name": RUN}])]
    clinic.pods = [starter("Pending", statuses=[container("start-run", state=waiting(reason, message))])]
    found = clinic.only(code)
    assert (found.object, found.affects) == ("CronJob vision/mnist", ("mnist",))
    assert found.cause.startswith("the pod that starts its run: ")
    assert "jobs[0]" in found.fix


def test_a_start_that_finds_no_node_is_told(clinic):
    pod = starter()
    pod["spec"].pop("nodeName")
    pod["status"] = unscheduled()["status"]
    clinic.pods = [pod]
    assert clinic.only("no-room").severity == "warning"


FORBIDDEN = (
    f'{RUN}: refused: tfjobs.kubeflow.org is forbidden: User "system:serviceaccount:vision:mnist-start" '
    'cannot create resource "tfjobs" in API group "kubeflow.org" in the namespace "vision"'
)
DENIED = f'{RUN}: refused: admission webhook "guard.example" denied the request: not today'


@pytest.mark.parametrize(
    ("line", "code", "words"),
    [
        (
            FORBIDDEN,
            "start-without-rights",
            "vision:mnist-start, which starts its runs, may not create resource",
        ),
        (DENIED, "run-refused", "denied the request: not today"),
        (f"{RUN}: was deleted before it ended", "run-refused", "came to nothing: was deleted"),
    ],
)
def test_a_start_that_ends_without_a_tfjob_is_told_by_its_last_line(clinic, line, code, words):
    clinic.pods = [failed()]
    clinic.log(line, f"{RUN}-abcde", "start-run")
    found = clinic.only(code)
    assert (found.severity, found.breaks_at) == ("fault", "logs")
    assert words in found.cause
    assert [source.pod for source in wanted(clinic.case())] == [f"{RUN}-abcde"]


def test_a_start_that_asks_in_vain_is_told_unless_the_operator_is_down(clinic):
    clinic.pods = [starter()]
    clinic.log("asks again: failed calling webhook: connection refused", f"{RUN}-abcde", "start-run")
    assert "connection refused" in clinic.only("run-waits").cause
    clinic.kinds["deployments"][0]["status"] = {}
    assert clinic.only("operator-down")


def test_a_start_that_ends_otherwise_is_told_as_any_pod(clinic):
    clinic.pods = [failed()]
    clinic.log(
        "Traceback (most recent call last):\n  File \"s.py\", line 3\nKeyError: 'x'",
        f"{RUN}-abcde",
        "start-run",
    )
    assert "KeyError" in clinic.only("script-error").cause


@pytest.mark.parametrize(("kind", "name"), [("Job", RUN), ("CronJob", "mnist")])
def test_a_start_that_is_refused_is_told(clinic, kind, name):
    clinic.events = [event("FailedCreate", "Error creating: pods is forbidden: exceeded quota", name, kind)]
    assert "exceeded quota" in dict(clinic.only("start-refused").shown())["events"]


def test_refusals_before_the_newest_start_are_over(clinic):
    clinic.events = [event("FailedCreate", "exceeded quota", RUN, "Job") | {"lastTimestamp": ago(600)}]
    clinic.pods = [starter("Succeeded", statuses=[container("start-run", state={"terminated": ended(0)})])]
    assert clinic.found() == ()


def test_where_tfjobs_may_not_be_read_nothing_is_concluded(clinic):
    clinic.jobs, clinic.pods = None, [failed()]
    assert clinic.found() == ()
