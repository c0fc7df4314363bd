"""Open-loop load on the service, and what the node did meanwhile.

The generator runs outside the pods' control groups and before all else that is no real-time program: what
it measures is the service's delay and not its own. Were it real-time itself, the kernel would not tell an
idle pod from a service when it chooses a processor for it, and take that of the service.
"""

from __future__ import annotations

import json
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

_SHELL = (
    'nice -n -20 "$0" attack -rate "$1" -duration "$2s" -timeout 5s -workers 20 -max-connections 50'
    ' | "$0" report -type json'
)
_STEAL, _IDLE, _WAITING = 7, 3, 4  # columns of /proc/stat


@dataclass(frozen=True, kw_only=True)
class Answers:
    """Milliseconds from sending a request to its answer, and the node's processors meanwhile."""

    p50: float
    p95: float
    p99: float
    worst: float
    answered: float
    """Share of the requests that were answered with success."""
    node_cpu: float
    """Share of the time of all the node's processors that was used."""
    steal: float
    """Share of it that the host of this virtual machine took."""
    began: float
    ended: float
    """Unix time."""


def attack(vegeta: Path, url: str, *, rate: int, seconds: float) -> Answers:
    """So many requests a second for so long, whether or not earlier ones are answered."""
    before, began = _processors(), time.time()
    done = subprocess.run(
        ["bash", "-c", _SHELL, str(vegeta), str(rate), str(seconds)],
        input=f"GET {url}\n",
        capture_output=True,
        text=True,
        check=False,
    )
    after, ended = _processors(), time.time()
    if done.returncode != 0 or not done.stdout:
        raise SystemExit(f"vegeta failed: {done.stderr.strip()}")
    report = json.loads(done.stdout)
    p50, p95, p99, worst = (report["latencies"][name] / 1e6 for name in ("50th", "95th", "99th", "max"))
    spent = [now - then for then, now in zip(before, after, strict=True)]
    return Answers(
        p50=p50,
        p95=p95,
        p99=p99,
        worst=worst,
        answered=report["success"],
        node_cpu=1 - (spent[_IDLE] + spent[_WAITING]) / sum(spent),
        steal=spent[_STEAL] / sum(spent),
        began=began,
        ended=ended,
    )


def _processors() -> list[int]:
    """The first eight columns: what guests used stands in others as well."""
    return [int(column) for column in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
