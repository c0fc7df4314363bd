"""Prometheus: one that takes up every monitor and rule of every namespace, and forgets soon."""

from __future__ import annotations

from itertools import product

from infra.vocabulary import MONITORING_API_VERSION
from sandbox.monitoring.objects import (
    ALERTMANAGER,
    NAMESPACE,
    PROMETHEUS,
    SCRAPE_INTERVAL,
    Object,
    account,
    manifest,
    resources,
    rule,
    server,
    service,
    service_monitor,
)
from sandbox.network import PROMETHEUS_IP

PORT = 9090
URL = f"http://{PROMETHEUS_IP}:{PORT}"
_LABELS = {"app": PROMETHEUS, "self-monitor": "true"}
_PODS = {"app.kubernetes.io/name": "prometheus", "operator.prometheus.io/name": PROMETHEUS}


def objects(image: str) -> list[Object]:
    everything: Object = {
        f"{kind}{part}": {}
        for kind, part in product(
            ("serviceMonitor", "podMonitor", "probe", "rule", "scrapeConfig"),
            ("Selector", "NamespaceSelector"),
        )
    }
    spec = {
        **everything,
        **server(image, URL, PROMETHEUS),
        "scrapeInterval": SCRAPE_INTERVAL,
        "evaluationInterval": SCRAPE_INTERVAL,
        # Its limit is Go's as well: near it, as after a day of simulated nodes, collections take a core.
        "resources": resources("20m", "128Mi", "4Gi"),
        # The operator's own asks every 15 s, and so long would every start take.
        "containers": [{"name": "prometheus", "startupProbe": {"periodSeconds": 1, "failureThreshold": 120}}],
        "alerting": {
            "alertmanagers": [
                {"namespace": NAMESPACE, "name": ALERTMANAGER, "port": "http-web", "apiVersion": "v2"}
            ]
        },
    }
    return [
        *account(PROMETHEUS, _rules()),
        manifest(MONITORING_API_VERSION, "Prometheus", PROMETHEUS, labels={"app": PROMETHEUS}, spec=spec),
        service(
            PROMETHEUS, _PODS, _LABELS, {"http-web": PORT, "reloader-web": 8080}, clusterIP=PROMETHEUS_IP
        ),
        service_monitor(PROMETHEUS, _LABELS, {"port": "http-web"}, {"port": "reloader-web"}),
    ]


def _rules() -> list[Object]:
    read = ("get", "list", "watch")
    return [
        rule("", ["nodes", "nodes/metrics", "services", "endpoints", "pods"], *read),
        rule("discovery.k8s.io", ["endpointslices"], *read),
        rule("networking.k8s.io", ["ingresses"], *read),
        {"nonResourceURLs": ["/metrics", "/metrics/cadvisor"], "verbs": ["get"]},
    ]
