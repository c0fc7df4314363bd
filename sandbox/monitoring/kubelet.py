"""The kubelet's own metrics and cAdvisor's of its containers, less what the chart drops."""

from __future__ import annotations

from typing import Any

from sandbox.monitoring.objects import RELEASE, Object, service_monitor

# Whoever writes a rule on one of these gets no data with the chart either.
_DROPPED = (
    (
        ("__name__",),
        "container_cpu_(cfs_throttled_seconds_total|load_average_10s|system_seconds_total|user_seconds_total)",
    ),
    (
        ("__name__",),
        "container_fs_(io_current|io_time_seconds_total|io_time_weighted_seconds_total|reads_merged_total|"
        "sector_reads_total|sector_writes_total|writes_merged_total)",
    ),
    (("__name__",), "container_memory_(mapped_file|swap)"),
    (("__name__",), "container_(file_descriptors|tasks_state|threads_max)"),
    (("__name__", "scope"), "container_memory_failures_total;hierarchy"),
    (("__name__", "interface"), "container_network_.*;(cali|cilium|cni|lxc|nodelocaldns|tunl).*"),
    (("__name__",), "container_spec.*"),
    (("id", "pod"), ".+;"),
)


def objects() -> list[Object]:
    dropped = [{"action": "drop", "sourceLabels": list(labels), "regex": regex} for labels, regex in _DROPPED]
    return [
        service_monitor(
            f"{RELEASE}-kubelet",
            {"app.kubernetes.io/name": "kubelet", "k8s-app": "kubelet"},
            _endpoint("/metrics"),
            _endpoint("/metrics/cadvisor", metricRelabelings=dropped, trackTimestampsStaleness=True),
            _endpoint("/metrics/probes"),
            job_label="k8s-app",
            namespaceSelector={"matchNames": ["kube-system"]},
        )
    ]


def _endpoint(path: str, **more: Any) -> Object:
    account = "/var/run/secrets/kubernetes.io/serviceaccount"
    return {
        "port": "https-metrics",
        "scheme": "https",
        "path": path,
        "honorLabels": True,
        "bearerTokenFile": f"{account}/token",
        "tlsConfig": {"caFile": f"{account}/ca.crt", "insecureSkipVerify": True},
        "relabelings": [{"sourceLabels": ["__metrics_path__"], "targetLabel": "metrics_path"}],
        **more,
    }
