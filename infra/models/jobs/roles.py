"""The roles of a distributed job."""

from collections.abc import Mapping
from typing import Literal

from pydantic import Field, JsonValue

from infra.models.base import Model, PositiveInt
from infra.models.names import EnvName, Image
from infra.models.resources import Resources

RoleName = Literal["chief", "worker", "ps", "evaluator"]
ROLES: tuple[RoleName, ...] = ("chief", "worker", "ps", "evaluator")


class RoleSpec(Model):
    """The pods of one role."""

    replicas: PositiveInt = 1
    resources: Resources = Resources()
    """What each pod asks for and may use."""
    restart_policy: Literal["Always", "OnFailure", "Never", "ExitCode"] = "OnFailure"
    """OnFailure: a pod that has failed starts again. ExitCode: only after codes from 128 up. What a preempted
    job needs beside it: docs/tasks/survive-a-preemption.md."""
    image: Image | None = None
    """Instead of the job's."""
    command: tuple[str, ...] = ()
    """Instead of the job's command or script; the job's args then do not apply."""
    args: tuple[str, ...] = ()
    """Instead of the job's."""
    env: Mapping[EnvName, str] = Field(default_factory=dict)
    """Beside the job's; the role's value wins."""
    pod_overrides: Mapping[str, JsonValue] = Field(default_factory=dict)
    """Raw fields of the pods of this role, merged after the job's `pod_overrides`."""
