"""Namespaces that are spoken for: each is made by one component, which says what its pods may do."""

from collections.abc import Iterator, Mapping

from infra.checks.findings import Finding
from infra.checks.names import SYSTEM_NAMESPACES
from infra.models import Stack
from infra.models.base import Loc


def taken(stack: Stack) -> dict[str, str]:
    """Whose a namespace is, by its name; what a stack installs beside the operator left out."""
    operator = stack.training_operator
    return {
        operator.namespace: "the training operator",
        **{tenant.name: f"the tenant {tenant.name}" for tenant in stack.tenants},
        **dict.fromkeys(SYSTEM_NAMESPACES, "Kubernetes"),
    }


def taken_by_anything(stack: Stack) -> dict[str, str]:
    """The same, with what a stack installs beside the operator, but for queues and node protection."""
    owners = taken(stack)
    if stack.monitoring is not None:
        owners.setdefault(stack.monitoring.namespace, "the monitoring stack")
    if (gpu_metrics := stack.gpu_metrics()) is not None:
        owners.setdefault(gpu_metrics.namespace, "the GPU metrics")
    return owners


def free(code: str, place: Loc, namespace: str, owners: Mapping[str, str]) -> Iterator[Finding]:
    """A finding, unless the namespace is nobody's."""
    if namespace in owners:
        yield Finding(
            code=code,
            place=place,
            message=f"the namespace {namespace} belongs to {owners[namespace]}",
            remedy="write the name of one that is made for it",
        )
