"""Dashboards of one's own: there, fit to be loaded from a file, and asking for what there is."""

from collections.abc import Iterator
from difflib import get_close_matches

from components.rendering.dashboards.imported import UnfitError, fit, written
from infra.checks.dashboard_lint import flaws
from infra.checks.findings import Finding, Severity, Subject
from infra.models.base import Loc

_MOST_BYTES = 1024 * 1024 - 4096
"""The API server refuses a ConfigMap above 1 MiB; a little is left for its metadata."""
_OF_THE_CHART = {"dashboard-dropped-series", "dashboard-foreign-job"}
"""True where this stack installs the chart; a monitoring stack of somebody else's may differ."""


def check(subject: Subject) -> Iterator[Finding]:
    """The dashboards that the stack brings."""
    stack = subject.stack
    if stack.dashboards and stack.monitoring is not None and not stack.monitoring.grafana.install:
        yield Finding(
            severity="warning",
            code="dashboard-unseen",
            place=("dashboards",),
            message="have no effect without Grafana",
            remedy="remove `install: false` from monitoring.grafana, or remove the dashboards",
        )
    for i, spec in enumerate(stack.dashboards):
        place = ("dashboards", i, "file")
        if why := subject.dashboards.unusable.get(spec.file):
            yield Finding.of("dashboard-unusable", place, f"{spec.file} {why}")
        elif spec.file not in subject.dashboards.texts:
            known = [*subject.dashboards.texts, *subject.dashboards.others]
            close = get_close_matches(spec.file, known, n=1)
            yield Finding(
                code="unknown-dashboard",
                place=place,
                message=f"{spec.file} is not in the dashboards folder",
                remedy=f"write {close[0]}" if close else "put it there, next to the stack file",
            )
        else:
            yield from _contents(subject, place, spec.file, spec.name)


def _contents(subject: Subject, place: Loc, file: str, name: str) -> Iterator[Finding]:
    try:
        page = fit(subject.dashboards.texts[file], name)
    except UnfitError as error:
        yield Finding.of(error.code, place, f"{file} {error}")
        return
    size = len(written(page).encode())
    if size > _MOST_BYTES:
        yield Finding(
            code="dashboard-too-large",
            place=place,
            message=f"{file} has {size} bytes, and a ConfigMap holds {_MOST_BYTES}",
            remedy="split it into several",
        )
    monitoring = subject.stack.monitoring
    installed = monitoring is not None and monitoring.install
    own_gpus = monitoring is None or monitoring.gpu_metrics.install
    for flaw in flaws(page, installed=installed, own_gpus=own_gpus):
        severity: Severity = "warning" if flaw.code in _OF_THE_CHART and not installed else "fault"
        yield Finding(
            severity=severity,
            code=flaw.code,
            place=place,
            message=f"{file}: {flaw.message}",
            remedy=flaw.remedy,
        )
