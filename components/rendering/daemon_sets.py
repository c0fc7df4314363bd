"""What the DaemonSets of this project have in common, which look after nodes."""

from collections.abc import Mapping, Sequence
from typing import Final

from pulumi_kubernetes.core.v1 import (
    ResourceQuotaSpecArgs,
    ScopedResourceSelectorRequirementArgs,
    ScopeSelectorArgs,
    TolerationArgs,
)

from infra.models import JobSpec, PoolSpec
from infra.vocabulary import SYSTEM_NODE_CRITICAL

NOT_AWAITED: Final[Mapping[str, str]] = {"pulumi.com/skipAwait": "true"}
"""Annotations: a node that is down for repair must not fail an update."""
_NO_BOUND = "1G"


def critical_pods_quota() -> ResourceQuotaSpecArgs:
    """Clusters such as GKE let pods be critical outside kube-system only where a quota speaks of them."""
    critical = ScopedResourceSelectorRequirementArgs(
        scope_name="PriorityClass", operator="In", values=[SYSTEM_NODE_CRITICAL]
    )
    return ResourceQuotaSpecArgs(
        hard={"pods": _NO_BOUND}, scope_selector=ScopeSelectorArgs(match_expressions=[critical])
    )


def tolerations(pools: Sequence[PoolSpec], jobs: Sequence[JobSpec] = ()) -> list[TolerationArgs]:
    """Whatever keeps pods off the nodes of pools, and what pods of jobs tolerate beside."""
    of_pools = [
        (taint.key, "Equal", taint.value, taint.effect)
        for pool in pools
        for taint in (*pool.taints, *pool.foreign_taints)
    ]
    of_jobs = [(t.key, t.operator, t.value, t.effect) for job in jobs for t in job.tolerations]
    return [
        TolerationArgs(key=key, operator=operator, value=value, effect=effect)
        for key, operator, value, effect in dict.fromkeys((*of_pools, *of_jobs))
    ]
