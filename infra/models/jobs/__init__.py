"""Training jobs, as people describe them: one file a subject, `job.JobSpec` holds them together."""

from infra.models.jobs.containers import ContainerSpec, EnvFromSpec, PortSpec, ValueFrom
from infra.models.jobs.job import JobSpec
from infra.models.jobs.placement import (
    AffinitySpec,
    NodeAffinityTerm,
    PodAffinityTerm,
    TolerationSpec,
    TopologySpreadSpec,
)
from infra.models.jobs.roles import ROLES, RoleName, RoleSpec
from infra.models.jobs.run_policy import RunPolicySpec, SchedulingPolicySpec
from infra.models.jobs.schedule import ScheduleSpec
from infra.models.jobs.security import SecuritySpec
from infra.models.jobs.volumes import VolumeSpec

__all__ = [
    "ROLES",
    "AffinitySpec",
    "ContainerSpec",
    "EnvFromSpec",
    "JobSpec",
    "NodeAffinityTerm",
    "PodAffinityTerm",
    "PortSpec",
    "RoleName",
    "RoleSpec",
    "RunPolicySpec",
    "ScheduleSpec",
    "SchedulingPolicySpec",
    "SecuritySpec",
    "TolerationSpec",
    "TopologySpreadSpec",
    "ValueFrom",
    "VolumeSpec",
]
