"""What the queue of a tenant holds: its quota, less what runs in its namespace beside training."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from decimal import Decimal

from infra.checks.pods import Pods, Workload
from infra.checks.sending import operator_pods, starting_pods
from infra.models import Stack, TenantSpec
from infra.models.quantities import amount, canonical
from infra.pod_resources import Quantities

_UNBOUNDED = "1P"
"""Kueue starts no job that asks for what its queue does not name: what has no quota is named too."""
_ALWAYS = ("cpu", "memory")
_PODS = ("pods", "count/pods")
_OF_PODS = ("cpu", "memory", "ephemeral-storage")


def queued_resource(key: str) -> str | None:
    """The resource that Kueue counts where a ResourceQuota counts `key`; None: Kueue does not count it."""
    if key in _PODS:
        return "pods"
    kind, _, resource = key.partition(".")
    if kind == "requests" and resource != "storage":
        return resource
    return key if key in _OF_PODS or key.startswith("hugepages-") else None


def queue_room(stack: Stack, tenant: TenantSpec) -> Quantities:
    """What a quota leaves to training, by the resources that Kueue counts."""
    fixed = beside(stack, tenant)
    room: dict[str, Decimal] = {}
    for key, text in tenant.quota.items():
        resource = queued_resource(key)
        if resource is not None:
            taken = sum((pods.uses(key) for pods in fixed), Decimal(0))
            left = max(amount(text) - taken, Decimal(0))
            room[resource] = min(left, room.get(resource, left))
    return room


def queue_quotas(stack: Stack, tenant: TenantSpec, workloads: Iterable[Workload]) -> Mapping[str, str]:
    """The nominal quotas of a tenant's queue, by resource, for these jobs of the stack.

    In the spelling of Kubernetes: Kueue's webhook rewrites any other, and each refresh would find a change.
    """
    room = queue_room(stack, tenant)
    theirs = (workload for workload in workloads if workload.job.tenant == tenant.name)
    asked = {resource for workload in theirs for resource in needs(workload)} - {"pods"}
    named = sorted({*_ALWAYS, *room, *asked})
    return {name: _amount(name, room[name]) if name in room else _UNBOUNDED for name in named}


def _amount(resource: str, value: Decimal) -> str:
    return canonical(value, binary=resource not in ("cpu", "pods") and "/" not in resource)


def needs(workload: Workload) -> Quantities:
    """What all pods of a job ask for together, as Kueue counts it."""
    total: dict[str, Decimal] = defaultdict(Decimal)
    for pods in workload.pods:
        for resource, value in {**pods.requests, "pods": Decimal(1)}.items():
            total[resource] += pods.replicas * value
    return total


def beside(stack: Stack, tenant: TenantSpec) -> tuple[Pods, ...]:
    """What the quota counts beside training: the operator's pod, and those that start runs."""
    operator = stack.training_operator
    here = operator.install and operator.namespace == tenant.name
    found = [*([operator_pods(stack)] if here else []), *starting_pods(stack, tenant.name)]
    return counted_pods(tenant, found)


def counted_pods(tenant: TenantSpec, groups: Iterable[Pods]) -> tuple[Pods, ...]:
    """Those of the priorities that the quota is for."""
    chosen = tenant.quota_priorities
    return tuple(pods for pods in groups if not chosen or pods.priority in chosen)
