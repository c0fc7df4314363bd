"""Monitoring: a chart that can be had, namespaces of its own, and nothing that has no effect."""

from collections.abc import Iterator

from components.rendering.delivery.receivers import has_robots
from infra.checks.findings import Finding, Subject
from infra.checks.namespaces import free, taken
from infra.checks.references import missing
from infra.models import AlertsSpec, MonitoringSpec, Stack
from infra.models.durations import seconds
from infra.vocabulary import SYSTEM_PRIORITIES

_LONGEST_INTERVAL_SECONDS = 120
"""Two fit into the 5 minutes of rates and of Prometheus' look back, also when one comes late."""


def check(subject: Subject) -> Iterator[Finding]:
    """What the stack says of monitoring, then what it says without."""
    stack, spec = subject.stack, subject.stack.monitoring
    if spec is None:
        yield from _without(stack)
        return
    if subject.chart is not None and subject.chart.unusable:
        place = ("monitoring", "chart", "source")
        yield Finding.of("chart-unusable", place, f"{spec.chart.path} {subject.chart.unusable}")
    if spec.priority is not None:
        known = [*(priority.name for priority in stack.priorities), *SYSTEM_PRIORITIES]
        yield from missing("priority", ("monitoring", "priority"), spec.priority, known)
        if spec.priority in stack.classes("offline"):
            yield Finding(
                severity="warning",
                code="monitoring-gives-way",
                place=("monitoring", "priority"),
                message=f"with {spec.priority} the servers give way like the training that they watch",
                remedy="write an online priority, or leave it out",
            )
    interval = spec.prometheus.scrape_interval
    if seconds(interval) > _LONGEST_INTERVAL_SECONDS:
        yield Finding(
            code="scrape-interval-too-long",
            place=("monitoring", "prometheus", "scrape_interval"),
            message=f"a sample every {interval} is too seldom for the alerts, which ask for 5 minutes",
            remedy="write 2m or less",
        )
    yield from _namespace(stack, spec)


def _without(stack: Stack) -> Iterator[Finding]:
    given = (("alerts", stack.alerts != AlertsSpec()), ("dashboards", bool(stack.dashboards)))
    parts = [part for part, there in given if there]
    if parts:
        told = ", and nobody is told anything" if stack.alerts.receivers else ""
        yield Finding(
            severity="warning",
            code="without-monitoring",
            presumes="monitoring",
            place=(parts[0],),
            message=f"{' and '.join(parts)} have no effect in a stack without monitoring{told}",
            remedy="add `monitoring:`, with `install: false` where the cluster has Prometheus already; or "
            f"remove {' and '.join(parts)}",
        )


def _namespace(stack: Stack, spec: MonitoringSpec) -> Iterator[Finding]:
    """It is made by one component, which says what its pods may do."""
    # Where traffic is denied by default, nobody reaches the relay, and it reaches no robot.
    denied = {tenant.name for tenant in stack.tenants if tenant.network_policy}
    if spec.install or (spec.namespace in denied and has_robots(stack.alerts)):
        place = ("monitoring", "namespace")
        yield from free("monitoring-namespace-taken", place, spec.namespace, taken(stack))
