"""Alertmanager: one, with a configuration that whoever deploys to the cluster puts into a Secret."""

from __future__ import annotations

from sandbox.monitoring.objects import (
    ALERTMANAGER,
    NOBODY,
    PRIORITY_CLASS,
    Object,
    manifest,
    resources,
    service,
    service_monitor,
)
from sandbox.network import ALERTMANAGER_IP

PORT = 9093
URL = f"http://{ALERTMANAGER_IP}:{PORT}"
CONFIG_SECRET = "colocation-alertmanager"
_LABELS = {"app": ALERTMANAGER, "self-monitor": "true"}
_PODS = {"app.kubernetes.io/name": "alertmanager", "alertmanager": ALERTMANAGER}


def objects(image: str) -> list[Object]:
    spec = {
        "image": image,
        "version": image.rpartition(":")[2],
        "imagePullPolicy": "Never",
        "replicas": 1,
        "portName": "http-web",
        "externalUrl": URL,
        "retention": "6h",
        # The Secret may be missing: the operator then writes a configuration that delivers nothing.
        "configSecret": CONFIG_SECRET,
        "alertmanagerConfigSelector": {},
        "alertmanagerConfigNamespaceSelector": {},
        "serviceAccountName": ALERTMANAGER,
        "priorityClassName": PRIORITY_CLASS,
        "resources": resources("10m", "32Mi", "256Mi"),
        "securityContext": {
            "runAsNonRoot": True,
            "runAsUser": NOBODY,
            "runAsGroup": NOBODY,
            "fsGroup": NOBODY,
        },
        "storage": {"emptyDir": {}},
    }
    labels = {"app": ALERTMANAGER}
    return [
        manifest("v1", "ServiceAccount", ALERTMANAGER),
        manifest("monitoring.coreos.com/v1", "Alertmanager", ALERTMANAGER, labels=labels, spec=spec),
        service(
            ALERTMANAGER, _PODS, _LABELS, {"http-web": PORT, "reloader-web": 8080}, clusterIP=ALERTMANAGER_IP
        ),
        service_monitor(ALERTMANAGER, _LABELS, {"port": "http-web"}, {"port": "reloader-web"}),
    ]
