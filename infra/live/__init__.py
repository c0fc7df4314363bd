"""What only the cluster knows about a stack. The cluster is read, never written.

`reader` takes one snapshot; the checks compare it with the stack, and need no cluster for that.
"""

from components.cluster_access import NoClusterError
from infra.checks.findings import Finding
from infra.live import (
    access,
    gpus,
    istio,
    kubernetes_version,
    monitoring,
    namespaces,
    nodes,
    operators,
    queueing,
    queues,
    reader,
    storage,
    webhooks,
)
from infra.live.snapshot import LiveCheck, Snapshot
from infra.models import Stack

CHECKS: tuple[LiveCheck, ...] = (
    access.check,
    kubernetes_version.check,
    gpus.check,
    namespaces.check,
    istio.check,
    operators.check,
    webhooks.check,
    monitoring.check,
    queueing.check,
    storage.check,
)


def compare(stack: Stack, name: str, snapshot: Snapshot) -> tuple[Finding, ...]:
    """Everything that every check finds. `name` is the stack's: nodes and queues bear it."""
    findings = (finding for check in CHECKS for finding in check(stack, snapshot))
    return (*findings, *nodes.check(stack, name, snapshot), *queues.check(stack, name, snapshot))


def examine(stack: Stack, name: str) -> tuple[Finding, ...]:
    """Read the cluster and compare; one finding alone if there is no way to it."""
    try:
        snapshot = reader.read(queues=stack.queueing is not None)
    except NoClusterError as fault:
        return (Finding.of("cluster-unreachable", (), str(fault)),)
    return compare(stack, name, snapshot)


__all__ = ["CHECKS", "LiveCheck", "Snapshot", "compare", "examine"]
