"""Names and shapes that the parts of the stack share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from infra.vocabulary import MONITORING_API_VERSION, MONITORING_RELEASE

NAMESPACE: Final = "monitoring"
RELEASE: Final = MONITORING_RELEASE
PROMETHEUS: Final = f"{RELEASE}-prometheus"
ALERTMANAGER: Final = f"{RELEASE}-alertmanager"
OPERATOR: Final = f"{RELEASE}-operator"
STATE_METRICS: Final = f"{RELEASE}-kube-state-metrics"
NODE_EXPORTER: Final = f"{RELEASE}-prometheus-node-exporter"

PRIORITY_CLASS: Final = "system-cluster-critical"
"""Training that fills the node must not push out what measures it."""
SCRAPE_INTERVAL: Final = "5s"
RETENTION: Final = "6h"
NOBODY: Final = 65534

Object = dict[str, Any]


def manifest(
    api_version: str, kind: str, name: str, /, *, labels: Mapping[str, str] | None = None, **body: Any
) -> Object:
    """An object of the stack's namespace."""
    metadata: Object = {"name": name, "namespace": NAMESPACE}
    if labels:
        metadata["labels"] = dict(labels)
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **body}


def account(name: str, rules: Sequence[Mapping[str, Any]]) -> list[Object]:
    """A ServiceAccount that may do the same in all namespaces."""
    rbac = "rbac.authorization.k8s.io"
    subject = {"kind": "ServiceAccount", "name": name, "namespace": NAMESPACE}
    role = {"apiGroup": rbac, "kind": "ClusterRole", "name": name}
    return [
        manifest("v1", "ServiceAccount", name),
        {"apiVersion": f"{rbac}/v1", "kind": "ClusterRole", "metadata": {"name": name}, "rules": list(rules)},
        {
            "apiVersion": f"{rbac}/v1",
            "kind": "ClusterRoleBinding",
            "metadata": {"name": name},
            "roleRef": role,
            "subjects": [subject],
        },
    ]


def rule(group: str, resources: Sequence[str], *verbs: str) -> Object:
    return {"apiGroups": [group], "resources": list(resources), "verbs": list(verbs)}


def service(
    name: str, selector: Mapping[str, str], labels: Mapping[str, str], ports: Mapping[str, int], **spec: Any
) -> Object:
    """A Service with TCP ports that are the same in its pods."""
    rows = [{"name": port, "port": number, "targetPort": number} for port, number in ports.items()]
    body = {"selector": dict(selector), "ports": rows, **spec}
    return manifest("v1", "Service", name, labels=labels, spec=body)


def service_monitor(
    name: str, selector: Mapping[str, str], *endpoints: Mapping[str, Any], job_label: str = "", **spec: Any
) -> Object:
    """A ServiceMonitor; without `job_label`, `job` is the name of the Service."""
    body: Object = {
        "selector": {"matchLabels": dict(selector)},
        "endpoints": [dict(e) for e in endpoints],
        **spec,
    }
    if job_label:
        body["jobLabel"] = job_label
    return manifest(MONITORING_API_VERSION, "ServiceMonitor", name, spec=body)


def resources(cpu: str, memory: str, memory_limit: str) -> Object:
    """Small requests: the node has work to do. No CPU limit: a throttled exporter is a gap in the graphs."""
    return {"requests": {"cpu": cpu, "memory": memory}, "limits": {"memory": memory_limit}}


def server(image: str, url: str, name: str) -> Object:
    """What Prometheus and Alertmanager have in common for their operator."""
    return {
        "image": image,
        "version": image.rpartition(":")[2],
        "imagePullPolicy": "Never",
        "replicas": 1,
        "portName": "http-web",
        "externalUrl": url,
        "retention": RETENTION,
        "serviceAccountName": name,
        "priorityClassName": PRIORITY_CLASS,
        "securityContext": {
            "runAsNonRoot": True,
            "runAsUser": NOBODY,
            "runAsGroup": NOBODY,
            "fsGroup": NOBODY,
        },
        "storage": {"emptyDir": {}},
    }


def unprivileged() -> Object:
    """Security context of a container that needs nothing."""
    return {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }


def http_probe(port: int, path: str) -> Object:
    return {"httpGet": {"path": path, "port": port}, "periodSeconds": 2}
