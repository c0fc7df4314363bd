"""How `pulumi up`, a second `up` and a preview grow with the number of declared jobs.

Beside each, in the same run, `kubectl apply --server-side` of the same TFJobs and ConfigMaps. The jobs are
suspended, so that no training is measured. Run by `make bench`; needs the running sandbox with the stack
`dev` deployed, for the operator's webhook.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from sandbox import cluster, containers, paths, pulumi
from sandbox.progress import Progress

SIZES = (10, 50, 200)
TENANT = "bench"
# Without checkpoints the state file is written once at the end, not at every step.
NO_CHECKPOINTS = {"PULUMI_EXPERIMENTAL": "true", "PULUMI_SKIP_CHECKPOINTS": "true"}


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """Seconds of each command at one size, and the most memory that Pulumi's processes held together."""

    jobs: int
    kubectl_apply: float
    up: float
    up_without_checkpoints: float
    second_up: float
    preview: float
    peak_bytes: int


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.stack_size", description=__doc__)
    parser.add_argument("sizes", nargs="*", type=int, default=list(SIZES), help="numbers of jobs")
    sizes = parser.parse_args(arguments).sizes
    if not cluster.status().up:
        print("the sandbox is down: run `make up` first", file=sys.stderr)
        return 1
    workspace = pulumi.workspace(Progress())
    print(_HEADER)
    for size in sizes:
        print(_row(_measure(workspace, size)), flush=True)
    return 0


def stack(jobs: int) -> dict[str, Any]:
    """A stack of one tenant with that many suspended jobs, on the operator that is there."""
    job = {
        "tenant": TENANT,
        "priority": "offline-low",
        "image": "colocation.local/tensorflow:2.21.0",
        "command": ["python3", "-c", "pass"],
        "run_policy": {"suspend": True},
        "worker": {
            "resources": {
                "requests": {"cpu": "100m", "memory": "128Mi"},
                "limits": {"cpu": "1", "memory": "1Gi"},
            }
        },
    }
    return {
        "priorities": [
            {"name": "bench-online", "value": 100000, "kind": "online"},
            {"name": "offline-low-bench", "value": 1000, "kind": "offline"},
        ],
        "tenants": [{"name": TENANT}],
        "training_operator": {"install": False},
        "jobs": [
            {**job, "name": f"bench-{index:04}", "priority": "offline-low-bench"} for index in range(jobs)
        ],
    }


def _measure(workspace: pulumi.Workspace, jobs: int) -> Measurement:
    with tempfile.TemporaryDirectory() as folder:
        project = _project(Path(folder), jobs)
        own = _own(workspace, project)
        up, peak = _timed_with_memory(own, "up", "--yes", "--skip-preview")
        second_up = _timed(own, "up", "--yes", "--skip-preview", "--expect-no-changes")
        preview = _timed(own, "preview")
        manifest = _declared(own)
        _timed(own, "destroy", "--yes", "--skip-preview")
        fast = replace(own, variables={**own.variables, **NO_CHECKPOINTS})
        up_fast = _timed(fast, "up", "--yes", "--skip-preview")
        _timed(own, "destroy", "--yes", "--skip-preview")
        kubectl = _kubectl_apply(workspace, manifest)
    return Measurement(
        jobs=jobs,
        kubectl_apply=kubectl,
        up=up,
        up_without_checkpoints=up_fast,
        second_up=second_up,
        preview=preview,
        peak_bytes=peak,
    )


def _project(folder: Path, jobs: int) -> Path:
    for part in ("infra", "components", "stacks"):
        shutil.copytree(paths.CHECKOUT / part, folder / part)
    shutil.copy(paths.CHECKOUT / "Pulumi.yaml", folder)
    (folder / "stacks" / f"{pulumi.STACK}.yaml").write_text(yaml.safe_dump(stack(jobs)))
    return folder


def _own(workspace: pulumi.Workspace, project: Path) -> pulumi.Workspace:
    """The same programs and cluster with a state of its own, beside the deployed stack's."""
    backend = project / "backend"
    backend.mkdir()
    variables = {
        **workspace.variables,
        "PULUMI_BACKEND_URL": f"file://{backend}",
        "PYTHONPATH": str(project),
    }
    config = project / f"Pulumi.{pulumi.STACK}.yaml"
    own = replace(workspace, project=project, backend=backend, variables=variables, config_file=config)
    _checked(own.run("stack", "init", pulumi.STACK, "--no-select", "--non-interactive", capture=True))
    return own


def _timed(workspace: pulumi.Workspace, command: str, *arguments: str) -> float:
    started = time.monotonic()
    _checked(workspace.update(command, *arguments, capture=True))
    return time.monotonic() - started


def _timed_with_memory(workspace: pulumi.Workspace, command: str, *arguments: str) -> tuple[float, int]:
    peak = 0
    done = threading.Event()

    def watch() -> None:
        nonlocal peak
        while not done.wait(0.25):
            peak = max(peak, sum(map(containers.resident_bytes, containers.below(os.getpid()))))

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        return _timed(workspace, command, *arguments), peak
    finally:
        done.set()
        watcher.join()


def _declared(workspace: pulumi.Workspace) -> str:
    """The same objects as plain manifests, out of Pulumi's state."""
    done = workspace.run("stack", "export", "--stack", pulumi.STACK, capture=True)
    _checked(done)
    resources = yaml.safe_load(done.stdout)["deployment"]["resources"]
    objects = [
        resource["inputs"]
        for resource in resources
        if resource["type"].startswith("kubernetes:") and "kind" in resource.get("inputs", {})
    ]
    return yaml.safe_dump_all([_plain(item) for item in objects])


def _plain(value: Any) -> Any:
    """Without Pulumi's own keys."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items() if not key.startswith("__")}
    return [_plain(item) for item in value] if isinstance(value, list) else value


def _kubectl_apply(workspace: pulumi.Workspace, manifest: str) -> float:
    started = time.monotonic()
    _kubectl(workspace, manifest, "apply", "--server-side", "-f", "-")
    seconds = time.monotonic() - started
    _kubectl(workspace, manifest, "delete", "--wait=true", "-f", "-")
    return seconds


def _kubectl(workspace: pulumi.Workspace, manifest: str, *arguments: str) -> None:
    _checked(
        subprocess.run(
            ["kubectl", *arguments],
            env=workspace.environment(),
            input=manifest,
            capture_output=True,
            text=True,
            check=False,
        )
    )


def _checked(done: subprocess.CompletedProcess[str]) -> None:
    if done.returncode != 0:
        raise SystemExit(
            f"{' '.join(map(str, done.args))} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
        )


_HEADER = (
    "jobs  kubectl apply  up             up, no checkpoints  second up      preview        peak memory\n"
    "                     s (x kubectl)  s (x kubectl)       s (x kubectl)  s (x kubectl)  MiB"
)


def _row(m: Measurement) -> str:
    def ratio(seconds: float) -> str:
        return f"{seconds:.1f} ({seconds / m.kubectl_apply:.1f}x)"

    return (
        f"{m.jobs:<5} {f'{m.kubectl_apply:.1f} s':<14} {ratio(m.up):<14} "
        f"{ratio(m.up_without_checkpoints):<19} {ratio(m.second_up):<14} {ratio(m.preview):<14} "
        f"{m.peak_bytes / 2**20:.0f}"
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
