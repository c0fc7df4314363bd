"""Jobs of a test's own, to be broken: a stack file, its namespaces, and the doctor's look at them."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from components.rendering.tfjob import tfjob_manifest
from infra.cluster.api_server import ApiServer
from infra.doctor import concerning, diagnose, look
from infra.doctor.case import STALLED_SECONDS
from infra.doctor.chain import Diagnosis
from infra.models import JobSpec
from infra.plan import plan
from infra.vocabulary import STACK_MANAGER_PREFIX
from sandbox import images
from tests.cluster.conftest import SOON_SECONDS, Sandbox, eventually, make_account

STACK = "ward"
SMALL: dict[str, Any] = {"requests": {"cpu": "10m", "memory": "32Mi"}, "limits": {"memory": "256Mi"}}
PYTHON = ("python3", "-u", "-c")
SLEEP = [*PYTHON, "import time; print('begins'); time.sleep(3600)"]


def job(name: str, command: list[str], **change: Any) -> dict[str, Any]:
    """A job of one small worker, as a stack file has it."""
    plain = {
        "name": name,
        "priority": "offline-low",
        "image": images.reference("tensorflow"),
        "command": command,
        "worker": {"resources": SMALL},
    }
    return plain | change


@dataclass
class Ward:
    """A stack beside `dev`, of jobs that a test declares and breaks; it attaches to the operator of `dev`."""

    sandbox: Sandbox
    folder: Path
    namespaces: list[str] = field(default_factory=list)
    stack: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.stack = {
            "priorities": [
                {"name": "online-high", "value": 100000, "kind": "online", "global_default": True},
                {"name": "offline-low", "value": 1000, "kind": "offline"},
            ],
            "tenants": [],
            "training_operator": {"install": False, "namespace": "kubeflow"},
            "jobs": [],
        }

    @property
    def file(self) -> Path:
        return self.folder / f"{STACK}.yaml"

    def admit(self, name: str) -> str:
        """A namespace of the stack's."""
        full = f"ward-{os.getpid()}-{name}"
        namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": full}}
        manager = f"--field-manager={STACK_MANAGER_PREFIX}{STACK}"
        self.sandbox.kubectl("apply", "--server-side", manager, "-f", "-", stdin=json.dumps(namespace))
        make_account(self.sandbox, full)
        self.namespaces.append(full)
        self.declare(tenant=full)
        return full

    def declare(self, *jobs: dict[str, Any], tenant: str | None = None) -> None:
        """Into the stack file, and no further."""
        if tenant is not None:
            self.stack["tenants"].append({"name": tenant, "network_policy": False})
        self.stack["jobs"] += jobs
        self.file.write_text(yaml.safe_dump(self.stack))

    def submit(self, namespace: str, data: dict[str, Any], change: Any = None, *, check: bool = True) -> str:
        """Declare a job and create it; `change` edits the object on its way, as somebody else might."""
        spec = data | {"tenant": namespace}
        if change is None:
            self.declare(spec)
        manifest = self.manifest(namespace, data)
        if change is not None:
            change(manifest)
        return self.create(manifest, check=check)

    def manifest(self, namespace: str, data: dict[str, Any]) -> dict[str, Any]:
        """The TFJob, as a stack would send it."""
        spec = JobSpec.model_validate(data | {"tenant": namespace})
        return dict(tfjob_manifest(spec, namespace, priority_class=spec.priority))

    def create(self, manifest: Any, *, check: bool = True) -> str:
        return self.sandbox.kubectl("create", "-f", "-", stdin=json.dumps(manifest), check=check)

    def look(self, stalled_seconds: float = STALLED_SECONDS) -> list[Diagnosis]:
        """What the doctor finds now."""
        ready = plan(self.file)
        case = look(ApiServer(), ready, STACK, stalled_seconds=stalled_seconds)
        return list(diagnose(case, ready))

    def until(
        self,
        name: str,
        code: str,
        *,
        shows: tuple[str, str] = ("", ""),
        timeout_seconds: float = SOON_SECONDS,
        **how: Any,
    ) -> Diagnosis:
        """The diagnosis of a job with that code, as soon as it is made and shows a word at a step.

        An event or a line of a log may come after the status that it explains.
        """
        told: list[str] = []
        step, word = shows

        def probe() -> Diagnosis | None:
            found = [one for one in self.look(**how) if concerning(one, name) and name in one.affects]
            told[:] = [f"{one.code}: {one.cause}; {list(one.shown())}" for one in found]
            return next((one for one in found if one.code == code and word in seen(one, step)), None)

        try:
            found: Diagnosis = eventually(probe, timeout_seconds=timeout_seconds)
        except AssertionError:
            raise AssertionError(f"{name} is not found {code} with {word!r}, but {told}") from None
        return found

    def close(self) -> None:
        for name in self.namespaces:
            self.sandbox.kubectl("delete", "namespace", name, "--wait=false")


def seen(found: Diagnosis, step: str) -> str:
    """What a diagnosis shows of one step."""
    return "\n".join(text for at, text in found.shown() if at == step)
