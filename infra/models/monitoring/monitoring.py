"""The monitoring stack of a cluster, and what this project adds to it."""

from collections.abc import Iterator, Mapping

from pydantic import Field

from infra.models.base import Fault, Flag, Model
from infra.models.charts import ChartSpec
from infra.models.monitoring.gpu_metrics import GpuMetricsSpec
from infra.models.monitoring.servers import AlertmanagerSpec, GrafanaSpec, PrometheusSpec
from infra.models.names import DnsLabel, LabelKey, LabelValue, ObjectName, Registry

_ATTACHED = {"install", "namespace", "labels", "gpu_metrics"}


class MonitoringSpec(Model):
    """Prometheus, Alertmanager and Grafana: installed by this stack, or there already."""

    install: Flag = True
    """false: the cluster has a Prometheus Operator stack, and this stack adds its own objects to it."""
    namespace: DnsLabel = "monitoring"
    """Where the stack runs, and where monitors, rules and dashboards of this project go."""
    labels: Mapping[LabelKey, LabelValue] = Field(default_factory=dict)
    """Put on every monitor and rule, for a Prometheus that selects them by labels, as in `release: obs`."""
    gpu_metrics: GpuMetricsSpec = GpuMetricsSpec()
    chart: ChartSpec = ChartSpec()
    """kube-prometheus-stack from elsewhere, or in another version."""
    image_registry: Registry | None = None
    """Registry to pull the chart's images from instead of the public ones."""
    priority: ObjectName | None = None
    """PriorityClass of the servers: one of the stack's, or a system class."""
    managed_control_plane: Flag = False
    """true: a provider runs etcd, scheduler, controller manager and proxy, so that nobody can scrape them."""
    prometheus: PrometheusSpec = PrometheusSpec()
    alertmanager: AlertmanagerSpec = AlertmanagerSpec()
    grafana: GrafanaSpec = GrafanaSpec()

    def faults(self) -> Iterator[Fault]:
        if not self.install:
            for idle in sorted(self.model_fields_set - _ATTACHED):
                yield (idle,), "has no effect with install: false; remove it, or install: true"
