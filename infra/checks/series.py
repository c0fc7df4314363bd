"""Series and labels that rules and dashboards from elsewhere ask for, and that no cluster of today has."""

import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Final

from infra.promql import Selector

DEAD_LABELS: Final = {
    "pod_name": "pod",
    "container_name": "container",
    "io_kubernetes_pod_name": "pod",
    "io_kubernetes_container_name": "container",
    "kubernetes_pod_name": "pod",
    "kubernetes_namespace": "namespace",
    "kubernetes_io_hostname": "node",
    "kubernetes_node": "node",
    "rkt_container_name": "container",
    "exported_pod": "pod",
    "exported_namespace": "namespace",
    "exported_container": "container",
}
"""Labels that no exporter of this stack sets, and what is there instead."""
_OF_GPUS = "DCGM_FI_"
_EXPORTERS = re.compile(r"(DCGM_FI|container|kube|kubelet|machine|node)_")
_DROPPED = re.compile(
    r"container_(cpu_(load_average_10s|system_seconds_total|user_seconds_total)"
    r"|fs_(io_current|io_time_seconds_total|io_time_weighted_seconds_total|reads_merged_total"
    r"|sector_reads_total|sector_writes_total|writes_merged_total)"
    r"|memory_(mapped_file|swap)|file_descriptors|tasks_state|threads_max|spec_.+)"
)
_THROTTLED = "container_cpu_cfs_throttled_seconds_total"
_INSTEAD = {
    _THROTTLED: "container_cpu_cfs_throttled_periods_total",
    "container_cpu_system_seconds_total": "container_cpu_usage_seconds_total",
    "container_cpu_user_seconds_total": "container_cpu_usage_seconds_total",
    "container_spec_memory_limit_bytes": 'kube_pod_container_resource_limits{resource="memory"}',
    "container_spec_cpu_quota": 'kube_pod_container_resource_limits{resource="cpu"}',
}


TRAINING: Final = (
    "training_loss",
    "training_accuracy",
    "training_epoch",
    "training_step",
    "training_examples_per_second",
    "training_last_progress_timestamp_seconds",
    "training_checkpoint_timestamp_seconds",
)
"""What a training serves that imports examples/training_metrics.py; others may be called otherwise."""


def misspelt(selector: Selector) -> tuple[str, str] | None:
    """A metric that is nearly one of a training's, and that one."""
    metric = selector.metric or ""
    if metric in TRAINING or not metric.startswith("training_"):
        return None
    near = get_close_matches(metric, TRAINING, n=1, cutoff=0.85)
    return (metric, near[0]) if near else None


def dead_labels(found: Iterable[Selector], *, own_gpus: bool) -> Mapping[str, str]:
    """DEAD_LABELS, but for what an exporter of GPU metrics that others installed may well have.

    `own_gpus`: this stack's exporter runs, whose monitor honours its labels.
    """
    if own_gpus or not any((selector.metric or "").startswith(_OF_GPUS) for selector in found):
        return DEAD_LABELS
    return {label: instead for label, instead in DEAD_LABELS.items() if not label.startswith("exported_")}


def from_exporters(metric: str | None) -> bool:
    """Whether the labels of a metric are those of the stack's exporters, not of somebody's own program."""
    return metric is not None and _EXPORTERS.match(metric) is not None


def dropped(selector: Selector, *, throttling_kept: bool) -> tuple[str, str] | None:
    """What a selector asks for that the chart's kubelet monitor drops, and what to ask for instead.

    `throttling_kept`: the chart is installed with this project's values, which keep the throttled seconds.
    Source: cAdvisorMetricRelabelings of kube-prometheus-stack 88.
    """
    metric = selector.metric or ""
    if _DROPPED.fullmatch(metric) or (metric == _THROTTLED and not throttling_kept):
        return metric, f"write {_INSTEAD[metric]}" if metric in _INSTEAD else "ask for another metric"
    if metric.startswith("container_") and ("id", "=", "/") in selector.matchers:
        return f'{metric}{{id="/"}}', "take totals of nodes from node-exporter, as in node_cpu_seconds_total"
    return None
