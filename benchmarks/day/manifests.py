"""The objects of a day as people write them: services, jobs, their namespaces and classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from benchmarks.day import nodes
from benchmarks.day.api import Object
from benchmarks.day.watch import SERVICE_LABEL
from benchmarks.day.workload import Amount, Job, Service
from infra.vocabulary import GPU_RESOURCE, TENSORFLOW_CONTAINER, TFJOB_KIND, TRAINING_API_VERSION
from sandbox.node import PAUSE_IMAGE

NAMESPACE: Final = "bench-day"
"""How the names of a day's namespaces begin."""
IMAGE: Final = "registry.example.org/ml/tensorflow:2.21.0"


def online(setting: str) -> str:
    return f"{NAMESPACE}-{setting}-online"


def offline(setting: str) -> str:
    return f"{NAMESPACE}-{setting}-offline"


def namespaces(setting: str) -> tuple[Object, Object]:
    return namespace(online(setting)), namespace(offline(setting))


def namespace(name: str) -> Object:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def deployment(
    setting: str,
    service: Service,
    class_name: str | None,
    selector: Mapping[str, str] | None = None,
    tolerations: Sequence[Mapping[str, str]] = (),
) -> Object:
    """A service with no replicas yet."""
    labels = {SERVICE_LABEL: service.name}
    pod = _pod("serve", PAUSE_IMAGE, service.request, class_name, selector or {}, tolerations)
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": service.name, "namespace": online(setting)},
        "spec": {
            "replicas": 0,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": pod},
        },
    }


def tfjob(
    setting: str,
    job: Job,
    class_name: str,
    selector: Mapping[str, str] | None = None,
    tolerations: Sequence[Mapping[str, str]] = (),
) -> Object:
    """A job as the article writes them."""
    pod = _pod(TENSORFLOW_CONTAINER, IMAGE, job.request, class_name, selector or {}, tolerations)
    return {
        "apiVersion": TRAINING_API_VERSION,
        "kind": TFJOB_KIND,
        "metadata": {"name": job.name, "namespace": offline(setting)},
        "spec": {
            "runPolicy": {"cleanPodPolicy": "Running"},
            "tfReplicaSpecs": {"Worker": {"replicas": job.workers, "template": {"spec": pod}}},
        },
    }


def _pod(
    container: str,
    image: str,
    request: Amount,
    class_name: str | None,
    selector: Mapping[str, str],
    tolerations: Sequence[Mapping[str, str]],
) -> Object:
    amounts = {"cpu": cores(request), "memory": memory(request)}
    if request.gpus:
        amounts[GPU_RESOURCE] = str(request.gpus)
    return {
        **({"priorityClassName": class_name} if class_name else {}),
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "nodeSelector": {nodes.LABEL: nodes.VALUE, **selector},
        "tolerations": [*map(dict, nodes.TOLERATIONS), *map(dict, tolerations)],
        "containers": [
            {"name": container, "image": image, "resources": {"requests": amounts, "limits": amounts}}
        ],
    }


def priority_class(name: str, value: int) -> Object:
    return {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": name},
        "value": value,
    }


def cores(request: Amount) -> str:
    return f"{round(request.cpu * 1000)}m"


def memory(request: Amount) -> str:
    return f"{round(request.memory * 1024)}Mi"
