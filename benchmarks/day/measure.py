"""What a day's pods add up to: pure functions of what the observer saw.

Times are seconds of one clock. A pod holds its request from when it is bound until its place is free again.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Final

from benchmarks.day.watch import Pod
from benchmarks.day.workload import STEP_HOURS, Amount, Service

Interval = tuple[float, float]
USE: Final[Mapping[tuple[bool, str], Interval]] = {
    (True, "cpu"): (0.2, 0.5),
    (True, "memory"): (0.5, 0.8),
    (True, "gpus"): (0.2, 0.5),
    (False, "cpu"): (0.6, 0.95),
    (False, "memory"): (0.5, 0.8),
    (False, "gpus"): (0.7, 0.95),
}
"""What pods really use of what they request: least and most, by online and resource. Assumed; a job's pods
use CPU and GPUs only while all of them run."""
RESOURCES: Final = ("cpu", "memory", "gpus")


@dataclass(frozen=True)
class Shares:
    """Of the cluster's resources, 0 to 1."""

    cpu: float
    memory: float
    gpus: float


@dataclass(frozen=True)
class Waits:
    """Seconds from a pod's creation to its place on a node; one that got none counts with what it waited."""

    pods: int
    p50: float
    p99: float
    worst: float
    never_ran: int
    """Got no place before they were given up, or the day ended."""


def held(pod: Pod, window: Interval) -> Interval | None:
    """When within a window a pod had its place."""
    if pod.bound is None:
        return None
    return overlap((pod.bound, window[1] if pod.ended is None else pod.ended), window)


def overlap(one: Interval, other: Interval) -> Interval | None:
    begin, end = max(one[0], other[0]), min(one[1], other[1])
    return (begin, end) if begin < end else None


def requested(pods: Iterable[Pod], window: Interval, capacity: Amount) -> Shares:
    """Shares of the capacity that pods held over the window."""
    sums = dict.fromkeys(RESOURCES, 0.0)
    for pod in pods:
        if part := held(pod, window):
            for name in RESOURCES:
                sums[name] += (part[1] - part[0]) * getattr(pod.request, name)
    return _shares(sums, window, capacity)


def used(
    pods: Sequence[Pod], workers: Mapping[str, int], window: Interval, capacity: Amount, seed: int
) -> Shares:
    """Shares of the capacity that pods really used. `workers`: how many each TFJob has."""
    sums = dict.fromkeys(RESOURCES, 0.0)
    together = working(pods, workers, window)
    seen: dict[str, int] = defaultdict(int)
    for pod in sorted(pods, key=lambda pod: pod.created):
        dice = random.Random(f"{seed} {pod.owner} {seen[pod.owner]}")
        seen[pod.owner] += 1
        fractions = {name: dice.uniform(*USE[pod.online, name]) for name in RESOURCES}
        part = held(pod, window)
        if part is None:
            continue
        busy = [part] if pod.online else together.get(pod.owner, [])
        for name in RESOURCES:
            times = [part] if name == "memory" else [o for i in busy if (o := overlap(i, part))]
            seconds = sum(end - begin for begin, end in times)
            sums[name] += seconds * getattr(pod.request, name) * fractions[name]
    return _shares(sums, window, capacity)


def working(pods: Iterable[Pod], workers: Mapping[str, int], window: Interval) -> dict[str, list[Interval]]:
    """When all workers of each TFJob ran together."""
    changes: dict[str, list[tuple[float, int]]] = defaultdict(list)
    for pod in pods:
        if not pod.online and pod.running is not None:
            end = min(t for t in (pod.leaving, pod.ended, window[1]) if t is not None)
            if pod.running < end:
                changes[pod.owner] += [(pod.running, 1), (end, -1)]
    return {
        owner: list(_full(sorted(found), workers[owner]))
        for owner, found in changes.items()
        if owner in workers
    }


def _full(changes: Sequence[tuple[float, int]], count: int) -> Iterator[Interval]:
    running, since = 0, None
    for at, change in changes:
        running += change
        if running >= count and since is None:
            since = at
        elif running < count and since is not None:
            yield since, at
            since = None


def stalled(pods: Sequence[Pod], workers: Mapping[str, int], window: Interval, capacity: Amount) -> Shares:
    """Shares that pods of jobs held without progress: some of their peers were missing."""
    together = working(pods, workers, window)
    sums = dict.fromkeys(RESOURCES, 0.0)
    for pod in pods:
        if not pod.online and (part := held(pod, window)):
            busy = sum(o[1] - o[0] for i in together.get(pod.owner, []) if (o := overlap(i, part)))
            for name in RESOURCES:
                sums[name] += (part[1] - part[0] - busy) * getattr(pod.request, name)
    return _shares(sums, window, capacity)


def waits(pods: Iterable[Pod], window: Interval) -> Waits:
    """Of the pods created within a window."""
    seconds, never = [], 0
    for pod in pods:
        if not window[0] <= pod.created < window[1]:
            continue
        if pod.bound is not None:
            seconds.append(pod.bound - pod.created)
            continue
        never += 1
        given_up = min(t for t in (pod.leaving, pod.ended, window[1]) if t is not None)
        seconds.append(given_up - pod.created)
    return Waits(
        len(seconds), percentile(seconds, 0.5), percentile(seconds, 0.99), max(seconds, default=0.0), never
    )


def percentile(values: Sequence[float], share: float) -> float:
    """By the nearest rank; 0 of nothing."""
    return sorted(values)[max(ceil(share * len(values)), 1) - 1] if values else 0.0


def bins(window: Interval, count: int) -> list[Interval]:
    """A window in equal parts."""
    width = (window[1] - window[0]) / count
    return [(window[0] + i * width, window[0] + (i + 1) * width) for i in range(count)]


def _shares(sums: Mapping[str, float], window: Interval, capacity: Amount) -> Shares:
    seconds = window[1] - window[0]
    return Shares(*(sums[name] / (seconds * getattr(capacity, name)) for name in RESOURCES))


def served(pods: Iterable[Pod], services: Iterable[Service], window: Interval, hours: float) -> float:
    """Of the replica-hours that services wanted, the share that ran."""
    begin, end = window
    hour = (end - begin) / hours
    names = {service.name for service in services}
    ran = sum(
        part[1] - part[0]
        for pod in pods
        if pod.owner in names
        and pod.running is not None
        and (part := overlap((pod.running, end if pod.ended is None else pod.ended), window))
    )
    steps = [i * STEP_HOURS for i in range(round(hours / STEP_HOURS))]
    wanted = sum(service.wanted(step) * STEP_HOURS * hour for service in services for step in steps)
    return min(ran / wanted, 1.0) if wanted else 1.0
