"""node-exporter: what the real node measures of itself."""

from __future__ import annotations

from sandbox.monitoring.objects import (
    NOBODY,
    NODE_EXPORTER,
    PRIORITY_CLASS,
    Object,
    http_probe,
    manifest,
    resources,
    service,
    service_monitor,
    unprivileged,
)
from sandbox.network import NODE_IP

_LABELS = {"app.kubernetes.io/name": "prometheus-node-exporter", "jobLabel": "node-exporter"}
_PORT = 9100
_REAL_NODES = {"matchExpressions": [{"key": "type", "operator": "NotIn", "values": ["kwok"]}]}


def objects(image: str) -> list[Object]:
    folders = {"proc": ("/proc", "/host/proc"), "sys": ("/sys", "/host/sys"), "root": ("/", "/host/root")}
    container = {
        "name": "node-exporter",
        "image": image,
        "imagePullPolicy": "Never",
        "args": [
            "--path.procfs=/host/proc",
            "--path.sysfs=/host/sys",
            "--path.rootfs=/host/root",
            f"--web.listen-address={NODE_IP}:{_PORT}",
            "--collector.filesystem.mount-points-exclude="
            "^/(dev|proc|sys|run/containerd/.+|var/lib/docker/.+|var/lib/kubelet/.+)($|/)",
            "--collector.filesystem.fs-types-exclude="
            "^(autofs|binfmt_misc|bpf|cgroup2?|configfs|debugfs|devpts|devtmpfs|fusectl|hugetlbfs|mqueue|nsfs|"
            "overlay|proc|procfs|pstore|rpc_pipefs|securityfs|selinuxfs|squashfs|sysfs|tracefs|tmpfs)$",
        ],
        "ports": [{"name": "http-metrics", "containerPort": _PORT}],
        "readinessProbe": {**http_probe(_PORT, "/"), "timeoutSeconds": 2},
        "resources": resources("10m", "24Mi", "128Mi"),
        "securityContext": unprivileged(),
        "volumeMounts": [
            {"name": name, "mountPath": inside, "readOnly": True} for name, (_, inside) in folders.items()
        ],
    }
    pod = {
        "automountServiceAccountToken": False,
        "priorityClassName": PRIORITY_CLASS,
        "hostNetwork": True,
        "hostPID": True,
        "securityContext": {"runAsNonRoot": True, "runAsUser": NOBODY, "runAsGroup": NOBODY},
        "tolerations": [{"operator": "Exists"}],
        "affinity": {
            "nodeAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [_REAL_NODES]}
            }
        },
        "containers": [container],
        "volumes": [{"name": name, "hostPath": {"path": path}} for name, (path, _) in folders.items()],
    }
    spec = {"selector": {"matchLabels": _LABELS}, "template": {"metadata": {"labels": _LABELS}, "spec": pod}}
    return [
        manifest("apps/v1", "DaemonSet", NODE_EXPORTER, labels=_LABELS, spec=spec),
        service(NODE_EXPORTER, _LABELS, _LABELS, {"http-metrics": _PORT}),
        service_monitor(NODE_EXPORTER, _LABELS, {"port": "http-metrics"}, job_label="jobLabel"),
    ]
