"""How `pulumi up`, a second `up` and a preview grow with the number of declared jobs.

Beside each, in the same run, `kubectl apply --server-side` of the same TFJobs. The jobs are suspended, so
that no training is measured. Run by `make bench` on the sandbox; the stack `dev` is destroyed before, its
protected claim apart, and deployed again after.
"""

from __future__ import annotations

import argparse
import json
import os
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

from sandbox import cluster, containers, images, kubectl, pulumi, scratch
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
    deployed = pulumi.workspace(Progress())
    unattended = ("--yes", "--skip-preview")
    # The cluster takes one global default class and one operator: the deployed stack makes room.
    _timed(deployed, "destroy", *unattended, "--exclude-protected")
    try:
        with tempfile.TemporaryDirectory() as folder:
            own = _project(deployed, Path(folder))
            try:
                print(_HEADER)
                for size in sizes:
                    print(_row(_measure(own, size)), flush=True)
            finally:
                _timed(own, "destroy", *unattended)
    finally:
        _timed(deployed, "up", *unattended)
    return 0


def stack(jobs: int) -> dict[str, Any]:
    """A stack of one tenant, the operator, and that many suspended jobs."""
    job = {
        "tenant": TENANT,
        "priority": "offline-low",
        "image": images.reference("tensorflow"),
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
            {"name": "online-high", "value": 100000, "kind": "online", "global_default": True},
            {"name": "offline-low", "value": 1000, "kind": "offline"},
        ],
        "tenants": [{"name": TENANT}],
        "training_operator": {"namespace": TENANT},
        "jobs": [{**job, "name": f"bench-{index:04}"} for index in range(jobs)],
    }


def _measure(own: pulumi.Workspace, jobs: int) -> Measurement:
    """Add that many jobs to a stack that has none, in three ways."""
    fast = replace(own, variables={**own.variables, **NO_CHECKPOINTS})
    without_jobs = _state(own)
    _declare(own, jobs)
    up, peak = _timed_with_memory(own, "up", "--yes", "--skip-preview")
    second_up = _timed(own, "up", "--yes", "--skip-preview", "--expect-no-changes")
    preview = _timed(own, "preview")
    manifest = _declared_jobs(_state(own))
    _forget_jobs(own, manifest, without_jobs)
    up_without_checkpoints = _timed(fast, "up", "--yes", "--skip-preview")
    _forget_jobs(own, manifest, without_jobs)
    kubectl_apply = _kubectl_apply(own, manifest)
    _declare(own, 0)
    return Measurement(
        jobs=jobs,
        kubectl_apply=kubectl_apply,
        up=up,
        up_without_checkpoints=up_without_checkpoints,
        second_up=second_up,
        preview=preview,
        peak_bytes=peak,
    )


def _project(deployed: pulumi.Workspace, folder: Path) -> pulumi.Workspace:
    """A copy of the project with a state of its own, deployed without jobs."""
    own = scratch.with_own_state(scratch.copied(deployed, folder))
    _declare(own, 0)
    _timed(own, "up", "--yes", "--skip-preview")
    return own


def _declare(own: pulumi.Workspace, jobs: int) -> None:
    (own.project / "stacks" / f"{pulumi.STACK}.yaml").write_text(yaml.safe_dump(stack(jobs)))


def _forget_jobs(own: pulumi.Workspace, manifest: str, state: str) -> None:
    """Take the jobs out of the cluster and out of Pulumi's state, faster than an update would."""
    _kubectl(own, manifest, "delete", "--wait=true", "-f", "-")
    file = own.project / "state.json"
    file.write_text(state)
    _checked(own.run("stack", "import", "--stack", pulumi.STACK, "--file", str(file), capture=True))


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


def _state(own: pulumi.Workspace) -> str:
    done = own.run("stack", "export", "--stack", pulumi.STACK, capture=True)
    _checked(done)
    return done.stdout


def _declared_jobs(state: str) -> str:
    """The same TFJobs as plain manifests, out of Pulumi's state."""
    resources = json.loads(state)["deployment"]["resources"]
    jobs = [resource["inputs"] for resource in resources if resource["type"].endswith(":TFJob")]
    return yaml.safe_dump_all([_plain(job) for job in jobs])


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
    _checked(kubectl.run(workspace.kubectl, *arguments, stdin=manifest))


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
