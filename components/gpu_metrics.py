"""Metrics of GPUs: NVIDIA's DCGM exporter on the nodes of GPU pools."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pulumi
from pulumi_kubernetes.apiextensions import CustomResource
from pulumi_kubernetes.apps.v1 import DaemonSet
from pulumi_kubernetes.core.v1 import (
    ConfigMap,
    Namespace,
    ResourceQuota,
    Service,
    ServicePortArgs,
    ServiceSpecArgs,
)
from pulumi_kubernetes.meta.v1 import ObjectMetaArgs

from components.base import Component
from components.rendering.daemon_sets import NOT_AWAITED, critical_pods_quota
from components.rendering.gpu_exporter import (
    COUNTERS_FILE,
    LABELS,
    PORT,
    counters,
    counters_config_map,
    gpu_exporter_spec,
)
from components.rendering.monitoring.gpu_metrics import DCGM_EXPORTER, gpu_monitor
from components.rendering.pod_security import pod_security_labels
from infra.models import PoolSpec
from infra.models.monitoring import GpuMetricsSpec
from infra.vocabulary import METRICS_PORT, MONITORING_API_VERSION


@dataclass(frozen=True, kw_only=True)
class GpuMetricsArgs:
    """Which nodes have GPUs, and where what makes Prometheus scrape the exporter is put."""

    spec: GpuMetricsSpec
    pools: Sequence[PoolSpec]
    """Those with GPUs; at least one."""
    monitoring_namespace: pulumi.Input[str]
    labels: Mapping[str, str] = field(default_factory=dict)
    """What Prometheus selects monitors by."""


class GpuMetrics(Component):
    """The exporter in a namespace of its own: it mounts a folder of the node, which no tenant may."""

    def __init__(self, name: str, args: GpuMetricsArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("colocation:monitoring:GpuMetrics", name, opts)
        namespace = Namespace(
            f"{name}-namespace",
            metadata=ObjectMetaArgs(name=args.spec.namespace, labels=pod_security_labels("privileged")),
            opts=self.child(),
        )
        self._namespace = namespace.metadata["name"]
        quota = self._critical_pods(name)
        text = counters(args.spec)
        counted = ConfigMap(
            f"{name}-counters",
            metadata=self._named(counters_config_map(text)),
            data={COUNTERS_FILE: text},
            immutable=True,
            opts=self.child(),
        )
        DaemonSet(
            f"{name}-exporter",
            metadata=self._named(DCGM_EXPORTER, NOT_AWAITED),
            spec=gpu_exporter_spec(args.spec, args.pools, counted.metadata["name"]),
            # Without the quota some clusters refuse its pods; no value flows from it.
            opts=self.child(depends_on=[quota]),
        )
        Service(
            f"{name}-service",
            metadata=self._named(DCGM_EXPORTER, NOT_AWAITED),
            spec=ServiceSpecArgs(
                cluster_ip="None",
                selector=LABELS,
                ports=[ServicePortArgs(name=METRICS_PORT, port=PORT, target_port=METRICS_PORT)],
            ),
            opts=self.child(),
        )
        CustomResource(
            f"{name}-monitor",
            api_version=MONITORING_API_VERSION,
            kind="ServiceMonitor",
            metadata={
                "name": DCGM_EXPORTER,
                "namespace": args.monitoring_namespace,
                "labels": dict(args.labels),
            },
            spec=gpu_monitor(args.spec.namespace),
            opts=self.child(),
        )
        self.register_outputs({})

    def _critical_pods(self, name: str) -> ResourceQuota:
        return ResourceQuota(
            f"{name}-critical",
            metadata=self._named("critical-pods"),
            spec=critical_pods_quota(),
            opts=self.child(),
        )

    def _named(self, name: str, annotations: Mapping[str, str] | None = None) -> ObjectMetaArgs:
        return ObjectMetaArgs(name=name, namespace=self._namespace, labels=LABELS, annotations=annotations)
