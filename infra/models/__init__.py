"""The vocabulary of stack files. Imports pydantic only."""

from infra.models.alerts import AlertsSpec, ReceiverSpec, RouteSpec, RuleSpec
from infra.models.base import Model
from infra.models.dashboards import DashboardSpec
from infra.models.jobs import (
    ROLES,
    ContainerSpec,
    JobSpec,
    RoleName,
    RoleSpec,
    RunPolicySpec,
    ScheduleSpec,
    VolumeSpec,
)
from infra.models.monitoring import GpuMetricsSpec, MonitoringSpec
from infra.models.node_protection import NodeProtectionSpec
from infra.models.operators import TrainingOperatorSpec
from infra.models.pools import NodeCapacity, PoolSpec, Taint
from infra.models.priorities import PrioritySpec
from infra.models.queueing import QueueingSpec
from infra.models.resources import Amounts, Resources
from infra.models.stack import Stack
from infra.models.storage import NfsSpec, StorageSpec
from infra.models.tenants import LimitRangeSpec, TenantSpec

__all__ = [
    "ROLES",
    "AlertsSpec",
    "Amounts",
    "ContainerSpec",
    "DashboardSpec",
    "GpuMetricsSpec",
    "JobSpec",
    "LimitRangeSpec",
    "Model",
    "MonitoringSpec",
    "NfsSpec",
    "NodeCapacity",
    "NodeProtectionSpec",
    "PoolSpec",
    "PrioritySpec",
    "QueueingSpec",
    "ReceiverSpec",
    "Resources",
    "RoleName",
    "RoleSpec",
    "RouteSpec",
    "RuleSpec",
    "RunPolicySpec",
    "ScheduleSpec",
    "Stack",
    "StorageSpec",
    "Taint",
    "TenantSpec",
    "TrainingOperatorSpec",
    "VolumeSpec",
]
