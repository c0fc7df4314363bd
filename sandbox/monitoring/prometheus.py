"""Prometheus: one that takes up every monitor and rule of every namespace, and forgets soon."""

from __future__ import annotations

from itertools import product

from sandbox.monitoring.objects import (
    ALERTMANAGER,
    NAMESPACE,
    NOBODY,
    PRIORITY_CLASS,
    PROMETHEUS,
    SCRAPE_INTERVAL,
    Object,
    account,
    manifest,
    resources,
    rule,
    service,
    service_monitor,
)
from sandbox.network import PROMETHEUS_IP

PORT = 9090
RETENTION = "6h"
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
        "image": image,
        "version": image.rpartition(":")[2],
        "imagePullPolicy": "Never",
        "replicas": 1,
        "portName": "http-web",
        "externalUrl": URL,
        "scrapeInterval": SCRAPE_INTERVAL,
        "evaluationInterval": SCRAPE_INTERVAL,
        "retention": RETENTION,
        "serviceAccountName": PROMETHEUS,
        "priorityClassName": PRIORITY_CLASS,
        "resources": resources("20m", "128Mi", "1Gi"),
        "securityContext": {
            "runAsNonRoot": True,
            "runAsUser": NOBODY,
            "runAsGroup": NOBODY,
            "fsGroup": NOBODY,
        },
        "storage": {"emptyDir": {}},
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
        manifest("monitoring.coreos.com/v1", "Prometheus", PROMETHEUS, labels={"app": PROMETHEUS}, spec=spec),
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
