"""The results of a run, and their file."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from benchmarks.day.measure import Shares, Waits
from benchmarks.day.scheduler_metrics import Pace
from benchmarks.day.workload import Amount


@dataclass(frozen=True)
class Offline:
    """What came of the jobs.

    Fields: preemptions of pods; lost_pod_hours and lost_core_hours of training that has to be done again;
    finished_job_hours of jobs that ended well; core_hours of training that is not lost; failures, attempts
    that the operator declared failed; deadlocks, times that an owner gave up a job whose workers waited for
    each other.
    """

    preemptions: int
    lost_pod_hours: float
    lost_core_hours: float
    finished: int
    submitted: int
    finished_job_hours: float
    core_hours: float
    failures: int
    deadlocks: int


@dataclass(frozen=True)
class DayResult:
    """A day under a setting. began and ended are the real time of what counts, in ISO 8601."""

    setting: str
    title: str
    began: str
    ended: str
    requested: Shares
    used: Shares
    stalled: Shares
    online_requested: Shares
    waits: Waits
    online_served: float
    """Of the replica-hours that services wanted, the share that ran."""
    online_preempted: int
    offline: Offline
    pace: Pace
    observer_lag_seconds: float
    slowest_tick_seconds: float
    cpu_requested_over_day: list[float]
    cpu_online_over_day: list[float]
    """Shares of 1, in parts of equal length."""
    reported_offline_cpu: float | None = None
    """What jobs requested of the cluster's CPU, as `colo report` says it; None: it was not asked."""


@dataclass(frozen=True)
class SizeResult:
    """The days of a cluster of one size; the work is the same in all."""

    nodes: int
    capacity: Amount
    hours: float
    hour_seconds: float
    services: int
    jobs: int
    days: list[DayResult]


@dataclass(frozen=True)
class Results:
    """A whole run."""

    source: str
    seed: int
    machine: str
    versions: dict[str, str]
    sizes: list[SizeResult]


_ADAPTER: TypeAdapter[Results] = TypeAdapter(Results)


def joined(file: Path, now: Results) -> Results:
    """With the other sizes of the record that is there, if it is of the same work, machine and versions."""
    try:
        before = read(file)
    except (FileNotFoundError, ValueError):
        return now
    if replace(before, sizes=[]) != replace(now, sizes=[]):
        return now
    sizes = {size.nodes: size for size in (*before.sizes, *now.sizes)}
    return replace(now, sizes=[sizes[nodes] for nodes in sorted(sizes)])


def write(file: Path, results: Results) -> None:
    """Replace the file whole."""
    file.parent.mkdir(parents=True, exist_ok=True)
    half = file.with_suffix(".partial")
    half.write_text(json.dumps(_rounded(asdict(results)), indent=1) + "\n", "utf-8")
    half.rename(file)


def _rounded(value: Any) -> Any:
    """To a tenth of a thousandth: the rest is noise, and makes the file long."""
    if isinstance(value, float):
        return round(value, 4)
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    return [_rounded(item) for item in value] if isinstance(value, list | tuple) else value


def read(file: Path) -> Results:
    """Raises FileNotFoundError, and ValueError where it is of another version of this program."""
    found: Any = json.loads(file.read_text("utf-8"))
    return _ADAPTER.validate_python(found)
