"""The preemption contract: offline training gives way to online pods, comes back, and goes on."""

from __future__ import annotations

import json
import re
import subprocess
import time
from decimal import Decimal

import pytest

from infra.models.quantities import amount
from sandbox.node import NODE_NAME, PAUSE_IMAGE
from tests.cluster.conftest import eventually

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(1800)]

NAMESPACE, POD = "kubeflow", "drill-worker-0"
HOSTNAME = "kubernetes.io/hostname"
STEPS = 600
BEGINS, STEP = re.compile(r"^begins after step=(\d+)", re.M), re.compile(r"^step=(\d+)/", re.M)


@pytest.fixture
def drill(deployed):
    """A training of about a minute on the real node, with all that the contract asks for."""
    eventually(lambda: others_are_over(deployed.sandbox), timeout_seconds=600)
    stack = deployed.stack
    stack["jobs"].append(
        {
            "name": "drill",
            "tenant": NAMESPACE,
            "priority": "offline-low",
            "image": stack["jobs"][0]["image"],
            "script": "resumable.py",
            "env": {"STEPS": str(STEPS), "STEP_SECONDS": "0.1"},
            "volumes": [{"claim": "training-data", "mount_path": "/data"}],
            "checkpoint_path": f"/data/checkpoints/drill-{time.time_ns()}",
            "termination_grace_period_seconds": 30,
            "node_selector": {HOSTNAME: NODE_NAME},
            "worker": {
                "restart_policy": "OnFailure",
                "resources": {
                    "requests": {"cpu": "500m", "memory": "512Mi"},
                    "limits": {"cpu": "1", "memory": "1Gi"},
                },
            },
        }
    )
    deployed.write(stack)
    deployed.up()
    return deployed.sandbox


def others_are_over(sandbox):
    """On the real node no job trains and nothing goes away: what they leave would be room for the drill."""
    pods = sandbox.items("pods", "-A", "--field-selector", f"spec.nodeName={NODE_NAME}")
    left = [pod for pod in pods if pod["status"]["phase"] in ("Pending", "Running")]
    return not [
        pod["metadata"]["name"]
        for pod in left
        if "deletionTimestamp" in pod["metadata"]
        or "training.kubeflow.org/job-name" in pod["metadata"].get("labels", {})
    ]


def trainings_pod(sandbox):
    found = sandbox.items("pods", "-n", NAMESPACE, "--field-selector", f"metadata.name={POD}")
    return found[0] if found else None


def log(sandbox):
    return sandbox.kubectl("logs", "-n", NAMESPACE, POD, check=False)


def drills_conditions(sandbox):
    status = sandbox.get("tfjob", "drill", "-n", NAMESPACE)["status"]
    return {c["type"] for c in status["conditions"] if c["status"] == "True"}


def free_cpu(sandbox):
    """Cores of the real node that only the training and nothing else has asked for."""
    node = sandbox.get("node", NODE_NAME)["status"]["allocatable"]["cpu"]
    asked = [
        amount(container.get("resources", {}).get("requests", {}).get("cpu", "0"))
        for pod in sandbox.items("pods", "-A", "--field-selector", f"spec.nodeName={NODE_NAME}")
        if pod["status"]["phase"] in ("Pending", "Running") and pod["metadata"]["name"] != POD
        for container in pod["spec"]["containers"]
    ]
    return amount(node) - sum(asked, Decimal(0))


def online_pod(name, cpu):
    container = {"name": "serve", "image": PAUSE_IMAGE, "resources": {"requests": {"cpu": cpu}}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name},
        "spec": {
            "priorityClassName": "online-high",
            "nodeSelector": {HOSTNAME: NODE_NAME},
            "terminationGracePeriodSeconds": 0,
            "containers": [container],
        },
    }


def all_run(sandbox, namespace):
    return all(pod["status"]["phase"] == "Running" for pod in sandbox.items("pods", "-n", namespace))


def test_a_preempted_training_comes_back_and_goes_on_where_it_was(drill, namespace):
    eventually(lambda: STEP.search(log(drill)), timeout_seconds=300)
    first = trainings_pod(drill)
    assert first["spec"]["nodeName"] == NODE_NAME
    follow = ["kubectl", "logs", "-n", NAMESPACE, "-f", POD]
    environment = drill.workspace.environment()
    with subprocess.Popen(follow, env=environment, stdout=subprocess.PIPE, text=True) as following:
        half = f"{int(free_cpu(drill) * 1000) // 2}m"
        for name in ("online-a", "online-b"):
            manifest = json.dumps(online_pod(name, half))
            drill.kubectl("create", "-n", namespace, "-f", "-", stdin=manifest)
        before, _ = following.communicate(timeout=300)
    eventually(lambda: all_run(drill, namespace))
    assert "told to stop" in before

    def waits():
        pod = trainings_pod(drill)
        return (
            pod and pod["metadata"]["uid"] != first["metadata"]["uid"] and pod["status"]["phase"] == "Pending"
        )

    eventually(waits)
    time.sleep(5)
    assert waits(), "it stays out as long as the online pods are there"
    assert "Failed" not in drills_conditions(drill)
    preempted = ("events", "-n", NAMESPACE, "--field-selector", "reason=Preempted")
    eventually(lambda: POD in [event["involvedObject"]["name"] for event in drill.items(*preempted)])

    drill.kubectl("delete", "pods", "--all", "-n", namespace)
    eventually(lambda: drills_conditions(drill) & {"Succeeded", "Failed"}, timeout_seconds=600)
    assert "Succeeded" in drills_conditions(drill)
    after = log(drill)
    [began] = BEGINS.findall(after)
    assert int(began) == int(STEP.findall(before)[-1]) > 0
    assert [int(step) for step in STEP.findall(after)][-1] == STEPS
    assert float(re.search(r"^accuracy=([0-9.]+)", after, re.M)[1]) > 0.8


def test_a_deleted_pod_fails_a_job_without_dynamic_workers(deployment, namespace):
    """Why lone workers are rendered as such; an operator that knows better makes this test fail."""
    sandbox = deployment.sandbox
    container = {
        "name": "tensorflow",
        "image": deployment.stack["jobs"][0]["image"],
        "command": ["sleep", "600"],
    }
    worker = {"restartPolicy": "OnFailure", "template": {"spec": {"containers": [container]}}}
    manifest = {
        "apiVersion": "kubeflow.org/v1",
        "kind": "TFJob",
        "metadata": {"name": "fragile", "namespace": namespace},
        "spec": {"tfReplicaSpecs": {"Worker": worker}},
    }
    sandbox.kubectl("create", "-f", "-", stdin=json.dumps(manifest))

    def conditions():
        status = sandbox.get("tfjob", "fragile", "-n", namespace).get("status", {})
        return {c["type"] for c in status.get("conditions", []) if c["status"] == "True"}

    eventually(lambda: "Running" in conditions())
    sandbox.kubectl("delete", "pod", "fragile-worker-0", "-n", namespace, "--wait=false")
    eventually(lambda: "Failed" in conditions())
