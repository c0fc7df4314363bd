"""What the sandbox's monitoring stack costs: memory and processor time of each of its pods.

By the kubelet's own count, on a sandbox that runs; beside it the memory of the whole sandbox. Nothing is
started or changed.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from sandbox import cluster, kubectl, tools
from sandbox.monitoring.objects import NAMESPACE
from sandbox.node import NODE_NAME
from sandbox.progress import Progress

SECONDS = 60


@dataclass(frozen=True, kw_only=True)
class Reading:
    """A pod at one moment: working set, and processor time used so far by the clock of the measurement."""

    memory_bytes: int
    cpu_seconds: float
    at: datetime


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.monitoring_cost", description=__doc__)
    parser.add_argument("seconds", nargs="?", type=int, default=SECONDS, help="how long to measure")
    seconds = parser.parse_args(arguments).seconds
    if not cluster.status().up:
        print("the sandbox is down: run `make up` first", file=sys.stderr)
        return 1
    program = tools.ensure(["kubectl"], Progress())["kubectl"]
    before = readings(_summary(program))
    time.sleep(seconds)
    after = readings(_summary(program))
    print("\n".join(table(before, after, cluster.status().memory_bytes)))
    return 0


def readings(summary: Mapping[str, Any]) -> dict[str, Reading]:
    """The stack's pods in what a kubelet answers under `stats/summary`."""
    return {
        pod["podRef"]["name"]: Reading(
            memory_bytes=pod["memory"]["workingSetBytes"],
            cpu_seconds=pod["cpu"]["usageCoreNanoSeconds"] / 1e9,
            at=datetime.fromisoformat(pod["cpu"]["time"]),
        )
        for pod in summary["pods"]
        if pod["podRef"]["namespace"] == NAMESPACE
    }


def table(before: Mapping[str, Reading], after: Mapping[str, Reading], sandbox_bytes: int) -> list[str]:
    """A row a pod that was there all the time, their sum, and the whole sandbox."""
    rows = ["| pod | memory, MiB | CPU, millicores |", "| --- | ---: | ---: |"]
    memory, cores = 0, 0.0
    for name in sorted(before.keys() & after.keys()):
        start, end = before[name], after[name]
        used = (end.cpu_seconds - start.cpu_seconds) / (end.at - start.at).total_seconds()
        memory, cores = memory + end.memory_bytes, cores + used
        rows.append(_row(name, end.memory_bytes, f"{used * 1000:.0f}"))
    rows.append(_row("together", memory, f"{cores * 1000:.0f}"))
    rows.append(_row("the whole sandbox", sandbox_bytes, ""))
    return rows


def _row(name: str, memory_bytes: int, cpu: str) -> str:
    return f"| {name} | {memory_bytes / 2**20:.0f} | {cpu} |"


def _summary(program: Path) -> dict[str, Any]:
    path = f"/api/v1/nodes/{NODE_NAME}/proxy/stats/summary"
    answer: dict[str, Any] = json.loads(kubectl.output(program, "get", "--raw", path))
    return answer


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
