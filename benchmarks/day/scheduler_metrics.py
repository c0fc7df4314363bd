"""What the scheduler says of itself: how long it thinks about a pod."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from benchmarks.day.api import Api
from sandbox.control_plane import SCHEDULER

_SUM = re.compile(
    r"^(scheduler_scheduling_algorithm_duration_seconds|scheduler_pod_scheduling_sli_duration_seconds)"
    r"_(sum|count)(?:\{.*?\})? (\S+)$",
    re.M,
)


@dataclass(frozen=True)
class Pace:
    """Means over a day, in seconds.

    Fields: decision, for which node a pod is, an attempt; until_bound, from when a pod may be scheduled, all
    attempts together.
    """

    decision: float
    attempts: int
    until_bound: float


def totals(api: Api) -> Mapping[str, float]:
    """Sums and counts since the scheduler began."""
    return parsed(api.text(f"{SCHEDULER}/metrics"))


def parsed(text: str) -> Mapping[str, float]:
    found: dict[str, float] = {}
    for name, kind, value in _SUM.findall(text):
        found[f"{name}_{kind}"] = found.get(f"{name}_{kind}", 0.0) + float(value)
    return found


def between(before: Mapping[str, float], after: Mapping[str, float]) -> Pace:
    """Of what happened between two readings."""

    def mean(name: str) -> tuple[float, int]:
        count = after.get(f"{name}_count", 0) - before.get(f"{name}_count", 0)
        total = after.get(f"{name}_sum", 0) - before.get(f"{name}_sum", 0)
        return (total / count if count else 0.0), int(count)

    decision, attempts = mean("scheduler_scheduling_algorithm_duration_seconds")
    until_bound, _ = mean("scheduler_pod_scheduling_sli_duration_seconds")
    return Pace(decision, attempts, until_bound)
