"""What kube-state-metrics shows beyond its defaults: labels of pods and nodes, and the state of TFJobs.

Source: docs/metrics/extend/customresourcestate-metrics.md of kube-state-metrics.
"""

from __future__ import annotations

from typing import Any, Final

from infra.vocabulary import (
    GPU_MODEL_LABEL,
    JOB_LABEL,
    JOB_NAME_LABEL,
    POOL_LABEL,
    STACK_LABEL,
    TFJOB_KIND,
    TRAINING_API_VERSION,
)

_ROLE_LABELS: Final = tuple(
    f"training.kubeflow.org/{label}" for label in ("replica-type", "replica-index", "job-role")
)


def label_allowlist() -> tuple[str, ...]:
    """Labels that become labels of metrics, by resource, as `--metric-labels-allowlist` takes them.

    `kube_pod_labels` has `label_training_kubeflow_org_job_name` and its like, `kube_node_labels` has
    `label_colocation_io_pool`.
    """
    shown = {
        "pods": (JOB_NAME_LABEL, *_ROLE_LABELS, JOB_LABEL),
        "nodes": (POOL_LABEL, STACK_LABEL, GPU_MODEL_LABEL),
    }
    return tuple(f"{resource}=[{','.join(labels)}]" for resource, labels in shown.items())


def custom_resource_state() -> dict[str, Any]:
    """Metrics of TFJobs, the content of `--custom-resource-state-config-file`.

    `kube_tfjob_status_condition{tfjob,namespace,condition,reason}` is 1 while the condition holds, else 0.
    The others have the labels `tfjob` and `namespace`, and are absent while the TFJob lacks the field;
    times are in seconds since 1970.
    """
    group, _, version = TRAINING_API_VERSION.partition("/")
    condition = {
        "name": "status_condition",
        "help": "Whether a condition of the TFJob holds.",
        "each": {
            "type": "Gauge",
            "gauge": {
                "path": ["status", "conditions"],
                "labelsFromPath": {"condition": ["type"], "reason": ["reason"]},
                "valueFrom": ["status"],
            },
        },
    }
    fields = [
        _gauge("created", "When the TFJob was created.", "metadata", "creationTimestamp"),
        _gauge("status_start_time", "When the operator took the TFJob up.", "status", "startTime"),
        _gauge("status_completion_time", "When the TFJob ended.", "status", "completionTime"),
        _gauge(
            "spec_active_deadline_seconds",
            "How long the TFJob may run.",
            *("spec", "runPolicy", "activeDeadlineSeconds"),
        ),
    ]
    tfjobs = {
        "groupVersionKind": {"group": group, "version": version, "kind": TFJOB_KIND},
        "metricNamePrefix": "kube_tfjob",
        "labelsFromPath": {"tfjob": ["metadata", "name"], "namespace": ["metadata", "namespace"]},
        "metrics": [condition, *fields],
    }
    return {"kind": "CustomResourceStateMetrics", "spec": {"resources": [tfjobs]}}


def _gauge(name: str, description: str, *path: str) -> dict[str, Any]:
    return {"name": name, "help": description, "each": {"type": "Gauge", "gauge": {"path": list(path)}}}


def custom_resource_rules() -> list[dict[str, Any]]:
    """What kube-state-metrics' role must allow for that, beyond its own rules."""
    group = TRAINING_API_VERSION.partition("/")[0]
    return [{"apiGroups": [group], "resources": ["tfjobs"], "verbs": ["list", "watch"]}]
