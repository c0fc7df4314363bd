"""Metrics of GPUs: a namespace that nobody else makes, and nodes that have GPUs."""

from collections.abc import Iterator

from infra.checks.findings import Finding, Subject
from infra.checks.names import SYSTEM_NAMESPACES
from infra.models import Stack

_PLACE = ("monitoring", "gpu_metrics")


def check(subject: Subject) -> Iterator[Finding]:
    """Where the exporter of GPU metrics runs."""
    stack = subject.stack
    if stack.monitoring is None or not stack.monitoring.gpu_metrics.install:
        return
    if not stack.gpu_pools():
        yield from _without_pool(stack)
    elif owner := _owner(stack, stack.monitoring.gpu_metrics.namespace):
        yield Finding(
            code="gpu-metrics-namespace",
            place=(*_PLACE, "namespace"),
            message=f"{stack.monitoring.gpu_metrics.namespace} is {owner}, and the exporter mounts a folder "
            "of the node, which only the Pod Security level privileged allows",
            remedy="give it a namespace of its own, such as gpu-monitoring",
        )


def _without_pool(stack: Stack) -> Iterator[Finding]:
    """Bug case G2. Nobody who did not ask for it need hear that there is none."""
    asked = any(role.resources.gpus for job in stack.jobs for _, role in job.roles())
    assert stack.monitoring is not None
    if asked or "gpu_metrics" in stack.monitoring.model_fields_set:
        yield Finding(
            severity="advice",
            code="gpu-metrics-without-pool",
            presumes="pools",
            place=_PLACE,
            message="no pool of the stack has GPUs, so no exporter of their metrics is installed",
            remedy="declare the nodes as a pool with capacity: {gpus: <number>}, or write install: false",
        )


def _owner(stack: Stack, namespace: str) -> str | None:
    """Bug case G4: whose namespace it is already."""
    assert stack.monitoring is not None
    for tenant in stack.tenants:
        if tenant.name == namespace:
            return f"a tenant's namespace, of the level {tenant.pod_security}"
    if namespace in SYSTEM_NAMESPACES:
        return "Kubernetes' own"
    if namespace == stack.monitoring.namespace:
        return "the namespace of the monitoring stack"
    if namespace == stack.training_operator.namespace:
        return "the training operator's namespace"
    return None
