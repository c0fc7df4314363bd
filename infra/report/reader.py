"""Asks a Prometheus all that a report needs."""

from math import isfinite

from infra.cluster.api_server import RefusedError
from infra.cluster.prometheus import Prometheus
from infra.cluster.watching import Sample
from infra.models import Stack
from infra.models.durations import seconds
from infra.report import questions, remedies
from infra.report.questions import Asked
from infra.report.window import Window
from infra.report.work_out import Answers

_SCRAPES = 4  # that a rate needs, one of which may fail; as Grafana does
_MOST_LOOKS = 5000  # at jobs; Prometheus keeps the series of a question in memory
_FIRST = "cpu there"


def read(prometheus: Prometheus, stack: Stack, window: Window) -> Answers:
    """The answers, those that were refused with the reason.

    Raises:
        NothingError: not even the first question is answered.
    """
    asked = _asked(stack, window)
    courses: dict[str, dict[int, float]] = {}
    moments: dict[str, tuple[Sample, ...]] = {}
    refused: dict[str, str] = {}
    since = window.moments[0]
    for name, expression in questions.courses(asked):
        try:
            found = prometheus.course(expression, since, window.end, window.step_seconds)
            values = found[0].values if found else {}
            courses[name] = {moment: value for moment, value in values.items() if isfinite(value)}
        except RefusedError as fault:
            if name == _FIRST:  # the others would not be answered either, each after its time
                raise remedies.NothingError(window, str(fault)) from None
            refused[name] = str(fault)
    for name, expression in questions.moments(asked):
        try:
            moments[name] = prometheus.at(expression, window.end)
        except RefusedError as fault:
            refused[name] = str(fault)
    return Answers(courses=courses, moments=moments, refused=refused)


def _asked(stack: Stack, window: Window) -> Asked:
    scrape_seconds = seconds(stack.monitoring.prometheus.scrape_interval) if stack.monitoring else 30
    return Asked(
        offline_classes=stack.classes("offline"),
        tenants=tuple(tenant.name for tenant in stack.tenants),
        rate_seconds=max(window.step_seconds, _SCRAPES * scrape_seconds),
        window_seconds=window.seconds,
        look_seconds=max(scrape_seconds, -(-window.seconds // _MOST_LOOKS)),
    )
