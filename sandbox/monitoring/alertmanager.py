"""Alertmanager: one, with a configuration that whoever deploys to the cluster puts into a Secret."""

from __future__ import annotations

from infra.vocabulary import ALERTMANAGER_CONFIG_SECRET, MONITORING_API_VERSION
from sandbox.monitoring.objects import (
    ALERTMANAGER,
    Object,
    manifest,
    resources,
    server,
    service,
    service_monitor,
)
from sandbox.network import ALERTMANAGER_IP

PORT = 9093
URL = f"http://{ALERTMANAGER_IP}:{PORT}"
_LABELS = {"app": ALERTMANAGER, "self-monitor": "true"}
_PODS = {"app.kubernetes.io/name": "alertmanager", "alertmanager": ALERTMANAGER}


def objects(image: str) -> list[Object]:
    spec = {
        **server(image, URL, ALERTMANAGER),
        # The Secret may be missing: the operator then writes a configuration that delivers nothing.
        "configSecret": ALERTMANAGER_CONFIG_SECRET,
        "alertmanagerConfigSelector": {},
        "alertmanagerConfigNamespaceSelector": {},
        "resources": resources("10m", "32Mi", "256Mi"),
    }
    labels = {"app": ALERTMANAGER}
    return [
        manifest("v1", "ServiceAccount", ALERTMANAGER),
        manifest(MONITORING_API_VERSION, "Alertmanager", ALERTMANAGER, labels=labels, spec=spec),
        service(
            ALERTMANAGER, _PODS, _LABELS, {"http-web": PORT, "reloader-web": 8080}, clusterIP=ALERTMANAGER_IP
        ),
        service_monitor(ALERTMANAGER, _LABELS, {"port": "http-web"}, {"port": "reloader-web"}),
    ]
