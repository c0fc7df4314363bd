"""The chart's own alerts that colocation makes fire by design. Those of this project replace them."""

from typing import Final

REPLACED: Final = {
    "KubeCPUOvercommit": "offline requests fill what online services leave of the cluster, and may wait",
    "KubeMemoryOvercommit": "as KubeCPUOvercommit",
    "KubeCPUQuotaOvercommit": "the quotas of tenants add up to more than the cluster has",
    "KubeMemoryQuotaOvercommit": "as KubeCPUQuotaOvercommit",
    "KubeQuotaAlmostFull": "training takes what its quota gives",
    "KubeQuotaFullyUsed": "as KubeQuotaAlmostFull",
    "KubePodNotReady": "offline pods wait for room, and what failed or was preempted stays to be looked at",
    "KubeJobNotCompleted": "the Job of a scheduled run lasts as long as its training",
    "CPUThrottlingHigh": "offline pods are held to their limits; online ones are watched by themselves",
    "NodeCPUHighUsage": "a node that offline work fills is a node well used",
}
"""By name as in `templates/prometheus/rules-1.14` of the chart: why it would fire."""


def disabled() -> dict[str, bool]:
    """`defaultRules.disabled` of the chart."""
    return dict.fromkeys(REPLACED, True)
