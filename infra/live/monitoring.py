"""Monitoring: installed by whom the stack says, and able to read what the stack sends."""

from collections.abc import Iterator

from infra.checks.findings import Finding
from infra.live.controllers import unserved
from infra.live.snapshot import FoundController, FoundMonitoringCrd, Snapshot
from infra.models import MonitoringSpec, Stack
from infra.versions import PROMETHEUS_OPERATOR, dotted
from infra.vocabulary import MONITORING_CRDS, MONITORING_RELEASE

_INSTALL = ("monitoring", "install")


def check(stack: Stack, snapshot: Snapshot) -> Iterator[Finding]:
    """The operators that run, then the definitions of what they read."""
    spec = stack.monitoring
    if spec is None:
        return
    if spec.install:
        yield from _installed(spec, snapshot)
    else:
        yield from _attached(spec, snapshot)


def _installed(spec: MonitoringSpec, snapshot: Snapshot) -> Iterator[Finding]:
    """`install: true`: no operator but that of the stack's own release."""
    own = f"{spec.namespace}/{MONITORING_RELEASE}"
    for operator in snapshot.prometheus_operators or ():
        if operator.release != own:
            yield Finding(
                code="monitoring-of-others",
                place=_INSTALL,
                message=f"a Prometheus Operator is there already, {_described(operator)}, and two would both "
                "act on the same objects",
                remedy=f"write install: false and namespace: {operator.namespace}, or have that one removed",
            )
    old = [
        crd for crd in snapshot.monitoring_crds or () if crd.operator and crd.operator < PROMETHEUS_OPERATOR
    ]
    if old and spec.chart.version is None:
        yield Finding(
            severity="warning",
            code="monitoring-crd-old",
            place=("monitoring",),
            message=f"the cluster has {_names(old)} of the operator {_oldest(old)}, the chart brings "
            f"{dotted(PROMETHEUS_OPERATOR)}, and Helm does not upgrade them",
            remedy="apply those of the chart, as docs/tasks/monitoring.md shows",
        )


def _attached(spec: MonitoringSpec, snapshot: Snapshot) -> Iterator[Finding]:
    """`install: false`: an operator runs, and knows every kind that the stack sends."""
    operators = snapshot.prometheus_operators
    if operators is not None:
        message = "no Prometheus Operator runs in the cluster, and nobody reads monitors"
        yield from unserved(operators, code="monitoring-absent", place=_INSTALL, message=message)
    if snapshot.monitoring_crds is not None:
        there = {crd.name for crd in snapshot.monitoring_crds}
        absent = [name for name in MONITORING_CRDS if name not in there]
        if absent:
            yield Finding(
                code="monitoring-crd-absent",
                place=_INSTALL,
                message=f"the cluster has no CRD {', '.join(absent)}",
                remedy="have an operator of v0.65 or newer installed with its CRDs, or write install: true",
            )
    found = snapshot.namespaces
    if found is not None and spec.namespace not in {namespace.name for namespace in found}:
        yield Finding(
            code="monitoring-namespace-absent",
            place=("monitoring", "namespace"),
            message=f"the cluster has no namespace {spec.namespace} for monitors, rules and dashboards",
            remedy="write the one that Prometheus runs in"
            + (f", such as {operators[0].namespace}" if operators else ""),
        )


def _described(operator: FoundController) -> str:
    return f"{operator} of the Helm release {operator.release}" if operator.release else str(operator)


def _names(crds: list[FoundMonitoringCrd]) -> str:
    return ", ".join(crd.name for crd in crds)


def _oldest(crds: list[FoundMonitoringCrd]) -> str:
    return dotted(min(crd.operator for crd in crds if crd.operator))
