"""The kubelet's own metrics and cAdvisor's of its containers, less what the chart drops."""

from __future__ import annotations

from typing import Any

from components.rendering.monitoring.exporters import cadvisor_relabelings
from sandbox.monitoring.objects import RELEASE, Object, service_monitor

# Of a stack that others set up: ours keeps it. Whoever writes a rule on it gets no data here.
_THROTTLED = {
    "action": "drop",
    "sourceLabels": ["__name__"],
    "regex": "container_cpu_cfs_throttled_seconds_total",
}


def objects() -> list[Object]:
    dropped = [*cadvisor_relabelings(), _THROTTLED]
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
