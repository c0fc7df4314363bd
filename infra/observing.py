"""Declares what watches a stack: monitoring, metrics, alerts, dashboards."""

from collections.abc import Callable, Mapping
from typing import Any

import pulumi

from components.alert_delivery import AlertDelivery, AlertDeliveryArgs
from components.alert_relay import AlertRelay, AlertRelayArgs
from components.alert_rules import AlertRules, AlertRulesArgs
from components.dashboards import Dashboards, DashboardsArgs, OwnDashboard
from components.gpu_metrics import GpuMetrics, GpuMetricsArgs
from components.monitoring import Monitoring, MonitoringArgs
from components.rendering.alerts import Facts
from components.rendering.dashboards import Shown
from components.rendering.dashboards.imported import fit, written
from components.rendering.delivery.receivers import has_robots
from components.rendering.monitoring.commands import commands
from components.training_metrics import TrainingMetrics, TrainingMetricsArgs
from infra.models import MonitoringSpec, Stack
from infra.plan import Plan
from infra.providers import cluster

Secrets = Mapping[str, pulumi.Output[str]]
"""Values by the names that the stack file has for them."""
After = Callable[..., pulumi.ResourceOptions]


def observe(ready: Plan, stack_name: str, secrets: Secrets, after: After) -> Mapping[str, Any]:
    """Declare all of it; returns what a person reads after an update.

    `after`: options of a component that waits for these.
    """
    spec = ready.stack.monitoring
    if spec is None:
        return {}
    monitoring = _monitoring(spec, after())
    _training_metrics(ready.stack, spec, after(monitoring))
    _gpu_metrics(ready.stack, spec, after(monitoring))
    _alert_rules(ready.stack, spec, after(monitoring))
    _delivery(ready, spec, stack_name, secrets, after(monitoring))
    if spec.grafana.install:
        _dashboards(ready, spec, after(monitoring))
    return _access(spec, monitoring)


def _monitoring(spec: MonitoringSpec, opts: pulumi.ResourceOptions) -> Monitoring:
    keeper = cluster("cluster-monitoring", upsert_existing_objects=True) if spec.install else None
    return Monitoring("monitoring", MonitoringArgs(spec=spec, keeper=keeper), opts)


def _training_metrics(stack: Stack, monitoring: MonitoringSpec, opts: pulumi.ResourceOptions) -> None:
    TrainingMetrics(
        "training-metrics",
        TrainingMetricsArgs(
            namespace=monitoring.namespace,
            tenants=[tenant.name for tenant in stack.tenants],
            operator_namespace=stack.training_operator.namespace,
            protection_namespace=stack.node_protection.namespace if stack.node_protection else None,
            labels=monitoring.labels,
        ),
        opts,
    )


def _gpu_metrics(stack: Stack, monitoring: MonitoringSpec, opts: pulumi.ResourceOptions) -> None:
    spec = stack.gpu_metrics()
    if spec is None:
        return
    GpuMetrics(
        "gpu-metrics",
        GpuMetricsArgs(
            spec=spec,
            pools=stack.gpu_pools(),
            monitoring_namespace=monitoring.namespace,
            labels=monitoring.labels,
        ),
        opts,
    )


def _alert_rules(stack: Stack, spec: MonitoringSpec, opts: pulumi.ResourceOptions) -> None:
    args = AlertRulesArgs(
        facts=Facts.of(stack), spec=stack.alerts, namespace=spec.namespace, labels=spec.labels
    )
    AlertRules("alert-rules", args, opts)


def _dashboards(ready: Plan, monitoring: MonitoringSpec, opts: pulumi.ResourceOptions) -> None:
    own = {
        spec.name: OwnDashboard(json=written(fit(ready.dashboards[spec.file], spec.name)), folder=spec.folder)
        for spec in ready.stack.dashboards
    }
    args = DashboardsArgs(namespace=monitoring.namespace, shown=Shown.of(ready.stack), own=own)
    Dashboards("dashboards", args, opts)


def _delivery(
    ready: Plan,
    monitoring: MonitoringSpec,
    stack_name: str,
    secrets: Secrets,
    opts: pulumi.ResourceOptions,
) -> None:
    """Who hears of alerts; a relay only where there are robots to talk to."""
    alerts, namespace, labels = ready.stack.alerts, monitoring.namespace, monitoring.labels
    AlertDelivery(
        "alert-delivery",
        AlertDeliveryArgs(
            alerts=alerts, cluster=stack_name, namespace=namespace, labels=labels, secrets=secrets
        ),
        opts,
    )
    if has_robots(alerts):
        AlertRelay(
            "alert-relay",
            AlertRelayArgs(
                alerts=alerts,
                cluster=stack_name,
                namespace=namespace,
                labels=labels,
                secrets=secrets,
                priority_class=monitoring.priority,
            ),
            opts,
        )


def _access(spec: MonitoringSpec, monitoring: Monitoring) -> Mapping[str, Any]:
    """Where it is, how it is opened, and with what."""
    password = monitoring.grafana_password
    return {
        "monitoring": {"namespace": monitoring.namespace, **commands(spec)},
        **({"grafana_password": password} if password is not None else {}),
    }
