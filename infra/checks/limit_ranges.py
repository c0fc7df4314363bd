"""What containers ask for against the bounds and defaults of their namespace's LimitRange."""

from collections.abc import Iterator
from decimal import Decimal

from infra.checks.findings import Finding, Subject
from infra.checks.pods import Container
from infra.models import LimitRangeSpec, TenantSpec
from infra.models.quantities import amount
from infra.pod_resources import shown


def check(subject: Subject) -> Iterator[Finding]:
    """Every container of every job, after defaults."""
    tenants = {tenant.name: tenant for tenant in subject.stack.tenants}
    for workload in subject.workloads:
        tenant = tenants.get(workload.job.tenant)
        found = (f for pods in workload.pods for c in pods.containers for f in _container(c, tenant))
        yield from dict.fromkeys(found)


def _container(container: Container, tenant: TenantSpec | None) -> Iterator[Finding]:
    if container.unreadable:
        return  # said already, and what is left says too little
    for resource, request in container.requests.items():
        limit = container.limits.get(resource)
        if limit is not None and request > limit and "/" not in resource:
            yield _above_limit(container, resource, request, limit)
    if tenant is not None and tenant.limit_range is not None:
        yield from _bounds(container, tenant, tenant.limit_range)


def _above_limit(container: Container, resource: str, request: Decimal, limit: Decimal) -> Finding:
    asked, allowed = shown(resource, request), shown(resource, limit)
    if resource in container.stated["limits"]:
        return Finding(
            code="request-above-limit",
            place=container.at("requests", resource),
            message=f"container {container.name} requests {asked} {resource} and its limit is {allowed}",
            remedy="raise the limit or lower the request",
        )
    return Finding(
        code="request-above-default-limit",
        place=container.at("requests", resource),
        message=f"container {container.name} requests {asked} {resource} without a limit, and the tenant's "
        f"limit_range sets the limit to {allowed}: the API server refuses the pod",
        remedy=f"write a limit of {asked} or more",
    )


def _bounds(container: Container, tenant: TenantSpec, spec: LimitRangeSpec) -> Iterator[Finding]:
    for resource, text in spec.max.as_kubernetes().items():
        limit = container.limits[resource]  # of `max` itself, where nobody states one
        if limit > amount(text):
            yield Finding(
                code="above-limit-range",
                place=container.at("limits", resource),
                message=f"container {container.name} may use {shown(resource, limit)} {resource}, and "
                f"limit_range.max of {tenant.name} is {text}",
                remedy=f"write at most {text}",
            )
    for resource, text in spec.min.as_kubernetes().items():
        request = container.requests[resource]
        if request < amount(text):
            stated = resource in container.stated["requests"]
            yield Finding(
                code="below-limit-range",
                place=container.at("requests" if stated else "limits", resource),
                message=f"container {container.name} requests {shown(resource, request)} {resource}, and "
                f"limit_range.min of {tenant.name} is {text}",
                remedy=f"write at least {text}",
            )
