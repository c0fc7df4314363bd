"""Records what `pulumi preview --json` says of edits of the stack `dev` on the sandbox, for golden tests.

    flock /tmp/colo-cluster-tests.lock .venv/bin/python -m tests.cluster.record_previews

Kept are the steps that change something, without outputs, config, providers, schemas of definitions and long
texts: nothing of a machine, no secret. It wants a sandbox that is up, and brings the stack up to date first.
"""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

from sandbox import pulumi, scratch
from sandbox.progress import Progress
from tests.cluster.conftest import whole

PREVIEWS = Path(__file__).resolve().parents[1] / "infra" / "previews"
STATE = ("type", "urn", "inputs", "protect", "retainOnDelete")
_LONGEST = 200  # characters of a value
Data = dict[str, Any]


def nothing(stack: Data, scripts: Path) -> None:
    """The stack as it is."""


def everyday(stack: Data, scripts: Path) -> None:
    """More quota, a new job, a changed image, a changed script, a job that is gone."""
    stack["tenants"][0]["quota"]["requests.nvidia.com/gpu"] = "12"
    stack["tenants"][0]["quota"]["requests.memory"] = "700Gi"
    cpu, gpu, _ = stack["jobs"]
    stack["jobs"] = [
        cpu,
        {**gpu, "image": f"{gpu['image']}-next"},
        {**gpu, "name": "tf-new", "worker": {**gpu["worker"], "replicas": 2}},
    ]
    script = scripts / cpu["script"]
    script.write_text(script.read_text() + "\n# changed\n")


def tuned(stack: Data, scripts: Path) -> None:
    """Other amounts, nodes and variables."""
    cpu, gpu, _ = stack["jobs"]
    cpu["worker"]["resources"]["requests"]["cpu"] = "1"
    cpu["env"] = {"EPOCHS": "3"}
    gpu["worker"]["replicas"] = 2
    gpu["run_policy"] = {"suspend": True}
    stack["pools"][0]["nodes"].remove("node-gpu-04")


def dangerous(stack: Data, scripts: Path) -> None:
    """Data that would be gone, and an operator that others may need."""
    stack["training_operator"] = {"install": False, "namespace": "kubeflow"}
    stack["storage"] = []
    for job in stack["jobs"]:
        job["volumes"] = []
        job.pop("checkpoint_path", None)


def scheduled(stack: Data, scripts: Path) -> None:
    """A job becomes one that runs every night."""
    job = stack["jobs"][0]
    job["schedule"] = {"cron": "0 2 * * *"}


def alerting(stack: Data, scripts: Path) -> None:
    """An alert that is not wanted, one of one's own, and somebody who hears of them."""
    stack["alerts"] = {
        "disabled": ["TFJobRestartLoop"],
        "rules": [{"alert": "QueueLong", "expr": "queue_length > 5", "labels": {"severity": "warning"}}],
        "receivers": [{"name": "ops", "webhook": {"url": "http://pager.example.org/alerts"}}],
        "default_receiver": "ops",
    }


def reordered(stack: Data, scripts: Path) -> None:
    """Another value of a priority, which Kubernetes does not change in place."""
    offline = next(p for p in stack["priorities"] if p["kind"] == "offline")
    offline["value"] += 100


SCENES: tuple[Callable[[Data, Path], None], ...] = (
    nothing,
    everyday,
    tuned,
    dangerous,
    scheduled,
    alerting,
    reordered,
)


def reduced(preview: Data) -> Data:
    """What a summary reads, and no more."""
    steps = [_step(step) for step in preview["steps"] if step["op"] != "same" and _is_ours(step)]
    errors = [line for line in preview.get("diagnostics") or () if line.get("severity") == "error"]
    return {"steps": steps, **({"diagnostics": errors} if errors else {})}


def _is_ours(step: Data) -> bool:
    return "pulumi:providers:" not in step["urn"]


def _step(step: Data) -> Data:
    states = {side: _state(step[side]) for side in ("oldState", "newState") if step.get(side)}
    return {"op": step["op"], "urn": step["urn"], **states}


def _state(state: Data) -> Data:
    kept = {key: state[key] for key in STATE if state.get(key)}
    inputs = {k: v for k, v in kept.get("inputs", {}).items() if not k.startswith("__")}
    if inputs.get("kind") == "CustomResourceDefinition":
        inputs.pop("spec", None)
    return {**kept, "inputs": _cut(inputs)}


def _cut(value: Any) -> Any:
    """Scripts and dashboards by their hash: whether they differ is all that counts."""
    if isinstance(value, dict):
        return {key: _cut(below) for key, below in value.items()}
    if isinstance(value, list):
        return [_cut(below) for below in value]
    if isinstance(value, str) and len(value) > _LONGEST:
        return f"sha256:{hashlib.sha256(value.encode()).hexdigest()}"
    return value


def main() -> None:
    workspace = pulumi.workspace(Progress())
    with tempfile.TemporaryDirectory() as folder:
        base = scratch.copied(workspace, Path(folder) / "base")
        done = base.update("up", "--yes", "--skip-preview", capture=True)
        if done.returncode != 0:
            sys.exit(done.stdout[-3000:])
        for scene in SCENES:
            copy = scratch.copied(workspace, Path(folder) / scene.__name__)
            file = copy.project / "stacks" / "dev.yaml"
            stack = whole(file)
            scene(stack, file.parent / "scripts")
            file.write_text(yaml.safe_dump(stack, sort_keys=False))
            said = copy.update("preview", "--json", capture=True)
            text = json.dumps(reduced(json.loads(said.stdout)), indent=1, sort_keys=True, ensure_ascii=False)
            (PREVIEWS / f"{scene.__name__}.json").write_text(text + "\n")
            print(f"{scene.__name__}: {len(text)} bytes")


if __name__ == "__main__":
    main()
