"""A stack of 200 jobs and 1,200 pods is looked at in seconds. No machine runs the pods."""

from __future__ import annotations

import json
import time

import pytest

from infra.cluster.api_server import ApiServer
from infra.doctor import diagnose, look
from infra.plan import plan
from sandbox import simulated_nodes
from tests.cluster.conftest import eventually
from tests.cluster.ward import SLEEP, SMALL, STACK, Ward, job

pytestmark = pytest.mark.cluster

JOBS, WORKERS = 200, 6
SECONDS = 5
ELSEWHERE = "kueue.x-k8s.io/multikueue"
"""The operator leaves a job to others that says so, and the pods are the test's own."""


@pytest.fixture
def crowd(sandbox, tmp_path, monkeypatch):
    monkeypatch.setenv("KUBECONFIG", sandbox.workspace.environment()["KUBECONFIG"])
    ward = Ward(sandbox, tmp_path)
    namespace = ward.admit("crowd")
    nodes = [node.name for node in simulated_nodes.topology()]
    items = []
    for i in range(JOBS):
        data = job(f"job-{i:03}", SLEEP, worker={"replicas": WORKERS, "resources": SMALL})
        ward.stack["jobs"].append(data | {"tenant": namespace})
        manifest = ward.manifest(namespace, data)
        manifest["spec"]["runPolicy"]["managedBy"] = ELSEWHERE
        items.append(manifest)
        items += (pod(manifest, worker, nodes[i % len(nodes)]) for worker in range(WORKERS))
    ward.declare()
    for start in range(0, len(items), 350):
        listed = {"apiVersion": "v1", "kind": "List", "items": items[start : start + 350]}
        sandbox.kubectl("create", "-f", "-", stdin=json.dumps(listed))
    yield ward, namespace
    ward.close()


def pod(manifest, index, node):
    """As the operator would make it, on a node that is none."""
    template = manifest["spec"]["tfReplicaSpecs"]["Worker"]["template"]
    name = manifest["metadata"]["name"]
    labels = {
        "training.kubeflow.org/job-name": name,
        "training.kubeflow.org/replica-type": "worker",
        "training.kubeflow.org/replica-index": str(index),
    }
    metadata = {
        "name": f"{name}-worker-{index}",
        "namespace": manifest["metadata"]["namespace"],
        "labels": labels,
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": template["spec"] | {"nodeName": node},
    }


def test_two_hundred_jobs_with_twelve_hundred_pods_take_seconds(crowd):
    ward, namespace = crowd
    listed = ("get", "pods", "-n", namespace, "--field-selector=status.phase=Running", "-o", "name")
    eventually(lambda: len(ward.sandbox.kubectl(*listed).splitlines()) == JOBS * WORKERS, timeout_seconds=600)
    ready = plan(ward.file)
    since = time.process_time()  # whatever else the machine does
    case = look(ApiServer(), ready, STACK)
    diagnose(case, ready)
    spent = time.process_time() - since
    assert sum(len(case.state.pods_of(found)) for found in case.jobs) == JOBS * WORKERS
    assert spent < SECONDS
