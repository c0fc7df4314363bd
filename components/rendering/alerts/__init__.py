"""The alerts of this project, in three layers. Pure: facts of a stack go in, rules come out."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from components.rendering.alerts import gpu, job, node, pod
from components.rendering.alerts.exprs import POD_WORKLOAD, pod_workload
from components.rendering.alerts.facts import Facts, Limits
from components.rendering.alerts.rule import RUNBOOKS, Alert, Record, Text
from infra.models import RuleSpec
from infra.models.alerts.alerts import Language

EVERYTHING: Final = Facts(
    namespaces=("any",), offline_classes=("any",), online_classes=("other",), gpus=True, schedules=("any",)
)
"""A stack that has some of everything: all alerts make sense for it."""


def layers(facts: Facts) -> Mapping[str, tuple[Alert, ...]]:
    """Every alert that makes sense for a stack, by layer: node, pod and job."""
    found = {
        "node": (*node.alerts(facts), *gpu.alerts(facts)),
        "pod": tuple(pod.alerts(facts)),
        "job": tuple(job.alerts(facts)),
    }
    if hold := facts.limits.hold:
        return {
            layer: tuple(replace(alert, for_=hold) for alert in alerts) for layer, alerts in found.items()
        }
    return found


def alert_names() -> tuple[str, ...]:
    """The names of all alerts that this project knows, whatever the stack."""
    return tuple(alert.name for alerts in layers(EVERYTHING).values() for alert in alerts)


def records(facts: Facts) -> Iterator[Record]:
    """Series that the alerts ask for."""
    if facts.offline_classes or facts.online_classes:
        yield Record(name=POD_WORKLOAD, expr=pod_workload(facts.offline_classes, facts.online_classes))


def rule_specs(
    facts: Facts, language: Language = "en", disabled: tuple[str, ...] = (), runbooks: str = RUNBOOKS
) -> Mapping[str, dict[str, Any]]:
    """The `spec` of each PrometheusRule, by layer. Layers without rules are left out."""
    specs = {}
    for layer, alerts in layers(facts).items():
        rules = [alert.rule(language, runbooks) for alert in alerts if alert.name not in disabled]
        recorded = [record.rule() for record in records(facts)] if layer == "pod" else []
        if rules or recorded:
            specs[layer] = {"groups": [{"name": f"colocation.{layer}", "rules": recorded + rules}]}
    return specs


def own_rules_spec(rules: Iterable[RuleSpec]) -> dict[str, Any]:
    """The `spec` of the PrometheusRule of a stack's own rules."""
    rendered = [
        {key: value for key, value in rule.model_dump(by_alias=True).items() if value} for rule in rules
    ]
    return {"groups": [{"name": "colocation.own", "rules": rendered}]}


__all__ = [
    "EVERYTHING",
    "Alert",
    "Facts",
    "Limits",
    "Record",
    "Text",
    "alert_names",
    "layers",
    "own_rules_spec",
    "records",
    "rule_specs",
]
