"""Alerts, as the Prometheus Operator takes them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pulumi
from pulumi_kubernetes.apiextensions import CustomResource
from pulumi_kubernetes.meta.v1 import ObjectMetaArgs

from components.base import Component
from components.rendering.alerts import Facts, own_rules_spec, rule_specs
from components.rendering.alerts.rule import RUNBOOKS
from infra.models import AlertsSpec
from infra.vocabulary import MONITORING_API_VERSION


@dataclass(frozen=True, kw_only=True)
class AlertRulesArgs:
    """What the rules depend on, and where they go."""

    facts: Facts
    spec: AlertsSpec
    namespace: pulumi.Input[str]
    """Of the monitoring stack."""
    labels: Mapping[str, str]
    """By which Prometheus selects rules: they belong on the object, not into the rules."""


class AlertRules(Component):
    """A PrometheusRule for each layer of this project's alerts, and one for those of the stack file."""

    def __init__(self, name: str, args: AlertRulesArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("colocation:monitoring:AlertRules", name, opts)
        specs: dict[str, Mapping[str, Any]] = dict(
            rule_specs(args.facts, args.spec.language, args.spec.disabled, args.spec.runbooks or RUNBOOKS)
        )
        if args.spec.rules:
            specs["own"] = own_rules_spec(args.spec.rules)
        for layer, spec in specs.items():
            CustomResource(
                f"{name}-{layer}",
                api_version=MONITORING_API_VERSION,
                kind="PrometheusRule",
                metadata=ObjectMetaArgs(
                    name=f"colocation-{layer}", namespace=args.namespace, labels=args.labels
                ),
                spec=spec,
                opts=self.child(),
            )
        self.register_outputs({})
