"""Scheduled jobs on the real cluster: runs come by the minute, train, and go."""

from __future__ import annotations

import json
import time

import pytest

from infra import doctor
from infra.cluster.api_server import ApiServer
from infra.plan import plan
from sandbox import scratch
from tests.cluster.conftest import Deployment, eventually

pytestmark = pytest.mark.cluster

NAMESPACE = "kubeflow"
ACCOUNT = f"system:serviceaccount:{NAMESPACE}:beat-start"
TRAIN = """
import tensorflow as tf
weight = tf.Variable(0.0)
for step in range(50):
    with tf.GradientTape() as tape:
        loss = (weight - 3.0) ** 2
    weight.assign_sub(0.1 * tape.gradient(loss, weight))
print(f"weight={float(weight):.2f}")
"""
SMALL = {"requests": {"cpu": "50m", "memory": "256Mi"}, "limits": {"cpu": "1", "memory": "1Gi"}}


def minutely(deployment, name, command, **schedule):
    """A job of every minute, with the image of the stack's other jobs."""
    return {
        "name": name,
        "tenant": NAMESPACE,
        "priority": "offline-low",
        "image": deployment.stack["jobs"][0]["image"],
        "command": ["python3", "-u", "-c"],
        "args": [command],
        "worker": {"resources": SMALL},
        "schedule": {"cron": "* * * * *", **schedule},
    }


@pytest.fixture(scope="module")
def scheduled(sandbox, tmp_path_factory):
    """The stack with jobs of every minute, two of them ill; without them again after the last test."""
    project = tmp_path_factory.mktemp("scheduled") / "project"
    deployment = Deployment(sandbox, scratch.copied(sandbox.workspace, project))
    committed, stack = deployment.stack_file.read_text(), deployment.stack
    sleep = "import time; time.sleep(150)"
    stack["jobs"] += [
        minutely(deployment, "beat", TRAIN, ttl_seconds_after_finished=30),
        minutely(deployment, "patient", sleep, concurrency_policy="Forbid"),
        minutely(deployment, "hasty", sleep, concurrency_policy="Replace"),
        minutely(deployment, "blind", TRAIN) | {"image": "colocation.local/nowhere:1"},
        minutely(deployment, "barred", TRAIN),
    ]
    deployment.write(stack)
    deployment.up()
    sandbox.kubectl("delete", "rolebinding", "barred-start", "-n", NAMESPACE)
    yield deployment
    deployment.stack_file.write_text(committed)
    deployment.up()


def runs(scheduled, job):
    """Its TFJobs by name, each with its true conditions."""
    found = scheduled.sandbox.items("tfjobs", "-n", NAMESPACE, "-l", f"colocation.io/job={job}")
    return {
        run["metadata"]["name"]: {
            c["type"] for c in run.get("status", {}).get("conditions", []) if c["status"] == "True"
        }
        for run in found
    }


def test_the_account_may_make_tfjobs_and_look_at_them_and_nothing_else(scheduled):
    def may(verb, kind, *options, namespace=NAMESPACE):
        asked = ("auth", "can-i", verb, kind, *options, "-n", namespace, "--as", ACCOUNT)
        return scheduled.sandbox.kubectl(*asked, check=False).strip().endswith("yes")

    assert may("create", "tfjobs.kubeflow.org")
    assert may("get", "tfjobs.kubeflow.org")
    for verb in ("list", "watch", "update", "patch", "delete", "deletecollection"):
        assert not may(verb, "tfjobs.kubeflow.org"), verb
    for kind in ("pods", "secrets", "configmaps", "jobs.batch", "cronjobs.batch"):
        assert not may("create", kind), kind
        assert not may("get", kind), kind
    assert not may("update", "tfjobs.kubeflow.org", "--subresource=status")
    assert not may("create", "tfjobs.kubeflow.org", namespace="default")


def test_each_minute_makes_a_tfjob_that_trains_succeeds_and_is_deleted_after_its_time(scheduled):
    logs: dict[str, str] = {}

    def two_have_succeeded():
        for run, states in runs(scheduled, "beat").items():
            if "Succeeded" in states and run not in logs:
                logs[run] = scheduled.sandbox.kubectl("logs", "-n", NAMESPACE, f"{run}-worker-0")
        return len(logs) >= 2

    eventually(two_have_succeeded, timeout_seconds=600)
    assert all("weight=3.00" in log for log in logs.values())
    minutes = sorted(int(run.rpartition("-")[2]) for run in logs)
    assert minutes[0] < minutes[1] <= time.time() / 60

    first = min(logs)
    eventually(lambda: first not in runs(scheduled, "beat"))
    starts = scheduled.sandbox.kubectl("logs", "-n", NAMESPACE, f"job/{first}")
    assert starts.splitlines()[-1] == f"{first}: Succeeded"


