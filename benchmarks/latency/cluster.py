"""The benchmark's objects on the sandbox: the service, the training, node protection."""

from __future__ import annotations

import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from benchmarks.latency import service
from benchmarks.latency.settings import JOB, NAMESPACE, NODES, ONLINE, ONLINE_REQUESTS, Setting, stack
from benchmarks.rendered import objects, resources
from components.protect_node import METRICS, PORT
from infra.vocabulary import NODE_PROTECTION
from sandbox import kubectl
from sandbox.errors import SandboxError

SERVICE = "service"
_HERE = Path(__file__).parent
_WITHIN_SECONDS = 300.0
_WITHIN = f"--timeout={_WITHIN_SECONDS:.0f}s"
_LINE = re.compile(r"^examples=(\d+) time=([\d.]+)$", re.MULTILINE)
Object = dict[str, Any]


@dataclass(frozen=True)
class Cluster:
    """The sandbox."""

    kubectl: Path
    image: str
    """With Python and TensorFlow."""
    online_requests: Mapping[str, str] = field(default_factory=lambda: ONLINE_REQUESTS)
    """Of the service."""

    def run(self, *arguments: str, objects: Sequence[Object] = ()) -> str:
        """One kubectl command; raises SandboxError with kubectl's own words."""
        return kubectl.output(self.kubectl, *arguments, stdin=yaml.safe_dump_all(objects))

    @contextmanager
    def serving(self) -> Iterator[str]:
        """The service in a namespace of its own; yields its URL. All is deleted afterwards."""
        # An earlier run's may still be going away, or have been left by one that was killed.
        self.run("delete", "namespace", NAMESPACE, NODES, "--ignore-not-found", _WITHIN)
        foundation = rendered(Setting(name="alone", title="", trains=False), self.image)
        try:
            own = _service(self.image, self.online_requests)
            self.run("apply", "-f", "-", objects=[*foundation, *own])
            self.run("rollout", "status", "-n", NAMESPACE, f"deployment/{SERVICE}", _WITHIN)
            address = self.run(
                "get",
                "pods",
                "-n",
                NAMESPACE,
                "-l",
                f"app={SERVICE}",
                "-o",
                "jsonpath={.items[0].status.podIP}",
            )
            yield f"http://{address}:{service.PORT}/"
        finally:
            self.run("delete", "--wait=false", "--ignore-not-found", "-f", "-", objects=foundation)

    @contextmanager
    def training(self, setting: Setting) -> Iterator[None]:
        """The setting's training, until it has begun; it is gone afterwards."""
        found = [item for item in rendered(setting, self.image) if not _is_foundation(item)]
        if not found:
            yield
            return
        try:
            self.run("apply", "-f", "-", objects=found)
            self._wait_for_training()
            if setting.protection is not None:
                self.run("rollout", "status", "-n", NODES, f"daemonset/{NODE_PROTECTION}", _WITHIN)
                self._wait_until(self._protects, "the training's pod is not protected")
            yield
        finally:
            gone = ("delete", "--ignore-not-found", "--wait=true", _WITHIN, "-f", "-")
            self.run(*gone, objects=found[::-1])
            self._wait_until(lambda: not self._training_pods(), "the training's pod is still there")

    def progress(self) -> list[tuple[float, int]]:
        """When the training had seen how many examples."""
        text = self.run("logs", "-n", NAMESPACE, f"{JOB}-worker-0", "--tail=-1")
        return [(float(at), int(examples)) for examples, at in _LINE.findall(text)]

    def _wait_for_training(self) -> None:
        def begun() -> bool:
            try:
                return len(self.progress()) > 1
            except SandboxError:  # no pod yet, or none of its containers runs
                return False

        self._wait_until(begun, "the training has not begun")

    def _protects(self) -> bool:
        """Whether the agent says that it holds each offline pod of its node back."""
        agent = self.run("get", "pods", "-n", NODES, "-o", "jsonpath={.items[0].metadata.name}")
        text = self.run("get", "--raw", f"/api/v1/namespaces/{NODES}/pods/{agent}:{PORT}/proxy/metrics")
        told = [line.split()[1] for line in text.splitlines() if not line.startswith("#")]
        return told == ["1"] * len(METRICS)

    def _training_pods(self) -> str:
        return self.run("get", "pods", "-n", NAMESPACE, "-l", "!app", "-o", "name")

    def _wait_until(self, probe: Callable[[], bool], trouble: str) -> None:
        deadline = time.monotonic() + _WITHIN_SECONDS
        while not probe():
            if time.monotonic() > deadline:
                seen = self.run("get", "tfjobs,pods,events", "-n", NAMESPACE)
                raise SandboxError(f"{trouble} after {_WITHIN_SECONDS:.0f} s:\n{seen}")
            time.sleep(0.5)


def rendered(setting: Setting, image: str) -> list[Object]:
    """The objects that this project makes of a setting, as `colo render` writes them."""
    with tempfile.TemporaryDirectory() as folder:
        scripts = Path(folder) / "stacks" / "scripts"
        scripts.mkdir(parents=True)
        shutil.copy(_HERE / "train.py", scripts)
        return objects(resources(stack(setting, image), Path(folder), "bench"))


def _is_foundation(item: Object) -> bool:
    """What stays between rounds: the namespace of the tenant with what is in it, and the classes."""
    mine = item["metadata"].get("namespace", item["metadata"]["name"]) == NAMESPACE
    return item["kind"] == "PriorityClass" or (
        mine and item["kind"] in ("Namespace", "NetworkPolicy", "LimitRange", "ResourceQuota")
    )


def _service(image: str, requests: Mapping[str, str]) -> list[Object]:
    program = (_HERE / "service.py").read_text("utf-8")
    container = {
        "name": SERVICE,
        "image": image,
        "command": ["python3", "/opt/service/service.py"],
        "resources": {"requests": dict(requests)},
        "readinessProbe": {"tcpSocket": {"port": service.PORT}, "periodSeconds": 2},
        "volumeMounts": [{"name": "program", "mountPath": "/opt/service"}],
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "runAsNonRoot": True,
            "runAsUser": 1000,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
    }
    pod = {
        "priorityClassName": ONLINE,
        "automountServiceAccountToken": False,
        "containers": [container],
        "volumes": [{"name": "program", "configMap": {"name": SERVICE}}],
    }
    labels = {"app": SERVICE}
    metadata = {"name": SERVICE, "namespace": NAMESPACE}
    return [
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"service.py": program}},
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": metadata,
            "spec": {
                "selector": {"matchLabels": labels},
                "template": {"metadata": {"labels": labels}, "spec": pod},
            },
        },
    ]
