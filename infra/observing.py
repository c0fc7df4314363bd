"""Declares what watches a stack: monitoring, metrics, alerts, dashboards."""

from collections.abc import Callable, Mapping
from typing import Any

import pulumi

from components.monitoring import Monitoring, MonitoringArgs
from components.rendering.monitoring.commands import commands
from infra.models import MonitoringSpec
from infra.plan import Plan
from infra.providers import cluster


def observe(ready: Plan, stack_name: str, after: Callable[..., pulumi.ResourceOptions]) -> Mapping[str, Any]:
    """Declare all of it; returns what a person reads after an update.

    `after`: options of a component that waits for these.
    """
    spec = ready.stack.monitoring
    if spec is None:
        return {}
    monitoring = _monitoring(spec, after())
    return _access(spec, monitoring)


def _monitoring(spec: MonitoringSpec, opts: pulumi.ResourceOptions) -> Monitoring:
    keeper = cluster("cluster-monitoring", upsert_existing_objects=True) if spec.install else None
    return Monitoring("monitoring", MonitoringArgs(spec=spec, keeper=keeper), opts)


def _access(spec: MonitoringSpec, monitoring: Monitoring) -> Mapping[str, Any]:
    """Where it is, how it is opened, and with what."""
    password = monitoring.grafana_password
    return {
        "monitoring": {"namespace": monitoring.namespace, **commands(spec)},
        **({"grafana_password": password} if password is not None else {}),
    }