def test_a_run_that_is_due_is_skipped_while_the_last_one_trains(scheduled):
    training = []

    def skipped():
        training.append(sum("Succeeded" not in states for states in runs(scheduled, "patient").values()))
        events = scheduled.sandbox.items("events", "-n", NAMESPACE)
        return [
            event["reason"]
            for event in events
            if event["involvedObject"]["name"] == "patient" and event["reason"] == "JobAlreadyActive"
        ]

    # None trains while the next one is not due yet.
    eventually(lambda: skipped() and training[-1] == 1, timeout_seconds=300)
    assert max(training) == 1


def test_a_run_that_is_due_ends_the_last_one_where_the_schedule_says_replace(scheduled):
    first = eventually(lambda: min(runs(scheduled, "hasty"), default=""))

    def replaced():
        now = runs(scheduled, "hasty")
        return first not in now and now

    assert min(eventually(replaced, timeout_seconds=300)) > first
    pods = f"training.kubeflow.org/job-name={first}"
    eventually(lambda: scheduled.sandbox.items("pods", "-n", NAMESPACE, "-l", pods) == [])


def test_a_run_started_by_hand_is_one_like_the_others(scheduled):
    command = scheduled.workspace.outputs()["schedules"]["beat"]["start"]
    kubectl, *arguments = command.replace("$(date +%H%M%S)", "by-hand").split()
    assert kubectl == "kubectl"
    scheduled.sandbox.kubectl(*arguments)
    eventually(lambda: "Succeeded" in runs(scheduled, "beat").get("beat-by-hand", ()), timeout_seconds=300)


@pytest.fixture
def diagnosed(scheduled, monkeypatch):
    """Waits until the doctor has that to say of a CronJob."""
    monkeypatch.setenv("KUBECONFIG", scheduled.workspace.environment()["KUBECONFIG"])

    def look(job, code):
        ready = plan(scheduled.stack_file)

        def probe():
            found = doctor.diagnose(doctor.look(ApiServer(), ready, "dev"), ready)
            return [one for one in found if (one.code, one.object) == (code, f"CronJob {NAMESPACE}/{job}")]

        [found] = eventually(probe, timeout_seconds=300)
        assert found.affects == (job,)
        return found

    return look


def test_a_run_whose_start_has_no_image_is_diagnosed(diagnosed):
    found = diagnosed("blind", "registry-unreachable")
    assert "the pod that starts its run: " in found.cause
    assert "colocation.local/nowhere:1" in found.cause


def test_a_run_whose_start_has_lost_its_rights_is_diagnosed(diagnosed):
    found = diagnosed("barred", "start-without-rights")
    account = f"the account {NAMESPACE}:barred-start, which starts its runs,"
    assert f"{account} may not create resource tfjobs" in found.cause
    assert "refused: tfjobs.kubeflow.org is forbidden" in dict(found.shown())["logs"]


def test_a_schedule_that_somebody_suspended_is_diagnosed(scheduled, diagnosed):
    def suspend(value):
        patch = json.dumps({"spec": {"suspend": value}})
        scheduled.sandbox.kubectl("patch", "cronjob", "hasty", "-n", NAMESPACE, "-p", patch)

    try:
        suspend(True)
        assert diagnosed("hasty", "schedule-suspended").severity == "warning"
    finally:
        suspend(False)


def test_a_changed_command_changes_in_place_and_the_next_run_has_it(scheduled):
    stack = scheduled.stack
    [beat] = [job for job in stack["jobs"] if job["name"] == "beat"]
    beat["args"] = ["print('changed')"]
    scheduled.write(stack)
    assert scheduled.plan() == {"beat-start": "update"}
    scheduled.up()
    old = set(runs(scheduled, "beat"))

    def changed():
        for run in set(runs(scheduled, "beat")) - old:
            if "changed" in scheduled.sandbox.kubectl(
                "logs", "-n", NAMESPACE, f"{run}-worker-0", check=False
            ):
                return True
        return False

    eventually(changed, timeout_seconds=300)
