"""Values of what is scraped: kubelets, kube-state-metrics, node-exporter, the control plane."""

from typing import Any

from components.rendering.monitoring.state_metrics import (
    custom_resource_rules,
    custom_resource_state,
    label_allowlist,
)

_CONTROL_PLANE = ("kubeEtcd", "kubeScheduler", "kubeControllerManager", "kubeProxy")
_CONTROL_PLANE_RULES = (
    "etcd",
    "kubeSchedulerAlerting",
    "kubeSchedulerRecording",
    "kubeControllerManager",
    "kubeProxy",
)


def kubelet_values(namespace: str) -> dict[str, Any]:
    """`kubelet`: its Service is in the stack's own namespace, and throttling is kept."""
    return {
        "namespace": namespace,
        "serviceMonitor": {"cAdvisorMetricRelabelings": cadvisor_relabelings()},
    }


def cadvisor_relabelings() -> list[dict[str, Any]]:
    """What the chart drops of cAdvisor's series, but container_cpu_cfs_throttled_seconds_total.

    Without that nobody sees what offline work costs online services.
    """
    return [
        _drop("container_cpu_(load_average_10s|system_seconds_total|user_seconds_total)"),
        _drop(
            "container_fs_(io_current|io_time_seconds_total|io_time_weighted_seconds_total|reads_merged_total"
            "|sector_reads_total|sector_writes_total|writes_merged_total)"
        ),
        _drop("container_memory_(mapped_file|swap)"),
        _drop("container_(file_descriptors|tasks_state|threads_max)"),
        _drop("container_memory_failures_total;hierarchy", "__name__", "scope"),
        _drop("container_network_.*;(cali|cilium|cni|lxc|nodelocaldns|tunl).*", "__name__", "interface"),
        _drop("container_spec.*"),
        _drop(".+;", "id", "pod"),  # of control groups that belong to no pod
    ]


def _drop(regex: str, *labels: str) -> dict[str, Any]:
    return {"sourceLabels": list(labels or ("__name__",)), "action": "drop", "regex": regex}


def state_metrics_values() -> dict[str, Any]:
    """`kube-state-metrics`: labels of training pods and nodes, and the state of TFJobs."""
    return {
        "metricLabelsAllowlist": list(label_allowlist()),
        "customResourceState": {"enabled": True, "config": custom_resource_state()},
        "rbac": {"extraRules": custom_resource_rules()},
    }


def node_exporter_values() -> dict[str, Any]:
    """`prometheus-node-exporter`: on every node, whatever its taints."""
    return {"tolerations": [{"operator": "Exists"}]}


def without_control_plane() -> dict[str, Any]:
    """The scrapes of a control plane that a provider runs: nobody can reach it."""
    return {part: {"enabled": False} for part in _CONTROL_PLANE}


def without_control_plane_rules() -> dict[str, bool]:
    """`defaultRules.rules`: those about what is not scraped would fire for ever."""
    return dict.fromkeys(_CONTROL_PLANE_RULES, False)
