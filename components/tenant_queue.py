"""The queue of a tenant: its jobs wait in it until all of one fits into what the tenant may use."""

from collections.abc import Mapping
from dataclasses import dataclass

import pulumi
from pulumi_kubernetes.apiextensions import CustomResource

from components.base import Component
from components.rendering.queueing import cluster_queue_spec
from infra.vocabulary import QUEUE_API_VERSION, TRAINING_QUEUE


@dataclass(frozen=True, kw_only=True)
class TenantQueueArgs:
    tenant: str
    namespace: pulumi.Input[str]
    flavor: pulumi.Input[str]
    quotas: Mapping[str, str]
    """What its jobs may use together, by resource."""


class TenantQueue(Component):
    """A ClusterQueue of the tenant's name, and the LocalQueue that leads to it."""

    queue_name: pulumi.Output[str]
    """For the label of a job."""

    def __init__(self, name: str, args: TenantQueueArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("colocation:queueing:TenantQueue", name, opts)
        shared = CustomResource(
            f"{name}-cluster",
            api_version=QUEUE_API_VERSION,
            kind="ClusterQueue",
            metadata={"name": args.tenant},
            spec=cluster_queue_spec(args.flavor, args.tenant, args.quotas),
            # Kueue's webhook puts its finalizer into what is sent.
            opts=self.child(ignore_changes=["metadata.finalizers"]),
        )
        local = CustomResource(
            f"{name}-local",
            api_version=QUEUE_API_VERSION,
            kind="LocalQueue",
            metadata={"name": TRAINING_QUEUE, "namespace": args.namespace},
            spec={"clusterQueue": pulumi.get(shared, "metadata")["name"]},
            opts=self.child(),
        )
        self.queue_name = pulumi.get(local, "metadata")["name"]
        self.register_outputs({"queue_name": self.queue_name})
