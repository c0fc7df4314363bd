"""The vocabulary of stack files. Imports pydantic only."""

from infra.models.base import Model
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
from infra.models.operators import TrainingOperatorSpec
from infra.models.pools import NodeCapacity, PoolSpec, Taint
from infra.models.priorities import PrioritySpec
from infra.models.resources import Amounts, Resources
from infra.models.stack import Stack
from infra.models.storage import NfsSpec, StorageSpec
from infra.models.tenants import LimitRangeSpec, TenantSpec

__all__ = [
    "ROLES",
    "Amounts",
    "ContainerSpec",
    "JobSpec",
    "LimitRangeSpec",
    "Model",
    "NfsSpec",
    "NodeCapacity",
    "PoolSpec",
    "PrioritySpec",
    "Resources",
    "RoleName",
    "RoleSpec",
    "RunPolicySpec",
    "ScheduleSpec",
    "Stack",
    "StorageSpec",
    "Taint",
    "TenantSpec",
    "TrainingOperatorSpec",
    "VolumeSpec",
]
