"""The cluster's version: within what the installed programs are made for."""

from collections.abc import Iterator
from dataclasses import dataclass

from infra.charts import LocalChart
from infra.checks.findings import Finding, Severity, Subject
from infra.models import Stack
from infra.models.base import Loc
from infra.versions import (
    KUEUE,
    KUEUE_KUBERNETES,
    MONITORING_CHART,
    MONITORING_CHART_KUBERNETES,
    TRAINING_OPERATOR,
    TRAINING_OPERATOR_KUBERNETES,
    dotted,
)
from infra.vocabulary import MONITORING_RELEASE

Version = tuple[int, int]
"""Major and minor."""


@dataclass(frozen=True, kw_only=True)
class Installed:
    """What this stack installs, and the versions of Kubernetes that it is made for."""

    name: str
    place: Loc
    lowest: Version
    highest: Version

    def finding(self, version: Version, *, code: str, severity: Severity, place: Loc) -> Iterator[Finding]:
        """A finding if the version is outside."""
        if self.lowest <= version <= self.highest:
            return
        yield Finding(
            severity=severity,
            code=code,
            place=place,
            message=f"the cluster runs Kubernetes {dotted(version)}, and {self.name} is made for "
            f"{dotted(self.lowest)} to {dotted(self.highest)}",
            remedy="upgrade the cluster"
            if version < self.lowest
            else "try the stack on a test cluster of that version first",
        )


def check(subject: Subject) -> Iterator[Finding]:
    """The version that the file states."""
    stack = subject.stack
    if stack.kubernetes_version is None:
        return
    major, minor, *_ = map(int, stack.kubernetes_version.split("."))
    for part in installed(stack, _version(subject.chart), _version(subject.queueing_chart)):
        yield from part.finding(
            (major, minor),
            code="kubernetes-version-unsupported",
            severity="fault",
            place=("kubernetes_version",),
        )


def installed(
    stack: Stack, local_chart: str | None = None, queueing_chart: str | None = None
) -> Iterator[Installed]:
    """Of whatever is not installed in the version that is pinned here, nothing is known.

    `local_chart`, `queueing_chart`: the versions of charts that lie beside the stack, where they are known.
    """
    if stack.training_operator.install:
        lowest, highest = TRAINING_OPERATOR_KUBERNETES
        yield Installed(
            name=f"training-operator {TRAINING_OPERATOR}",
            place=("training_operator",),
            lowest=lowest,
            highest=highest,
        )
    if stack.monitoring is not None and stack.monitoring.install:
        chart = stack.monitoring.chart
        version = local_chart if chart.path else chart.version or MONITORING_CHART
        if version == MONITORING_CHART:
            lowest, highest = MONITORING_CHART_KUBERNETES
            yield Installed(
                name=f"{MONITORING_RELEASE} {MONITORING_CHART}",
                place=("monitoring",),
                lowest=lowest,
                highest=highest,
            )

    if stack.queueing is not None and stack.queueing.install:
        chart = stack.queueing.chart
        if (queueing_chart if chart.path else chart.version or KUEUE) == KUEUE:
            lowest, highest = KUEUE_KUBERNETES
            yield Installed(name=f"kueue {KUEUE}", place=("queueing",), lowest=lowest, highest=highest)


def _version(chart: LocalChart | None) -> str | None:
    return chart.version if chart else None
