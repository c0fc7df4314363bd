"""The operator: it makes Prometheus and Alertmanager from their objects, and a Service of the kubelets."""

from __future__ import annotations

from sandbox.monitoring.objects import (
    NOBODY,
    OPERATOR,
    PRIORITY_CLASS,
    RELEASE,
    Object,
    account,
    http_probe,
    manifest,
    resources,
    rule,
    service,
    service_monitor,
    unprivileged,
)

_LABELS = {"app": OPERATOR}
_PORT = 8080


def objects(image: str, reloader_image: str) -> list[Object]:
    container = {
        "name": RELEASE,
        "image": image,
        "imagePullPolicy": "Never",
        "args": [
            f"--kubelet-service=kube-system/{RELEASE}-kubelet",
            # Nothing answers at the addresses of simulated nodes.
            "--kubelet-selector=type!=kwok",
            "--kubelet-endpoints=true",
            "--kubelet-endpointslice=false",
            "--localhost=127.0.0.1",
            f"--prometheus-config-reloader={reloader_image}",
            "--config-reloader-cpu-request=0",
            "--config-reloader-cpu-limit=0",
            "--config-reloader-memory-request=0",
            "--config-reloader-memory-limit=64Mi",
            # Whether a rule or monitor was accepted is told in its status.
            "--feature-gates=StatusForConfigurationResources=true",
        ],
        "env": [{"name": "GOGC", "value": "30"}],  # as upstream: it holds little and reads much
        "ports": [{"name": "http", "containerPort": _PORT}],
        "readinessProbe": http_probe(_PORT, "/healthz"),
        "resources": resources("10m", "64Mi", "256Mi"),
        "securityContext": unprivileged(),
    }
    pod = {
        "serviceAccountName": OPERATOR,
        "priorityClassName": PRIORITY_CLASS,
        "securityContext": {"runAsNonRoot": True, "runAsUser": NOBODY, "runAsGroup": NOBODY},
        "containers": [container],
    }
    spec = {
        "replicas": 1,
        "strategy": {"type": "Recreate"},
        "selector": {"matchLabels": _LABELS},
        "template": {"metadata": {"labels": _LABELS}, "spec": pod},
    }
    return [
        *account(OPERATOR, _rules()),
        manifest("apps/v1", "Deployment", OPERATOR, labels=_LABELS, spec=spec),
        service(OPERATOR, _LABELS, _LABELS, {"http": _PORT}),
        service_monitor(OPERATOR, _LABELS, {"port": "http", "honorLabels": True}),
    ]


def _rules() -> list[Object]:
    """As the operator's own example has them."""
    owned = [
        f"{kind}{part}"
        for kind in ("alertmanagers", "prometheuses", "prometheusagents", "thanosrulers")
        for part in ("", "/finalizers", "/status")
    ]
    read = [
        f"{kind}{part}"
        for kind in (
            "alertmanagerconfigs",
            "podmonitors",
            "probes",
            "prometheusrules",
            "scrapeconfigs",
            "servicemonitors",
        )
        for part in ("", "/status")
    ]
    return [
        rule("monitoring.coreos.com", [*owned, *read], "*"),
        rule("apps", ["statefulsets"], "*"),
        rule("", ["configmaps", "secrets"], "*"),
        rule("", ["pods"], "list", "delete"),
        rule("", ["services", "services/finalizers", "endpoints"], "get", "create", "update", "delete"),
        rule("", ["nodes"], "list", "watch"),
        rule("", ["namespaces"], "get", "list", "watch"),
        rule("events.k8s.io", ["events"], "patch", "create"),
        rule("networking.k8s.io", ["ingresses"], "get", "list", "watch"),
        rule("storage.k8s.io", ["storageclasses"], "get"),
    ]
