"""Namespaces: those that the stack makes are not somebody else's."""

from collections.abc import Iterator

from infra.checks.findings import Finding
from infra.live.snapshot import Snapshot
from infra.models import Stack
from infra.models.base import Loc


def check(stack: Stack, snapshot: Snapshot) -> Iterator[Finding]:
    """Each tenant's, the operator's where it is no tenant's, Kueue's, and those of what runs on nodes.

    Not the monitoring stack's: it may be there, and stays when the stack goes.
    """
    found = {namespace.name: namespace for namespace in snapshot.namespaces or ()}
    for name, place in _made(stack):
        namespace = found.get(name)
        if namespace and namespace.others:
            yield Finding(
                code="namespace-of-others",
                place=place,
                message=f"the namespace {name} is there already, and is managed by "
                f"{' and '.join(namespace.others)}",
                remedy="write a name that is free, or have that namespace removed there first",
            )


def _made(stack: Stack) -> Iterator[tuple[str, Loc]]:
    names = [tenant.name for tenant in stack.tenants]
    for i, name in enumerate(names):
        yield name, ("tenants", i, "name")
    operator = stack.training_operator
    if operator.install and operator.namespace not in names:
        yield operator.namespace, ("training_operator", "namespace")
    if (gpu_metrics := stack.gpu_metrics()) is not None:
        yield gpu_metrics.namespace, ("monitoring", "gpu_metrics", "namespace")
    if stack.node_protection is not None:
        yield stack.node_protection.namespace, ("node_protection", "namespace")
    if stack.queueing is not None and stack.queueing.install:
        yield stack.queueing.namespace, ("queueing", "namespace")
