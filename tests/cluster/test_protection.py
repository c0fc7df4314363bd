"""Four layers of protection, decided by the real API server and scheduler."""

from __future__ import annotations

import json

import pytest

from sandbox.node import PAUSE_IMAGE
from tests.cluster.conftest import eventually

pytestmark = pytest.mark.cluster

GPU_TOLERATIONS = [
    {"key": "gpu", "operator": "Equal", "value": "reserved", "effect": "NoSchedule"},
    {"key": "kwok.x-k8s.io/node", "operator": "Exists"},
]
RESTRICTED = {
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    "runAsNonRoot": True,
    "runAsUser": 1000,
    "seccompProfile": {"type": "RuntimeDefault"},
}


def pod(name, namespace, **spec):
    resources = spec.pop("resources", {"limits": {"cpu": "100m", "memory": "64Mi"}})
    container = {
        "name": "main",
        "image": PAUSE_IMAGE,
        "resources": resources,
        "securityContext": RESTRICTED,
    }
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": name, "namespace": namespace},
            "spec": {"containers": [container], "terminationGracePeriodSeconds": 0, **spec},
        }
    )


def gpu(count):
    return {"limits": {"cpu": "1", "memory": "1Gi", "nvidia.com/gpu": str(count)}}


def test_the_quota_refuses_the_pod_that_would_exceed_it(deployed):
    resources = {"limits": {"cpu": "201", "memory": "1Gi"}}
    refusal = deployed.sandbox.kubectl(
        "create", "-f", "-", stdin=pod("too-large", "kubeflow", resources=resources), check=False
    )
    assert "exceeded quota" in refusal
    assert "requests.cpu" in refusal


def test_a_pod_without_the_toleration_stays_off_gpu_nodes(deployed, namespace):
    sandbox = deployed.sandbox
    refused = pod("refused", namespace, nodeSelector={"node-type": "gpu"}, tolerations=GPU_TOLERATIONS[1:])
    sandbox.kubectl("create", "-f", "-", stdin=refused)
    admitted = pod("admitted", namespace, nodeSelector={"node-type": "gpu"}, tolerations=GPU_TOLERATIONS)
    sandbox.kubectl("create", "-f", "-", stdin=admitted)
    node = eventually(lambda: sandbox.get("pod", "admitted", "-n", namespace)["spec"].get("nodeName"))
    assert node.startswith("node-gpu-")
    conditions = eventually(
        lambda: sandbox.get("pod", "refused", "-n", namespace)["status"].get("conditions")
    )
    assert conditions[0]["reason"] == "Unschedulable"
    assert "untolerated taint" in conditions[0]["message"]


def test_online_work_takes_the_place_of_offline_work_and_not_the_other_way_round(deployed, namespace):
    sandbox = deployed.sandbox
    place = {"nodeSelector": {"kubernetes.io/hostname": "node-gpu-04"}, "tolerations": GPU_TOLERATIONS}
    free = 4 - _gpus_in_use(sandbox, "node-gpu-04")
    offline = pod("offline", namespace, priorityClassName="offline-low", resources=gpu(free), **place)
    sandbox.kubectl("create", "-f", "-", stdin=offline)
    eventually(lambda: sandbox.get("pod", "offline", "-n", namespace)["spec"].get("nodeName"))
    # Nobody edited this pod to have a class: it ranks as online all the same.
    sandbox.kubectl("create", "-f", "-", stdin=pod("online", namespace, resources=gpu(free), **place))
    eventually(lambda: sandbox.get("pod", "online", "-n", namespace)["spec"].get("nodeName"))
    assert "not found" in sandbox.kubectl("get", "pod", "offline", "-n", namespace, check=False)
    again = pod("again", namespace, priorityClassName="offline-low", resources=gpu(free), **place)
    sandbox.kubectl("create", "-f", "-", stdin=again)
    eventually(lambda: sandbox.get("pod", "again", "-n", namespace)["status"].get("conditions"))
    assert "nodeName" not in sandbox.get("pod", "again", "-n", namespace)["spec"]
    assert sandbox.get("pod", "online", "-n", namespace)["spec"]["nodeName"] == "node-gpu-04"


def _gpus_in_use(sandbox, node):
    pods = sandbox.items("pods", "-A", f"--field-selector=spec.nodeName={node}")
    limits = [c["resources"].get("limits", {}) for p in pods for c in p["spec"]["containers"]]
    return sum(int(limit.get("nvidia.com/gpu", 0)) for limit in limits)
