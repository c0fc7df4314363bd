"""A team: its namespace, what it may use, and what its pods may do."""

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
from pulumi_kubernetes.core.v1 import (
    LimitRange,
    LimitRangeItemArgs,
    LimitRangeSpecArgs,
    Namespace,
    ResourceQuota,
    ResourceQuotaSpecArgs,
    ScopedResourceSelectorRequirementArgs,
    ScopeSelectorArgs,
)
from pulumi_kubernetes.meta.v1 import ObjectMetaArgs
from pulumi_kubernetes.networking.v1 import NetworkPolicy

from components.base import Component
from components.rendering.network_policies import tenant_policies
from components.rendering.pod_security import pod_security_labels
from infra.models import LimitRangeSpec, TenantSpec
from infra.vocabulary import QUEUED_LABEL


@dataclass(frozen=True, kw_only=True)
class TenantArgs:
    """A team, and what is to reach its pods from outside."""

    spec: TenantSpec
    monitoring_namespace: str | None = None
    """Of the Prometheus that scrapes its pods, if any does."""
    scraped_ports: Sequence[int] = ()
    """Ports that it scrapes beside those called metrics."""
    queued: bool = False
    """Whether its jobs wait in a queue: Kueue looks at no namespace that does not say so."""


class Tenant(Component):
    """One team's namespace. Whatever runs in it waits for its quota and defaults too."""

    namespace: pulumi.Output[str]

    def __init__(self, name: str, args: TenantArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("colocation:tenancy:Tenant", name, opts)
        spec = args.spec
        labels = pod_security_labels(spec.pod_security) | ({QUEUED_LABEL: "true"} if args.queued else {})
        namespace = Namespace(
            f"{name}-namespace",
            metadata=ObjectMetaArgs(name=spec.name, labels=labels),
            opts=self.child(),
        )
        self.namespace = namespace.metadata["name"]
        if spec.quota:
            ResourceQuota(
                f"{name}-quota",
                metadata=self._named("quota"),
                spec=quota_spec(spec),
                # The API server lets nobody change the scope of a quota that exists.
                opts=self.child(replace_on_changes=["spec.scopeSelector"], delete_before_replace=True),
            )
        if spec.limit_range is not None:
            LimitRange(
                f"{name}-limits",
                metadata=self._named("limits"),
                spec=LimitRangeSpecArgs(limits=[container_limits(spec.limit_range)]),
                opts=self.child(),
            )
        if spec.network_policy:
            policies = tenant_policies(args.monitoring_namespace, args.scraped_ports)
            for role, policy in policies.items():
                NetworkPolicy(f"{name}-{role}", metadata=self._named(role), spec=policy, opts=self.child())
        self.register_outputs({"namespace": self.namespace})

    def _named(self, name: str) -> ObjectMetaArgs:
        return ObjectMetaArgs(name=name, namespace=self.namespace)


def quota_spec(spec: TenantSpec) -> ResourceQuotaSpecArgs:
    """Render the quota, for pods of certain priorities only where the tenant says so."""
    if not spec.quota_priorities:
        return ResourceQuotaSpecArgs(hard=dict(spec.quota))
    of_priorities = ScopedResourceSelectorRequirementArgs(
        scope_name="PriorityClass", operator="In", values=list(spec.quota_priorities)
    )
    return ResourceQuotaSpecArgs(
        hard=dict(spec.quota), scope_selector=ScopeSelectorArgs(match_expressions=[of_priorities])
    )


def container_limits(spec: LimitRangeSpec) -> LimitRangeItemArgs:
    """Render defaults and bounds of each container; what is not stated is left out."""
    return LimitRangeItemArgs(
        type="Container",
        default=spec.default.as_kubernetes() or None,
        default_request=spec.default_request.as_kubernetes() or None,
        max=spec.max.as_kubernetes() or None,
        min=spec.min.as_kubernetes() or None,
    )
