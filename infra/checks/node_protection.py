"""Node protection: a namespace that nobody else makes, and somebody to be protected from."""

from collections.abc import Iterator

from infra.checks.findings import Finding, Subject
from infra.checks.names import SYSTEM_NAMESPACES
from infra.models import Stack
from infra.models.quantities import amount


def check(subject: Subject) -> Iterator[Finding]:
    """What the stack says under `node_protection:`."""
    stack = subject.stack
    if stack.node_protection is None:
        return
    namespace = stack.node_protection.namespace
    if owner := _owner(stack, namespace):
        yield Finding(
            code="node-protection-namespace",
            place=("node_protection", "namespace"),
            message=f"{namespace} is {owner}, and node protection writes to a folder of the node, which only "
            "the Pod Security level privileged allows",
            remedy="give it a namespace of its own, such as node-protection",
        )
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


def _owner(stack: Stack, namespace: str) -> str | None:
    """Whose namespace it is already."""
    monitoring = stack.monitoring
    taken = {
        **dict.fromkeys(SYSTEM_NAMESPACES, "Kubernetes' own"),
        stack.training_operator.namespace: "the training operator's namespace",
    }
    if monitoring is not None:
        taken[monitoring.namespace] = "the namespace of the monitoring stack"
        if monitoring.gpu_metrics.install:
            taken[monitoring.gpu_metrics.namespace] = "the namespace of the GPU metrics"
    if stack.queueing is not None:
        taken[stack.queueing.namespace] = "Kueue's namespace"
    taken |= {t.name: f"a tenant's namespace, of the level {t.pod_security}" for t in stack.tenants}
    return taken.get(namespace)
