"""Istio: a sidecar never ends, so in a namespace of training it is not injected by default."""

from collections.abc import Iterator

from infra.checks.findings import Finding
from infra.live.snapshot import FoundNamespace, Snapshot
from infra.models import Stack
from infra.vocabulary import ISTIO_INJECTION, ISTIO_REVISION


def check(stack: Stack, snapshot: Snapshot) -> Iterator[Finding]:
    """The labels of each tenant's namespace."""
    found = {namespace.name: namespace for namespace in snapshot.namespaces or ()}
    for i, tenant in enumerate(stack.tenants):
        label = _injecting(found[tenant.name]) if tenant.name in found else None
        if label:
            yield Finding(
                severity="warning",
                code="istio-injection",
                place=("tenants", i, "name"),
                message=f"the namespace has {label}: Istio puts a sidecar into each pod that does not opt "
                "out, and such a pod does not end",
                remedy="take the label off the namespace; a pod that needs a sidecar can ask for it",
            )


def _injecting(namespace: FoundNamespace) -> str | None:
    """The label by which Istio injects; `istio-injection` wins over a revision."""
    injection = namespace.labels.get(ISTIO_INJECTION)
    if injection == "enabled":
        return f"{ISTIO_INJECTION}=enabled"
    revision = namespace.labels.get(ISTIO_REVISION)
    return f"{ISTIO_REVISION}={revision}" if revision and injection is None else None
