"""The running sandbox, and Pulumi stacks of a test's own on it."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from infra.layers import layered
from sandbox import cluster, deploy, kubectl, paths, pulumi, scratch
from sandbox.progress import Progress

pytestmark = pytest.mark.cluster


@dataclass(frozen=True)
class Sandbox:
    """The cluster as a test sees it."""

    workspace: pulumi.Workspace

    def kubectl(self, *arguments: str, stdin: str = "", check: bool = True) -> str:
        done = kubectl.run(self.workspace.kubectl, *arguments, stdin=stdin)
        if check and done.returncode != 0:
            raise AssertionError(f"kubectl {' '.join(arguments)}: {done.stderr}")
        return done.stdout if done.returncode == 0 else done.stderr

    def get(self, *arguments: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.kubectl("get", *arguments, "-o", "json"))
        return found

    def items(self, *arguments: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.get(*arguments)["items"]
        return found


@pytest.fixture(scope="session")
def sandbox() -> Sandbox:
    status = cluster.status()
    assert status.up, "the sandbox is down; `make test` starts it, or run `colo sandbox up`"
    return Sandbox(pulumi.workspace(Progress()))


def make_namespace(sandbox: Sandbox, name: str) -> None:
    """One where pods can be made at once."""
    sandbox.kubectl("create", "namespace", name)
    make_account(sandbox, name)


def make_account(sandbox: Sandbox, namespace: str) -> None:
    """The one that pods have by default: left to its controller it comes later, and they are refused."""
    sandbox.kubectl("create", "serviceaccount", "default", "-n", namespace, check=False)


@pytest.fixture
def namespace(sandbox: Sandbox) -> Iterator[str]:
    """A namespace that goes away with the test."""
    name = f"test-{uuid.uuid4().hex[:12]}"
    make_namespace(sandbox, name)
    yield name
    sandbox.kubectl("delete", "namespace", name, "--wait=false")


SOON_SECONDS = 180.0
"""For what takes some seconds on a quiet machine: this one may run all other tests at the same time."""


def eventually(probe: Callable[[], Any], *, timeout_seconds: float = SOON_SECONDS) -> Any:
    """The first true answer of a probe; the test fails if there is none in time."""
    deadline = time.monotonic() + timeout_seconds
    while not (answer := probe()):
        if time.monotonic() > deadline:
            raise AssertionError(f"still {answer!r} after {timeout_seconds} s")
        time.sleep(0.3)
    return answer


def until_the_operator_answers(sandbox: Sandbox) -> None:
    """Its webhook takes a job. A rollout is over a moment sooner, and says old things after a restart."""
    container = {"name": "tensorflow", "image": "example/asked:1"}
    worker = {"restartPolicy": "Never", "template": {"spec": {"containers": [container]}}}
    asked = {
        "apiVersion": "kubeflow.org/v1",
        "kind": "TFJob",
        "metadata": {"name": "asked", "namespace": "default"},
        "spec": {"tfReplicaSpecs": {"Worker": worker}},
    }
    create = ("create", "--dry-run=server", "-f", "-")
    eventually(
        lambda: "created (server dry run)" in sandbox.kubectl(*create, stdin=json.dumps(asked), check=False),
        timeout_seconds=300,
    )


@dataclass(frozen=True)
class Deployment:
    """The stack `dev` on the sandbox, seen from a copy of the project that a test may edit."""

    sandbox: Sandbox
    workspace: pulumi.Workspace

    @property
    def stack_file(self) -> Path:
        return self.workspace.project / "stacks" / "dev.yaml"

    @property
    def stack(self) -> dict[str, Any]:
        return whole(self.stack_file)

    def write(self, stack: dict[str, Any]) -> None:
        self.stack_file.write_text(yaml.safe_dump(stack, sort_keys=False))

    def script(self, name: str) -> Path:
        return self.workspace.project / "stacks" / "scripts" / name

    def up(self, *arguments: str) -> str:
        done = self.workspace.update("up", "--yes", "--skip-preview", *arguments, capture=True)
        assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
        return done.stdout

    def start_up(self) -> subprocess.Popen[bytes]:
        """`pulumi up` in the background, in a process group of its own."""
        config = ("--config-file", str(self.workspace.config_file))
        return subprocess.Popen(
            ["pulumi", "up", "--stack", pulumi.STACK, *config, "--yes", "--skip-preview"],
            cwd=self.workspace.project,
            env=self.workspace.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def destroy(self) -> str:
        arguments = ("--yes", "--skip-preview", "--exclude-protected")
        done = self.workspace.update("destroy", *arguments, capture=True)
        assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
        return done.stdout

    def resources(self) -> set[str]:
        """Names of everything in Pulumi's state but the stack itself and its providers."""
        done = self.workspace.run("stack", "export", "--stack", pulumi.STACK, capture=True)
        assert done.returncode == 0, done.stderr
        urns = [resource["urn"] for resource in json.loads(done.stdout)["deployment"]["resources"]]
        return {urn.split("::")[-1] for urn in urns if "pulumi:" not in urn.split("::")[-2]}

    def plan(self, *arguments: str) -> dict[str, str]:
        """What a preview would do: operation by resource name, the unchanged ones left out."""
        done = self.workspace.update("preview", "--json", *arguments, capture=True)
        assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
        steps = json.loads(done.stdout)["steps"]
        return {step["urn"].split("::")[-1]: step["op"] for step in steps if step["op"] != "same"}


def whole(stack_file: Path) -> dict[str, Any]:
    """A stack as data, with what it extends, so that a test may write it as one file."""
    data = layered(stack_file).source.data
    return {key: value for key, value in data.items() if key != "extends"}


@pytest.fixture
def deployment(sandbox: Sandbox, tmp_path: Path) -> Deployment:
    """The deployed stack `dev`; edits go to a copy of the project that only the test has."""
    return Deployment(sandbox, scratch.copied(sandbox.workspace, tmp_path / "project"))


@pytest.fixture(scope="session")
def deployed_once(sandbox: Sandbox) -> None:
    """The stack as it is committed, and trained, before the first test that needs it; each puts it back."""
    deploy.deploy(Progress())


@pytest.fixture
def deployed(deployment: Deployment, deployed_once: None) -> Iterator[Deployment]:
    """`deployment`, up to date before the test and put back after it."""
    yield deployment
    shutil.copytree(paths.CHECKOUT / "stacks", deployment.workspace.project / "stacks", dirs_exist_ok=True)
    deployment.up()
