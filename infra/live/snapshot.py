"""What was found in a cluster at one moment, as plain data.

A list is None where the cluster did not let it be read: `unread` says so, and nothing is concluded.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from components.node_plan import Node
from infra.checks.findings import Finding
from infra.checks.kubernetes_version import Version
from infra.cluster.objects import Unread
from infra.models import Stack


@dataclass(frozen=True, kw_only=True)
class FoundNamespace:
    name: str
    labels: Mapping[str, str]
    others: tuple[str, ...]
    """Who made or manages it other than a stack of this program; empty: one did."""


@dataclass(frozen=True, kw_only=True)
class FoundOperator:
    """What looks like a training operator."""

    kind: Literal["Deployment", "Service"] = "Deployment"
    """Service: known by the webhook that it answers."""
    namespace: str
    name: str
    ready: int
    """Pods that are ready."""
    serves_tfjobs: bool
    watches: str | None
    """The one namespace whose jobs it runs; None: all."""
    others: tuple[str, ...]
    """As of FoundNamespace."""

    def __str__(self) -> str:
        return f"{self.kind} {self.namespace}/{self.name}"


@dataclass(frozen=True, kw_only=True)
class FoundCrd:
    """The definition of TFJobs."""

    served: tuple[str, ...]
    """Versions that the API server serves."""
    stored: tuple[str, ...]
    """Versions in which jobs may lie in its store."""
    others: tuple[str, ...]
    """As of FoundNamespace."""


@dataclass(frozen=True, kw_only=True)
class FoundController:
    """A Deployment that runs a Prometheus Operator, or Kueue."""

    namespace: str
    name: str
    ready: int
    """Pods that are ready."""
    release: str | None
    """Namespace and name of the Helm release that it is of; None: of none."""

    def __str__(self) -> str:
        return f"Deployment {self.namespace}/{self.name}"


@dataclass(frozen=True, kw_only=True)
class FoundMonitoringCrd:
    """The definition of a kind that a Prometheus Operator reads."""

    name: str
    operator: tuple[int, ...] | None
    """Version of the operator that it is of; None: it does not say."""


@dataclass(frozen=True, kw_only=True)
class FoundQueueCrd:
    """The definition of a kind of Kueue's."""

    name: str
    served: tuple[str, ...]
    """Versions that the API server serves."""


@dataclass(frozen=True, kw_only=True)
class FoundQueueObject:
    """A ClusterQueue or a ResourceFlavor: the whole cluster has one of a name."""

    name: str
    others: tuple[str, ...]
    """As of FoundNamespace."""


@dataclass(frozen=True, kw_only=True)
class FoundWebhook:
    """A webhook that is asked about each TFJob, and the Service that should answer."""

    configuration: str
    name: str
    namespace: str
    service: str
    of_an_operator: bool
    """Whether it is a training operator's; queueing systems ask about TFJobs too."""
    blocks: bool
    """Whether a TFJob is refused when nobody answers."""
    ready: bool | None
    """Whether the Service has a ready endpoint; None: could not be read."""
    others: tuple[str, ...]
    """As of FoundNamespace, of the configuration."""


@dataclass(frozen=True, kw_only=True)
class FoundStorageClass:
    name: str
    provisioner: str


@dataclass(frozen=True, kw_only=True)
class FoundClaim:
    namespace: str
    name: str
    size: str
    """What is requested."""
    storage_class: str | None
    access_modes: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Snapshot:
    version: Version
    """Of the API server."""
    nodes: tuple[Node, ...] | None
    """As the API serves them, by name; only metadata, taints and allocatable."""
    namespaces: tuple[FoundNamespace, ...] | None
    operators: tuple[FoundOperator, ...] | None
    crds: tuple[FoundCrd, ...] | None
    """None or one of it."""
    prometheus_operators: tuple[FoundController, ...] | None
    monitoring_crds: tuple[FoundMonitoringCrd, ...] | None
    webhooks: tuple[FoundWebhook, ...]
    """Those that could be read."""
    storage_classes: tuple[FoundStorageClass, ...] | None
    claims: tuple[FoundClaim, ...] | None = None
    kueues: tuple[FoundController, ...] | None = None
    queue_crds: tuple[FoundQueueCrd, ...] | None = None
    cluster_queues: tuple[FoundQueueObject, ...] | None = None
    resource_flavors: tuple[FoundQueueObject, ...] | None = None
    unread: tuple[Unread, ...] = ()


LiveCheck = Callable[[Stack, Snapshot], Iterator[Finding]]
