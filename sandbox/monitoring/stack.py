"""The whole stack: its definitions and objects brought up to date, and waited for."""

from __future__ import annotations

import time
import urllib.request
from collections.abc import Mapping
from pathlib import Path

import yaml

from sandbox import kubectl
from sandbox.errors import SandboxError
from sandbox.monitoring import (
    alertmanager,
    crds,
    kubelet,
    node_exporter,
    prometheus,
    prometheus_operator,
    state_metrics,
)
from sandbox.monitoring.objects import (
    ALERTMANAGER,
    NAMESPACE,
    NODE_EXPORTER,
    OPERATOR,
    PROMETHEUS,
    STATE_METRICS,
    Object,
)

READY_TIMEOUT_SECONDS = 180
_APPLY = ("apply", "--server-side", "--force-conflicts")


def objects(images: Mapping[str, str]) -> list[Object]:
    """All objects of the stack but the definitions of their kinds, from the full names of images."""
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}
    return [
        namespace,
        *prometheus_operator.objects(images["prometheus-operator"], images["prometheus-config-reloader"]),
        *prometheus.objects(images["prometheus"]),
        *alertmanager.objects(images["alertmanager"]),
        *state_metrics.objects(images["kube-state-metrics"]),
        *node_exporter.objects(images["node-exporter"]),
        *kubelet.objects(),
    ]


def apply(program: Path, definitions: Path, images: Mapping[str, str]) -> None:
    """Bring the stack up to date with kubectl; nothing changes if it is.

    Raises:
        SandboxError: the API server refused one of the objects.
    """
    if missing := crds.missing(program, definitions):
        kubectl.output(program, *_APPLY, "-f", "-", stdin=crds.manifests(missing))
        kubectl.output(program, "wait", "--for=condition=Established", "crd", *missing, "--timeout=60s")
    kubectl.output(program, *_APPLY, "-f", "-", stdin=yaml.safe_dump_all(objects(images)))


def wait(program: Path) -> None:
    """Until every part is ready and both services answer.

    Raises:
        SandboxError: one of them is not in time; the message says where to look.
    """
    deadline = time.monotonic() + READY_TIMEOUT_SECONDS
    timeout = f"--timeout={READY_TIMEOUT_SECONDS}s"
    parts = (
        f"deployment/{OPERATOR}",
        f"deployment/{STATE_METRICS}",
        f"prometheus/{PROMETHEUS}",
        f"alertmanager/{ALERTMANAGER}",
    )
    for arguments in (
        ("wait", "--for=condition=Available", *parts, timeout),
        ("rollout", "status", f"daemonset/{NODE_EXPORTER}", timeout),
    ):
        if not kubectl.succeeds(program, "-n", NAMESPACE, *arguments):
            raise SandboxError(_late("not every part of the monitoring stack is ready"))
    # After a restart their conditions are still those of before.
    for url in (prometheus.URL, alertmanager.URL):
        while not _answers(f"{url}/-/ready"):
            if time.monotonic() > deadline:
                raise SandboxError(_late(f"{url} does not answer"))
            time.sleep(0.3)


def _answers(url: str) -> bool:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(url, timeout=2) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def _late(what: str) -> str:
    return f"{what} after {READY_TIMEOUT_SECONDS} s: see `kubectl -n {NAMESPACE} describe pods`"
