"""Queues: the names that the stack gives to its own are not taken by somebody else's."""

from collections.abc import Iterator, Sequence

from components.rendering.queueing import flavor_name
from infra.checks.findings import Finding
from infra.live.snapshot import FoundQueueObject, Snapshot
from infra.models import Stack
from infra.models.base import Loc


def check(stack: Stack, stack_name: str, snapshot: Snapshot) -> Iterator[Finding]:
    """The ClusterQueue of each tenant that has one, and the ResourceFlavor of the stack."""
    if stack.queueing is None:
        return
    for i, tenant in enumerate(stack.tenants):
        if stack.queued(tenant.name):
            place = ("tenants", i, "name")
            yield from _taken("ClusterQueue", tenant.name, snapshot.cluster_queues or (), place, "the tenant")
    flavor = flavor_name(stack_name)
    yield from _taken("ResourceFlavor", flavor, snapshot.resource_flavors or (), ("queueing",), "the stack")


def _taken(
    kind: str, name: str, there: Sequence[FoundQueueObject], place: Loc, named_after: str
) -> Iterator[Finding]:
    for found in there:
        if found.name == name and found.others:
            yield Finding(
                code="queue-of-others",
                place=place,
                message=f"the {kind} {name} is there already, and is managed by {' and '.join(found.others)}",
                remedy=f"have it removed there, or give {named_after} another name",
            )
