"""Rules of one's own that Prometheus would refuse or that never fire, and names of this project's alerts."""

from collections.abc import Iterator
from difflib import get_close_matches
from typing import get_args

from components.rendering.alerts import alert_names
from components.rendering.delivery.labels import NOISE, TEST_RECEIVER
from infra.checks.findings import Finding, Subject
from infra.checks.series import dead_labels, dropped, from_exporters, misspelt
from infra.models import MonitoringSpec, RuleSpec
from infra.models.alerts.routes import Severity
from infra.models.base import Loc
from infra.promql import PromqlError, labels_used, no_rule, parse, selectors
from infra.templates import template_faults

_SHOWN_CHARACTERS = 30


def check(subject: Subject) -> Iterator[Finding]:
    """Every rule of the stack, and every alert that it turns off."""
    alerts, monitoring = subject.stack.alerts, subject.stack.monitoring
    ours = alert_names()
    for i, name in enumerate(alerts.disabled):
        if name not in ours:
            close = get_close_matches(name, ours, n=1)
            yield Finding(
                code="unknown-alert",
                place=("alerts", "disabled", i),
                message=f"no alert of this project is called {name}",
                remedy=f"write {close[0]}" if close else "remove it; docs/runbooks has a page for each alert",
            )
    for i, rule in enumerate(alerts.rules):
        place: Loc = ("alerts", "rules", i)
        if rule.alert in ours and rule.alert not in alerts.disabled:
            yield Finding(
                code="rule-name-taken",
                place=(*place, "alert"),
                message=f"{rule.alert} is an alert of this project",
                remedy="choose another name, or list it under disabled to put this one in its place",
            )
        yield from _unheard(rule, place)
        yield from _labels(rule, place, monitoring)
        yield from _templates(rule, place)
        yield from _expression(rule, (*place, "expr"), monitoring)


def _unheard(rule: RuleSpec, place: Loc) -> Iterator[Finding]:
    if rule.alert in NOISE:
        yield Finding(
            code="rule-for-nobody",
            place=(*place, "alert"),
            message=f"what is called {rule.alert} goes to nobody, like that of kube-prometheus-stack",
            remedy="choose another name",
        )
    if TEST_RECEIVER in rule.labels:
        yield Finding(
            code="rule-label-reserved",
            place=(*place, "labels", TEST_RECEIVER),
            message=f"{TEST_RECEIVER} leads an alert of `colo alert test` past all routes",
            remedy="remove it, and write a route under alerts.routes",
        )


def _labels(rule: RuleSpec, place: Loc, monitoring: MonitoringSpec | None) -> Iterator[Finding]:
    selecting = {"release", *(monitoring.labels if monitoring else ())}
    for label in rule.labels:
        if label in selecting:
            yield Finding(
                severity="warning",
                code="rule-label-in-wrong-place",
                place=(*place, "labels", label),
                message=f"{label} is put on the alert, and Prometheus selects rules by labels of the object",
                remedy="write it under monitoring.labels",
            )
    severity = rule.labels.get("severity")
    if severity is not None and severity not in get_args(Severity):
        near = get_close_matches(severity, get_args(Severity), n=1, cutoff=0.5)
        yield Finding(
            severity="warning",
            code="rule-severity-unknown",
            place=(*place, "labels", "severity"),
            message=f"no route can be for {severity or 'an empty severity'}",
            remedy=f"write {near[0] if near else 'critical, warning or info'}",
        )
    if severity is None:
        yield Finding(
            severity="advice",
            code="rule-without-severity",
            place=place,
            message="routes by severity do not see this alert",
            remedy="add labels: {severity: warning}",
        )


def _templates(rule: RuleSpec, place: Loc) -> Iterator[Finding]:
    for kind, texts in (("labels", rule.labels), ("annotations", rule.annotations)):
        for key, text in texts.items():
            for fault in template_faults(text):
                yield Finding.of("rule-template", (*place, kind, key), fault)


def _expression(rule: RuleSpec, place: Loc, monitoring: MonitoringSpec | None) -> Iterator[Finding]:
    try:
        asked, labels = selectors(rule.expr), labels_used(rule.expr)
    except PromqlError as error:
        yield Finding(
            code="rule-unreadable", place=place, message=_where(rule.expr, error), remedy="correct it"
        )
        return
    if result := no_rule(parse(rule.expr)):
        yield Finding(
            code="rule-unreadable",
            place=place,
            message=f"its result is {result}, and no rule can be made of that",
            remedy="compare one value of each series, as in max_over_time(x[5m]) > 1",
        )
        return
    installed = monitoring is not None and monitoring.install
    for series, remedy in dict.fromkeys(filter(None, (dropped(s, throttling_kept=installed) for s in asked))):
        yield Finding(
            # Whoever runs a stack that is there already may have told it to keep them.
            severity="fault" if installed else "warning",
            code="rule-series-dropped",
            place=place,
            message=f"kube-prometheus-stack drops {series}, and the alert never fires",
            remedy=remedy,
        )
    for series, near in dict.fromkeys(filter(None, map(misspelt, asked))):
        yield Finding(
            severity="warning",
            code="rule-series-misspelt",
            place=place,
            message=f"trainings do not serve {series}",
            remedy=f"write {near}",
        )
    if asked and all(from_exporters(selector.metric) for selector in asked):
        dead = dead_labels(asked, own_gpus=monitoring is None or monitoring.gpu_metrics.install)
        for label in sorted(labels & dead.keys()):
            yield Finding(
                severity="warning",
                code="rule-label-gone",
                place=place,
                message=f"no exporter of this stack sets the label {label}",
                remedy=f"write {dead[label]}",
            )


def _where(expression: str, error: PromqlError) -> str:
    if error.column is None:
        return f"Prometheus cannot read it: {error}"
    rest = expression[error.column - 1 :].split("\n")[0]
    shown = rest if len(rest) <= _SHOWN_CHARACTERS else f"{rest[:_SHOWN_CHARACTERS]}..."
    return f"Prometheus cannot read it from character {error.column} on, {shown!r}: {error}"
