"""kube-state-metrics: the state of Kubernetes' objects and of TFJobs as metrics."""

from __future__ import annotations

import yaml

from components.rendering.monitoring import state_metrics as settings
from sandbox.monitoring.objects import (
    NOBODY,
    PRIORITY_CLASS,
    RELEASE,
    STATE_METRICS,
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

_LABELS = {
    "app.kubernetes.io/name": "kube-state-metrics",
    "app.kubernetes.io/instance": RELEASE,
}
_PORT = 8080
_FOLDER = "/etc/customresourcestate"
_READ = {
    "": (
        "configmaps",
        "endpoints",
        "limitranges",
        "namespaces",
        "nodes",
        "persistentvolumeclaims",
        "persistentvolumes",
        "pods",
        "replicationcontrollers",
        "resourcequotas",
        "secrets",
        "services",
    ),
    "admissionregistration.k8s.io": ("mutatingwebhookconfigurations", "validatingwebhookconfigurations"),
    "apps": ("daemonsets", "deployments", "replicasets", "statefulsets"),
    "autoscaling": ("horizontalpodautoscalers",),
    "batch": ("cronjobs", "jobs"),
    "certificates.k8s.io": ("certificatesigningrequests",),
    "coordination.k8s.io": ("leases",),
    "discovery.k8s.io": ("endpointslices",),
    "networking.k8s.io": ("ingresses", "networkpolicies"),
    "policy": ("poddisruptionbudgets",),
    "storage.k8s.io": ("storageclasses", "volumeattachments"),
    # It looks for the definitions of what it is to show until they are there.
    "apiextensions.k8s.io": ("customresourcedefinitions",),
}


def objects(image: str) -> list[Object]:
    config = yaml.safe_dump(settings.custom_resource_state(), sort_keys=False)
    rules = [rule(group, kinds, "list", "watch") for group, kinds in _READ.items()]
    container = {
        "name": "kube-state-metrics",
        "image": image,
        "imagePullPolicy": "Never",
        "args": [
            f"--port={_PORT}",
            f"--metric-labels-allowlist={','.join(settings.label_allowlist())}",
            f"--custom-resource-state-config-file={_FOLDER}/config.yaml",
        ],
        "ports": [{"name": "http", "containerPort": _PORT}],
        "readinessProbe": http_probe(8081, "/readyz"),
        "resources": resources("10m", "48Mi", "256Mi"),
        "securityContext": unprivileged(),
        "volumeMounts": [{"name": "config", "mountPath": _FOLDER, "readOnly": True}],
    }
    pod = {
        "serviceAccountName": STATE_METRICS,
        "priorityClassName": PRIORITY_CLASS,
        "securityContext": {"runAsNonRoot": True, "runAsUser": NOBODY, "runAsGroup": NOBODY},
        "containers": [container],
        "volumes": [{"name": "config", "configMap": {"name": f"{STATE_METRICS}-customresourcestate-config"}}],
    }
    spec = {
        "replicas": 1,
        "strategy": {"type": "Recreate"},
        "selector": {"matchLabels": _LABELS},
        "template": {"metadata": {"labels": _LABELS}, "spec": pod},
    }
    return [
        *account(STATE_METRICS, [*rules, *settings.custom_resource_rules()]),
        manifest(
            "v1", "ConfigMap", f"{STATE_METRICS}-customresourcestate-config", data={"config.yaml": config}
        ),
        manifest("apps/v1", "Deployment", STATE_METRICS, labels=_LABELS, spec=spec),
        service(STATE_METRICS, _LABELS, _LABELS, {"http": _PORT}),
        service_monitor(
            STATE_METRICS,
            _LABELS,
            {"port": "http", "honorLabels": True},
            job_label="app.kubernetes.io/name",
        ),
    ]
