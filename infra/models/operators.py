"""The operator that runs training jobs."""

from collections.abc import Iterator
from typing import Annotated

from pydantic import AfterValidator, Field

from infra.models.base import Fault, Flag, Model
from infra.models.names import DnsLabel, Host, Registry
from infra.models.quantities import Cpu, Memory
from infra.models.resources import Amounts, Compute


def _source(value: str) -> str:
    _, remote, rest = value.rpartition("://")
    user, named, _ = rest.partition("/")[0].rpartition("@")
    if remote and named and user != "git":  # whom SSH calls so is nobody
        raise ValueError("the address holds a user; leave it out, and let this machine's Git log in")
    return value


class OperatorRequests(Amounts):
    """What the scheduler sets aside for the operator."""

    cpu: Cpu | None = "100m"
    """Cores: 500m, 0.5 or 2."""
    memory: Memory | None = "128Mi"
    """Bytes: 512Mi or 2Gi."""


class OperatorLimits(Amounts):
    """What the operator may not exceed."""

    cpu: Cpu | None = "1"
    """Cores: 500m, 0.5 or 2."""
    memory: Memory | None = "512Mi"
    """Bytes: 512Mi or 2Gi."""


class OperatorCompute(Compute):
    """What is left out keeps its default; null states none."""

    requests: OperatorRequests = OperatorRequests()
    """What the scheduler sets aside for the operator."""
    limits: OperatorLimits = OperatorLimits()
    """What the operator may not exceed."""


class TrainingOperatorSpec(Model):
    """Where the training operator comes from and where it runs."""

    install: Flag = True
    """false: one is there already, and this stack only uses it."""
    namespace: DnsLabel = "kubeflow"
    """Where it runs. A tenant of this name owns the namespace; else one is made."""
    source: Annotated[str, AfterValidator(_source), Field(min_length=1)] | None = None
    """Kustomize overlay: a directory, or an URL with `?ref=`. Unset: the pinned upstream tag."""
    image_registry: Registry | None = None
    """Registry to pull the operator's image from instead of the public one."""
    resources: OperatorCompute = OperatorCompute()
    """Requests and limits of the operator's pod."""
    cluster_domain: Host | None = None
    """DNS domain of the cluster, where peers are not found without it."""

    def faults(self) -> Iterator[Fault]:
        if not self.install:
            for idle in sorted(self.model_fields_set - {"install", "namespace"}):
                yield (idle,), "has no effect with install: false; remove it, or install: true"
