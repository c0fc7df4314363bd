"""What owns the jobs of a tenant in the eyes of Kubernetes, so that none outlives its stack."""

from dataclasses import dataclass

import pulumi
from pulumi_kubernetes.core.v1 import ConfigMap
from pulumi_kubernetes.meta.v1 import ObjectMetaArgs, OwnerReferenceArgs

from components.base import Component

_NAME = "colocation-jobs"


@dataclass(frozen=True, kw_only=True)
class JobOwnerArgs:
    """Where the jobs are."""

    namespace: pulumi.Input[str]


class JobOwner(Component):
    """An empty ConfigMap that every job of the namespace names as its owner.

    An update that is killed leaves jobs in the cluster that are not in the state, and a `destroy` knows
    nothing of them. It deletes their owner, though, after the jobs that it knows and before the operator, and
    Kubernetes deletes what is left with it.
    """

    reference: OwnerReferenceArgs
    """For the metadata of a job."""

    def __init__(self, name: str, args: JobOwnerArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("colocation:training:JobOwner", name, opts)
        owner = ConfigMap(
            f"{name}-owner",
            metadata=ObjectMetaArgs(name=_NAME, namespace=args.namespace),
            opts=self.child(),
        )
        self.reference = OwnerReferenceArgs(
            api_version="v1",
            kind="ConfigMap",
            name=owner.metadata["name"],
            # Known with the owner, and not before: where the namespace is still to be made, the provider
            # previews the owner without one.
            uid=owner.id.apply(lambda _: owner.metadata["uid"]),
            # The owner is gone only when they are, and the operator goes after it.
            block_owner_deletion=True,
        )
        self.register_outputs({})
