"""Queues on a real Kueue: jobs are admitted whole, on simulated nodes, through the real provider."""

from __future__ import annotations

import json

import pytest

from components.rendering.tfjob import tfjob_manifest
from infra.models import JobSpec
from infra.vocabulary import QUEUE_NAME_LABEL, TRAINING_QUEUE
from sandbox import images, queueing, scratch
from sandbox.progress import Progress
from sandbox.simulated_nodes import TAINT
from tests.cluster.conftest import Deployment, eventually

# A machine that never had Kueue builds it first.
pytestmark = [pytest.mark.cluster, pytest.mark.timeout(1200)]

TENANT = "queue-drill"
CLASS = "queue-drill-offline"
WORKERS, QUOTA = 4, "6"
BARE = {
    "training_operator": {"install": False},
    "priorities": [{"name": CLASS, "value": -20, "kind": "offline"}],
    "tenants": [{"name": TENANT, "quota": {"requests.cpu": QUOTA}, "network_policy": False}],
}


def job(name, **change):
    """Of four workers with a core each; nothing runs in them."""
    return {
        "name": name,
        "tenant": TENANT,
        "priority": CLASS,
        "image": images.reference("tensorflow"),
        "command": ["train"],
        "node_selector": {"type": "kwok"},
        "tolerations": [{"key": TAINT["key"], "operator": "Exists"}],
        "worker": {"replicas": WORKERS, "resources": {"requests": {"cpu": "1", "memory": "16Mi"}}},
        **change,
    }


@pytest.fixture(scope="module")
def kueue(sandbox):
    """A cluster that has Kueue."""
    queueing.ensure(Progress())
    yield sandbox
    queueing.remove(Progress())


@pytest.fixture
def stack(kueue, tmp_path):
    """A stack of a state of its own, whose jobs wait in a queue."""
    deployment = Deployment(kueue, scratch.with_own_state(scratch.copied(kueue.workspace, tmp_path / "p")))
    yield deployment
    deployment.destroy()


def pods(sandbox, namespace, name):
    selector = f"training.kubeflow.org/job-name={name}"
    return [
        pod
        for pod in sandbox.items("pods", "-n", namespace, "-l", selector)
        if not pod["metadata"].get("deletionTimestamp")
    ]


def conditions(sandbox, namespace, name):
    found = sandbox.get("tfjob", name, "-n", namespace).get("status", {}).get("conditions", [])
    return {one["type"] for one in found if one["status"] == "True"}


def finish(sandbox, name):
    """As if the training of the leading pod had ended well."""
    ended = {"exitCode": 0, "reason": "Completed"}
    status = {
        "phase": "Succeeded",
        "containerStatuses": [
            {
                "name": "tensorflow",
                "state": {"terminated": ended},
                "ready": False,
                "restartCount": 0,
                "image": "",
                "imageID": "",
            }
        ],
    }
    patch = json.dumps({"status": status})
    pod = f"{name}-worker-0"
    sandbox.kubectl("patch", "pod", pod, "-n", TENANT, "--subresource=status", "--type=merge", "-p", patch)


def test_without_a_queue_two_jobs_hold_a_part_each_and_wait_for_ever(sandbox, namespace):
    def quota(cores):
        hard = {"hard": {"requests.cpu": cores}}
        body = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "quota"}, "spec": hard}
        sandbox.kubectl("apply", "-n", namespace, "-f", "-", stdin=json.dumps(body))

        def counted():
            status = sandbox.get("quota", "quota", "-n", namespace).get("status", {})
            return status.get("hard") == hard["hard"] and status.get("used")

        eventually(counted)  # until then the quota is the one before, or refuses all

    def submit(name):
        spec = JobSpec.model_validate(job(name))
        manifest = tfjob_manifest(spec, namespace, priority_class="")
        sandbox.kubectl("create", "-f", "-", stdin=json.dumps(manifest))

    quota("3")
    submit("first")  # others have the rest of the quota
    eventually(lambda: len(pods(sandbox, namespace, "first")) == 3)
    eventually(lambda: "FailedCreatePod" in sandbox.kubectl("get", "events", "-n", namespace))
    quota(QUOTA)  # they have ended, and the operator looks again only after a while
    submit("second")
    eventually(lambda: len(pods(sandbox, namespace, "second")) >= 2)

    def held():
        return [len(pods(sandbox, namespace, name)) for name in ("first", "second")]

    eventually(lambda: sum(held()) == int(QUOTA))  # the last of them may be on its way
    assert max(held()) <= WORKERS


def test_with_a_queue_one_job_runs_whole_and_the_other_waits_for_its_end(stack):
    sandbox = stack.sandbox
    schedule = {"cron": "0 0 1 1 *", "concurrency_policy": "Forbid"}
    later = job("c", schedule=schedule)
    # The run's pod takes a hundredth of a core from the quota.
    stack.write({**BARE, "queueing": {"install": False}, "jobs": [job("a"), job("b"), later]})
    stack.up()

    eventually(lambda: len(pods(sandbox, TENANT, "a")) + len(pods(sandbox, TENANT, "b")) == WORKERS)
    [waiting] = [name for name in ("a", "b") if not pods(sandbox, TENANT, name)]
    [running] = {"a", "b"} - {waiting}
    eventually(lambda: "Running" in conditions(sandbox, TENANT, running))
    assert sandbox.get("tfjob", waiting, "-n", TENANT)["spec"]["runPolicy"]["suspend"] is True
    # What Kueue has changed of the jobs is nobody else's.
    assert {name: op for name, op in stack.plan("--refresh").items() if op != "refresh"} == {}

    sandbox.kubectl("create", "job", "-n", TENANT, "--from=cronjob/c", "c-now")
    eventually(lambda: "c-now" in sandbox.kubectl("get", "tfjobs", "-n", TENANT, "-o", "name"))
    run = sandbox.get("tfjob", "c-now", "-n", TENANT)
    assert run["metadata"]["labels"][QUEUE_NAME_LABEL] == TRAINING_QUEUE
    assert run["spec"]["runPolicy"]["suspend"] is True

    finish(sandbox, running)
    eventually(lambda: "Succeeded" in conditions(sandbox, TENANT, running))
    eventually(lambda: len(pods(sandbox, TENANT, waiting)) == WORKERS)
    eventually(lambda: "Running" in conditions(sandbox, TENANT, waiting))
    assert pods(sandbox, TENANT, "c-now") == []
