"""Destroy, crash and come back: nothing foreign is lost, nothing of ours is left half done."""

from __future__ import annotations

import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from sandbox import control_plane, processes, tools
from sandbox.progress import Progress
from tests.cluster.conftest import eventually

# Each destroys the stack and brings it back, some of them twice.
pytestmark = [pytest.mark.cluster, pytest.mark.timeout(1800)]

NODE = "node-gpu-02"
FOREIGN = {"key": "example.org/maintenance", "value": "soon", "effect": "PreferNoSchedule"}


def taints(sandbox):
    listed = sandbox.get("node", NODE)["spec"].get("taints", [])
    return {(taint["key"], taint.get("value", ""), taint["effect"]) for taint in listed}


@pytest.fixture
def foreign_marks(deployed):
    """A cordon, a foreign taint and a foreign label that come between two runs."""
    sandbox = deployed.sandbox
    sandbox.kubectl("taint", "node", NODE, "example.org/maintenance=soon:PreferNoSchedule")
    sandbox.kubectl("label", "node", NODE, "example.org/rack=r7")
    sandbox.kubectl("cordon", NODE)
    yield sandbox
    sandbox.kubectl("uncordon", NODE)
    sandbox.kubectl("taint", "node", NODE, "example.org/maintenance-", check=False)
    sandbox.kubectl("label", "node", NODE, "example.org/rack-")


def test_foreign_marks_survive_up_and_destroy_and_the_claim_stays(deployed, foreign_marks):
    sandbox = deployed.sandbox
    foreign = {tuple(FOREIGN.values()), ("node.kubernetes.io/unschedulable", "", "NoSchedule")}
    eventually(lambda: foreign <= taints(sandbox))
    deployed.up("--refresh")
    assert foreign | {("gpu", "reserved", "NoSchedule")} <= taints(sandbox)

    deployed.destroy()
    labels = sandbox.get("node", NODE)["metadata"]["labels"]
    assert foreign <= taints(sandbox)
    assert ("gpu", "reserved", "NoSchedule") not in taints(sandbox)
    assert labels["example.org/rack"] == "r7"
    assert "node-type" not in labels
    assert jobs(deployed) == []
    assert [claim["metadata"]["name"] for claim in sandbox.items("pvc", "-n", "kubeflow")] == [
        "training-data"
    ]
    assert "tfjobs.kubeflow.org" in sandbox.kubectl("get", "crd", "-o", "name")
    # The fixture's closing `up` proves that a destroyed stack comes back.


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("serviceaccounts", "training-operator"),
        ("tfjobs", "tf-mnist-cpu"),
    ],
)
def test_a_killed_pulumi_is_completed_by_the_next_run(deployed, kind, name):
    kill_up_when_there(deployed, kind, name)
    deployed.up()
    deployed.up("--expect-no-changes")
    assert jobs(deployed) == sorted(job["name"] for job in deployed.stack["jobs"])


def test_what_a_killed_pulumi_left_is_destroyed_to_the_last(deployed):
    kill_up_when_there(deployed, "tfjobs", "tf-mnist-cpu")
    deployed.destroy()
    assert jobs(deployed) == []
    assert ("gpu", "reserved", "NoSchedule") not in taints(deployed.sandbox)
    assert "offline-low" not in deployed.sandbox.kubectl("get", "priorityclasses", "-o", "name")


def jobs(deployed):
    """Names of TFJobs in the stack's namespaces; in others, an earlier test's may still be going away."""
    tenants = {tenant["name"] for tenant in deployed.stack["tenants"]}
    found = [job["metadata"] for job in deployed.sandbox.items("tfjobs", "-A")]
    return sorted(job["name"] for job in found if job["namespace"] in tenants)


def kill_up_when_there(deployed, kind, name):
    """Destroy, start an update, and kill it as soon as the cluster holds a certain object."""
    deployed.destroy()
    child = deployed.start_up()
    eventually(
        lambda: f"/{name}\n" in deployed.sandbox.kubectl("get", kind, "-A", "-o", "name", check=False),
    )
    assert child.poll() is None, "the update was over before it could be killed"
    os.killpg(child.pid, signal.SIGKILL)
    child.wait()


def test_no_job_is_there_without_its_operator_while_a_stack_is_destroyed(deployed):
    seen = []
    with ThreadPoolExecutor(1) as background:
        destroyed = background.submit(deployed.destroy)
        while not destroyed.done():
            # The operator is looked for first: a job that is seen after it was gone has outlived it.
            operator = deployed.sandbox.kubectl(
                "get", "deployment", "training-operator", "-n", "kubeflow", "-o", "name", check=False
            )
            left = bool(jobs(deployed))
            seen.append((left, "NotFound" not in operator))
        destroyed.result()
    assert (True, True) in seen
    assert (True, False) not in seen


def test_an_api_server_that_restarts_in_the_middle_of_up_is_completed_by_the_next_run(deployed):
    deployed.destroy()
    child = deployed.start_up()
    time.sleep(3)
    processes.stop("kube-apiserver")
    time.sleep(3)
    control_plane.up(tools.ensure(control_plane.NAMES, Progress()))
    child.wait(timeout=900)
    # An operator that was there has lost its server too, and is some time without an answer.
    wait = ("rollout", "status", "deployment/training-operator", "-n", "kubeflow", "--timeout=300s")
    deployed.sandbox.kubectl(*wait, check=False)
    deployed.up()
    deployed.up("--expect-no-changes")
