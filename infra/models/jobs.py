"""Training jobs, as people describe them."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from infra.models.base import Count, Fault, Flag, Model, PositiveInt
from infra.models.names import AbsolutePath, DnsLabel, EnvName, Image, JobName, ObjectName
from infra.models.resources import Resources

RoleName = Literal["chief", "worker", "ps", "evaluator"]
ROLES: tuple[RoleName, ...] = ("chief", "worker", "ps", "evaluator")


class RoleSpec(Model):
    """The pods of one role."""

    replicas: PositiveInt = 1
    resources: Resources = Resources()
    """What each pod asks for and may use."""
    restart_policy: Literal["Always", "OnFailure", "Never", "ExitCode"] = "OnFailure"
    """OnFailure: a preempted pod starts again. ExitCode: only after codes from 128 up."""


class RunPolicySpec(Model):
    """How long a job may try, and what stays when it ends."""

    clean_pod_policy: Literal["Running", "All", "None"] = "Running"
    """Pods removed at the end. Running: those still running or pending; logs of others stay."""
    backoff_limit: Count | None = 3
    """Restarts after which the job has failed; null: no limit."""
    active_deadline_seconds: PositiveInt | None = None
    """Longest run; then the job has failed."""
    suspend: Flag = False
    """Declare the job without running it."""


class VolumeSpec(Model):
    """A claim of the stack's `storage`, mounted into every pod of the job."""

    claim: DnsLabel
    mount_path: AbsolutePath
    read_only: Flag = False


def _script(value: str) -> str:
    if "/" in value or not value.endswith(".py") or value.startswith("."):
        raise ValueError(f"{value!r} is not a script; write the name of a .py file in stacks/scripts")
    return value


class JobSpec(Model):
    """One training job: a TFJob in its tenant's namespace."""

    name: JobName
    tenant: DnsLabel
    """Whose namespace and quota it runs in."""
    priority: ObjectName
    """One of the stack's priorities."""
    pool: DnsLabel | None = None
    """Nodes to run on. Roles without GPUs stay off a pool whose GPUs other roles ask for."""
    image: Image
    command: tuple[str, ...] = ()
    """Replaces the image's entry point. Either this or `script`."""
    args: tuple[str, ...] = ()
    """Arguments of the command, the script or the image's entry point."""
    script: Annotated[str, AfterValidator(_script)] | None = None
    """A file of stacks/scripts, run by the image's python3. A changed script is a new run."""
    env: Mapping[EnvName, str] = Field(default_factory=dict)
    chief: RoleSpec | None = None
    """Leads the training; the job has succeeded when it has."""
    worker: RoleSpec | None = None
    """Trains. Without a chief, the job has succeeded when worker 0 has."""
    ps: RoleSpec | None = None
    """Holds the parameters."""
    evaluator: RoleSpec | None = None
    """Measures checkpoints while the others train."""
    volumes: tuple[VolumeSpec, ...] = ()
    image_pull_secrets: tuple[ObjectName, ...] = ()
    """Secrets of the namespace that open a private registry."""
    run_policy: RunPolicySpec = RunPolicySpec()

    def roles(self) -> Iterator[tuple[RoleName, RoleSpec]]:
        """The roles that the job has, in the order of ROLES."""
        for role in ROLES:
            spec: RoleSpec | None = getattr(self, role)
            if spec is not None:
                yield role, spec

    @property
    def distributed(self) -> bool:
        """Whether the operator gives the pods a TF_CONFIG."""
        return sum(spec.replicas for _, spec in self.roles()) > 1

    def faults(self) -> Iterator[Fault]:
        if self.chief is None and self.worker is None:
            yield (), "no chief and no worker, so the job would never end; give one of them"
        if self.chief is not None and self.chief.replicas > 1:
            yield ("chief", "replicas"), f"{self.chief.replicas} chiefs, and only one leads; write 1"
        if self.script is not None and self.command:
            yield (), "both script and command given; give one, or none to use the image's own"
        if "TF_CONFIG" in self.env:
            yield ("env", "TF_CONFIG"), "the operator sets TF_CONFIG, and one hides the other; remove it"
        paths = [volume.mount_path for volume in self.volumes]
        for i, path in enumerate(paths):
            if path in paths[:i]:
                yield ("volumes", i, "mount_path"), f"{path} is mounted already; use another path"
