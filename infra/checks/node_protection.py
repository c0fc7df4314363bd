"""Node protection: a namespace that nobody else makes, and somebody to be protected from."""

from collections.abc import Iterator

from infra.checks.findings import Finding, Subject
from infra.checks.namespaces import free, taken_by_anything
from infra.models import Stack
from infra.models.quantities import amount


def check(subject: Subject) -> Iterator[Finding]:
    """What the stack says under `node_protection:`."""
    stack = subject.stack
    if stack.node_protection is None:
        return
    owners = taken_by_anything(stack)
    if stack.queueing is not None:
        owners.setdefault(stack.queueing.namespace, "Kueue")
    place = ("node_protection", "namespace")
    yield from free("node-protection-namespace", place, stack.node_protection.namespace, owners)
    if not stack.classes("offline") or not stack.tenants:
        lacking = "tenants" if stack.classes("offline") else "priorities"
        yield Finding(
            code="node-protection-of-nothing",
            presumes=lacking,
            place=("node_protection",),
            message="it makes pods of offline classes in the namespaces of tenants give way, and the stack "
            f"has no {'tenant' if lacking == 'tenants' else 'class of the kind offline'}",
            remedy=f"declare one under {lacking}, or remove node_protection",
        )
    yield from _all_spared(stack, stack.node_protection.spare_cores)


def _all_spared(stack: Stack, spare_cores: int) -> Iterator[Finding]:
    for pool in stack.pools:
        cpus = pool.capacity.cpu if pool.capacity else None
        if cpus is not None and spare_cores >= amount(cpus):
            yield Finding(
                code="spare-cores-are-all",
                severity="warning",
                place=("node_protection", "spare_cores"),
                message=f"a node of the pool {pool.name} has {cpus} CPUs, so all of its training would share "
                "one core",
                remedy="spare fewer cores",
            )
