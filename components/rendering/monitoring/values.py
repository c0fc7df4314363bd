"""The values of the chart kube-prometheus-stack. What is not named here stays as the chart has it."""

from typing import Any

from components.rendering.monitoring import default_alerts, exporters, servers
from infra.models import MonitoringSpec


def chart_values(spec: MonitoringSpec) -> dict[str, Any]:
    """All values, in the chart's spelling."""
    shared = _priority(spec)
    return {
        **({"global": {"imageRegistry": spec.image_registry}} if spec.image_registry else {}),
        "prometheusOperator": shared | operator_values(spec),
        "prometheus": {"prometheusSpec": shared | servers.prometheus_spec(spec.prometheus)},
        "alertmanager": {"alertmanagerSpec": shared | servers.alertmanager_spec(spec.alertmanager)},
        "grafana": shared | servers.grafana_values(spec.grafana)
        if spec.grafana.install
        else {"enabled": False},
        "kubelet": exporters.kubelet_values(spec.namespace),
        "kube-state-metrics": shared | exporters.state_metrics_values(),
        "prometheus-node-exporter": shared | exporters.node_exporter_values(),
        "defaultRules": {
            "disabled": default_alerts.disabled(),
            "rules": exporters.without_control_plane_rules() if spec.managed_control_plane else {},
        },
        **(exporters.without_control_plane() if spec.managed_control_plane else {}),
    }


def operator_values(spec: MonitoringSpec) -> dict[str, Any]:
    """A webhook that refuses bad rules, and the Service of the kubelets.

    The operator makes that Service and nobody removes it: in the stack's own namespace it goes with it.
    """
    return {
        "admissionWebhooks": {"enabled": True, "failurePolicy": "Ignore"},
        "kubeletService": {"enabled": True, "namespace": spec.namespace},
    }


def _priority(spec: MonitoringSpec) -> dict[str, Any]:
    return {"priorityClassName": spec.priority} if spec.priority else {}
