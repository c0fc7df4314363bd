"""What makes Prometheus scrape the pods of training jobs, the training operator and node protection."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pulumi
from pulumi_kubernetes.apiextensions import CustomResource

from components.base import Component
from components.rendering.monitoring.training_metrics import (
    TRAINING_PODS,
    annotated_pods_scrape,
    training_operator_monitor,
    training_pods_monitor,
)
from components.rendering.node_protection import protection_monitor
from components.rendering.objects import Object
from infra.vocabulary import (
    MONITORING_API_VERSION,
    NODE_PROTECTION,
    SCRAPE_CONFIG_API_VERSION,
    TRAINING_OPERATOR,
)


@dataclass(frozen=True, kw_only=True)
class TrainingMetricsArgs:
    """Who is scraped, and where what says so is put."""

    namespace: pulumi.Input[str]
    """Of the monitoring stack."""
    tenants: Sequence[str]
    """Namespaces of training pods."""
    operator_namespace: str
    protection_namespace: str | None = None
    """Of node protection, where the stack has it."""
    labels: Mapping[str, str] = field(default_factory=dict)
    """What Prometheus selects monitors by."""


class TrainingMetrics(Component):
    """Two ways to the training pods, by port and by annotation, that lead to the same labels."""

    def __init__(
        self, name: str, args: TrainingMetricsArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("colocation:monitoring:TrainingMetrics", name, opts)
        self._args = args
        if args.tenants:  # no names would select the monitor's own namespace
            self._object(
                f"{name}-pods",
                "PodMonitor",
                TRAINING_PODS,
                training_pods_monitor(args.tenants),
            )
            self._object(
                f"{name}-annotated",
                "ScrapeConfig",
                f"annotated-{TRAINING_PODS}",
                annotated_pods_scrape(args.tenants),
                api_version=SCRAPE_CONFIG_API_VERSION,
            )
        self._object(
            f"{name}-operator",
            "ServiceMonitor",
            TRAINING_OPERATOR,
            training_operator_monitor(args.operator_namespace),
        )
        if args.protection_namespace:
            spec = protection_monitor(args.protection_namespace)
            self._object(f"{name}-node-protection", "PodMonitor", NODE_PROTECTION, spec)
        self.register_outputs({})

    def _object(
        self,
        resource: str,
        kind: str,
        called: str,
        spec: Object,
        *,
        api_version: str = MONITORING_API_VERSION,
    ) -> None:
        CustomResource(
            resource,
            api_version=api_version,
            kind=kind,
            metadata={"name": called, "namespace": self._args.namespace, "labels": dict(self._args.labels)},
            spec=spec,
            opts=self.child(),
        )
