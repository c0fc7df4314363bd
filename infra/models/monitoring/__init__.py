"""What a stack file says under `monitoring:`."""

from infra.models.monitoring.gpu_metrics import GpuMetricsSpec
from infra.models.monitoring.monitoring import MonitoringSpec
from infra.models.monitoring.servers import AlertmanagerSpec, ClaimSpec, GrafanaSpec, PrometheusSpec

__all__ = [
    "AlertmanagerSpec",
    "ClaimSpec",
    "GpuMetricsSpec",
    "GrafanaSpec",
    "MonitoringSpec",
    "PrometheusSpec",
]
