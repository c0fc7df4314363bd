"""A stack file: one environment as plain data."""

from typing import Annotated

from pydantic import Field

from infra.models.alerts import AlertsSpec
from infra.models.base import Flag, Model
from infra.models.dashboards import DashboardSpec
from infra.models.jobs import JobSpec
from infra.models.monitoring import GpuMetricsSpec, MonitoringSpec
from infra.models.names import KubernetesVersion
from infra.models.node_protection import NodeProtectionSpec
from infra.models.operators import TrainingOperatorSpec
from infra.models.pools import PoolSpec
from infra.models.priorities import PriorityKind, PrioritySpec
from infra.models.queueing import QueueingSpec
from infra.models.storage import StorageSpec
from infra.models.tenants import TenantSpec

NAMED_LISTS = ("pools", "priorities", "tenants", "storage", "jobs", "dashboards")
"""The fields of a stack that list things by name."""


class Stack(Model):
    """Everything that one environment declares."""

    extends: Annotated[str, Field(min_length=1)] | None = None
    """A stack file that stands beneath this one, relative to it: what is said here wins."""
    production: Flag = False
    """What a development stack may leave out is a fault here, such as a way back after a preemption."""
    image_registries: tuple[str, ...] = ()
    """Registries, with or without a path, that images may come from. Empty: any."""
    kubernetes_version: KubernetesVersion | None = None
    """Of the cluster, such as "1.34": what is installed must be made for it. Unset: not checked here."""
    pools: tuple[PoolSpec, ...] = ()
    """Groups of nodes and their marks."""
    priorities: tuple[PrioritySpec, ...] = ()
    """PriorityClasses, online above offline."""
    tenants: tuple[TenantSpec, ...] = ()
    """Teams and their namespaces."""
    training_operator: TrainingOperatorSpec = TrainingOperatorSpec()
    """The operator that runs jobs."""
    queueing: QueueingSpec | None = None
    """Jobs of tenants with a quota wait whole until there is room. Unset: each pod is made when it fits."""
    storage: tuple[StorageSpec, ...] = ()
    """Shared volumes."""
    jobs: tuple[JobSpec, ...] = ()
    """Training jobs; each runs once."""
    node_protection: NodeProtectionSpec | None = None
    """Offline pods get only the CPU time that nobody else on their node wants. Unset: shared by requests."""
    monitoring: MonitoringSpec | None = None
    """Metrics, alerts and dashboards. Unset: none of them."""
    alerts: AlertsSpec = AlertsSpec()
    """Which alerts there are and whom they reach; with monitoring only."""
    dashboards: tuple[DashboardSpec, ...] = ()
    """Dashboards of one's own; with monitoring only."""

    def classes(self, kind: PriorityKind) -> tuple[str, ...]:
        """Names of the PriorityClasses of a kind."""
        return tuple(spec.name for spec in self.priorities if spec.kind == kind)

    def queued(self, tenant: str) -> bool:
        """Whether the jobs of a tenant wait in a queue: a quota is what tells whether there is room."""
        return self.queueing is not None and any(t.name == tenant and t.quota for t in self.tenants)

    def gpu_metrics(self) -> GpuMetricsSpec | None:
        """Of the exporter that the stack installs; none where no pool has GPUs."""
        if self.monitoring is None or not self.monitoring.gpu_metrics.install or not self.gpu_pools():
            return None
        return self.monitoring.gpu_metrics

    def gpu_pools(self) -> tuple[PoolSpec, ...]:
        """Pools that have GPUs: they say so, or a job on them asks for some."""
        asked = {job.pool for job in self.jobs if any(role.resources.gpus for _, role in job.roles())}
        return tuple(
            pool
            for pool in self.pools
            if (pool.capacity is not None and pool.capacity.gpus) or pool.gpu_model or pool.name in asked
        )
