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
    namespaces,
    nodes,
    operators,
    reader,
    storage,
    webhooks,
)
from infra.live.snapshot import LiveCheck, Snapshot
from infra.models import Stack

CHECKS: tuple[LiveCheck, ...] = (
    access.check,
    kubernetes_version.check,
    nodes.check,
    gpus.check,
    namespaces.check,
    istio.check,
    operators.check,
    webhooks.check,
    storage.check,
)


def compare(stack: Stack, snapshot: Snapshot) -> tuple[Finding, ...]:
    """Everything that every check finds."""
    return tuple(finding for check in CHECKS for finding in check(stack, snapshot))


def examine(stack: Stack) -> tuple[Finding, ...]:
    """Read the cluster and compare; one finding alone if there is no way to it."""
    try:
        snapshot = reader.read()
    except NoClusterError as fault:
        return (Finding.of("cluster-unreachable", (), str(fault)),)
    return compare(stack, snapshot)


__all__ = ["CHECKS", "LiveCheck", "Snapshot", "compare", "examine"]
