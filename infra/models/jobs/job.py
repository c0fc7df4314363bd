"""One training job."""

import re
from collections.abc import Iterator, Mapping
from typing import Annotated

from pydantic import AfterValidator, Field, JsonValue

from infra.models.base import Count, Fault, Flag, Model
from infra.models.jobs.containers import ContainerSpec, EnvFromSpec, PortSpec, ValueFrom
from infra.models.jobs.placement import AffinitySpec, TolerationSpec, TopologySpreadSpec
from infra.models.jobs.roles import ROLES, RoleName, RoleSpec
from infra.models.jobs.run_policy import RunPolicySpec
from infra.models.jobs.schedule import Schedule
from infra.models.jobs.security import SecuritySpec
from infra.models.jobs.volumes import VolumeSpec
from infra.models.names import (
    AbsolutePath,
    DnsLabel,
    EnvName,
    Image,
    ImagePullPolicy,
    JobName,
    LabelKey,
    LabelValue,
    ObjectName,
    PortNumber,
    SuccessPolicy,
)

_MOST_ANNOTATED_BYTES = 255 * 1024
"""The API server takes 256 KiB of annotations; pods get a few of this project's own."""


def _script(value: str) -> str:
    # Also a key of the ConfigMap that holds it.
    if not re.fullmatch(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,249}\.py", value):
        rule = "write the name of a .py file in stacks/scripts, of letters, digits, '-', '_' and '.'"
        raise ValueError(f"{value!r} is not a script; {rule}")
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
    """A file of stacks/scripts, run by the image's python3. It may import files that lie beside it; a change
    of any of them is a new run."""
    env: Mapping[EnvName, str] = Field(default_factory=dict)
    chief: RoleSpec | None = None
    """Leads the training; the job has succeeded when it has."""
    worker: RoleSpec | None = None
    """Trains. Without a chief, the job has succeeded when worker 0 has."""
    ps: RoleSpec | None = None
    """Holds the parameters."""
    evaluator: RoleSpec | None = None
    """Measures checkpoints while the others train."""
    env_value_from: Mapping[EnvName, ValueFrom] = Field(default_factory=dict)
    """Variables whose values stand elsewhere, as in a Secret."""
    env_from: tuple[EnvFromSpec, ...] = ()
    """Secrets and ConfigMaps that become variables whole."""
    volumes: tuple[VolumeSpec, ...] = ()
    """Mounted into every container of every pod."""
    checkpoint_path: AbsolutePath | None = None
    """Where the training keeps what it needs to go on after an interruption: a folder on one of the
    claims. The pods find it in the variable COLOCATION_CHECKPOINT_PATH."""
    termination_grace_period_seconds: Count = 30
    """Time between SIGTERM and SIGKILL, to write a last checkpoint."""
    ports: tuple[PortSpec, ...] = ()
    """Ports of the training container, beside the operator's own tfjob-port 2222."""
    metrics_port: PortNumber | None = None
    """Where the training serves its own metrics, under /metrics; the port is named `metrics`, and its number
    is in the variable COLOCATION_METRICS_PORT. Prometheus asks the pod that leads the job."""
    init_containers: tuple[ContainerSpec, ...] = ()
    """Run to their end, one after another, before the training starts."""
    sidecars: tuple[ContainerSpec, ...] = ()
    """Run beside the training, and end with it."""
    gpu_model: LabelValue | None = None
    """Of roles that ask for GPUs: only nodes whose label nvidia.com/gpu.product says this."""
    node_selector: Mapping[LabelKey, LabelValue] = Field(default_factory=dict)
    """Node labels that must hold, beside those of the pool."""
    tolerations: tuple[TolerationSpec, ...] = ()
    """Beside those for the taints of the pool."""
    affinity: AffinitySpec = AffinitySpec()
    topology_spread: tuple[TopologySpreadSpec, ...] = ()
    """How evenly the job's pods lie over nodes or zones."""
    service_account: ObjectName | None = None
    """Account of the pods, with its token mounted. Unset: none, and no token."""
    image_pull_secrets: tuple[ObjectName, ...] = ()
    """Secrets of the namespace that open a private registry."""
    image_pull_policy: ImagePullPolicy | None = None
    """Unset: Kubernetes pulls `latest` always, any other version where it is missing."""
    security: SecuritySpec = SecuritySpec()
    """Who the containers run as."""
    labels: Mapping[LabelKey, LabelValue] = Field(default_factory=dict)
    """Put on the job and each of its pods."""
    annotations: Mapping[LabelKey, str] = Field(default_factory=dict)
    """Put on the job and each of its pods."""
    run_policy: RunPolicySpec = RunPolicySpec()
    success_policy: SuccessPolicy | None = None
    """AllWorkers: succeeded when every worker has. Unset: when the chief, or else worker 0, has."""
    enable_dynamic_worker: Flag = False
    """Workers may come and go while the job runs: each knows of itself and the parameter servers only.
    A job of one worker and nothing else is always so, or a preemption would fail it."""
    schedule: Schedule | None = None
    """Train again and again, as a CronJob says. Unset: once."""
    pod_overrides: Mapping[str, JsonValue] = Field(default_factory=dict)
    """Raw fields of the pod's spec, merged last into the pods of every role: mappings by key, lists of
    named things by name (mounts by path), everything else replaced; null takes a field away. For what
    no field here says."""

    def roles(self) -> Iterator[tuple[RoleName, RoleSpec]]:
        """The roles that the job has, in the order of ROLES."""
        for role in ROLES:
            spec: RoleSpec | None = getattr(self, role)
            if spec is not None:
                yield role, spec

    def claims(self) -> Iterator[tuple[int, str]]:
        """The claims of the stack that the job mounts, each with the position of its volume."""
        for i, volume in enumerate(self.volumes):
            if volume.claim is not None:
                yield i, volume.claim

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
        paths = [volume.mount_path for volume in self.volumes]
        for i, path in enumerate(paths):
            if path in paths[:i]:
                yield ("volumes", i, "mount_path"), f"{path} is mounted already; use another path"
        for i, secret in enumerate(self.image_pull_secrets):
            if secret in self.image_pull_secrets[:i]:
                yield ("image_pull_secrets", i), f"{secret} is listed already; list it once"
        annotated = sum(len(text.encode()) for pair in self.annotations.items() for text in pair)
        if annotated > _MOST_ANNOTATED_BYTES:
            yield (
                ("annotations",),
                f"{annotated} bytes in all, and an object has room for {_MOST_ANNOTATED_BYTES}; "
                "put the bulk into a volume",
            )
        spreads = [(spread.topology_key, spread.when_unsatisfiable) for spread in self.topology_spread]
        for i, (key, _) in enumerate(spreads):
            if spreads[i] in spreads[:i]:
                yield ("topology_spread", i), f"{key} is spread over already; keep one of the two"
