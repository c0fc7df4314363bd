"""The work of a day: online services and offline jobs, drawn from a trace or from a small mix of our own.

The same seed, trace and nodes give the same work.
"""

from __future__ import annotations

import csv
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil, cos, pi
from pathlib import Path

TRACE_FILE = "openb_pod_list_default.csv"
"""Of alibaba/clusterdata, cluster-trace-gpu-v2023."""
DAY_HOURS = 24.0
STEP_HOURS = 1 / 3
"""How often a service changes its number of replicas."""
TROUGH = 0.25
"""A service's load at night, as a share of its peak."""
NOISE = 0.06
"""Of the load at each step, as a share of it (one standard deviation)."""
PEAK_SHARE = 2 / 3
"""Of the nodes that separate pools give to services, what these request when all are at their peak."""
PEAK_HOUR, PEAK_SPREAD_HOURS = 20.0, 2.0
MOST_REPLICAS = 6
LIFETIME_HOURS = (1.0, 12.0)
"""Pods of the trace that ended sooner are left out: a compressed day would measure only how pods start."""
GANGS = {1: 0.5, 2: 0.3, 4: 0.2}
"""Workers of a job, and how often. The trace does not tell which pods belong together."""
QUEUED_AT_START = 0.25
"""Of the offline work, what waits already when the day begins; the rest comes evenly until LAST_ARRIVAL."""
LAST_ARRIVAL_HOUR = 22.0
WORK = 1.1
"""Of the hours of cores and GPUs that services leave free, what jobs ask for: there is always a queue."""


@dataclass(frozen=True)
class Amount:
    """What a pod asks for, or a node has: cores, GiB, whole GPUs."""

    cpu: float
    memory: float
    gpus: int = 0

    def fits(self, other: Amount) -> bool:
        return self.cpu <= other.cpu and self.memory <= other.memory and self.gpus <= other.gpus

    def __add__(self, other: Amount) -> Amount:
        return Amount(self.cpu + other.cpu, self.memory + other.memory, self.gpus + other.gpus)

    def __mul__(self, count: int) -> Amount:
        return Amount(self.cpu * count, self.memory * count, self.gpus * count)

    def times(self, hours: float) -> Amount:
        """Core-hours, GiB-hours, GPU-hours."""
        return Amount(self.cpu * hours, self.memory * hours, round(self.gpus * hours))

    def less(self, other: Amount, times: float) -> Amount:
        return Amount(
            self.cpu - other.cpu * times,
            self.memory - other.memory * times,
            self.gpus - round(other.gpus * times),
        )


@dataclass(frozen=True)
class Shape:
    """A pod of the mix; `hours` is how long an offline one runs."""

    request: Amount
    hours: float = 0.0


@dataclass(frozen=True)
class Mix:
    """What services and jobs are drawn from, and where that comes from."""

    source: str
    online: tuple[Shape, ...]
    offline: tuple[Shape, ...]


@dataclass(frozen=True)
class Service:
    """An online service and how many replicas it wants at each step of the day."""

    name: str
    request: Amount
    replicas: tuple[int, ...]

    def wanted(self, hour: float) -> int:
        return self.replicas[min(max(int(hour / STEP_HOURS), 0), len(self.replicas) - 1)]


@dataclass(frozen=True)
class Job:
    """A training job: that many workers that make progress only together, for that many hours."""

    name: str
    request: Amount
    workers: int
    hours: float
    arrives: float
    """Hour of the day."""


@dataclass(frozen=True)
class Work:
    """Everything that a day brings."""

    source: str
    services: tuple[Service, ...]
    jobs: tuple[Job, ...]

    @property
    def peak(self) -> Amount:
        """The most that services request at one time of the day, each resource for itself."""
        steps = range(round(DAY_HOURS / STEP_HOURS))
        sums = [
            sum((service.request * service.replicas[i] for service in self.services), Amount(0, 0))
            for i in steps
        ]
        return Amount(max(a.cpu for a in sums), max(a.memory for a in sums), max(a.gpus for a in sums))


def trace_mix(folder: Path) -> Mix:
    """The mix of the trace in a folder.

    Latency-sensitive pods (LS) give services, best-effort ones (BE) jobs. A share of a GPU becomes a whole
    one, which is what Kubernetes gives.
    """
    online, offline = [], []
    with (folder / TRACE_FILE).open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            request = Amount(int(row["cpu_milli"]) / 1000, int(row["memory_mib"]) / 1024, int(row["num_gpu"]))
            if row["qos"] == "LS":
                online.append(Shape(request))
            elif row["qos"] == "BE" and row["deletion_time"] and row["scheduled_time"]:
                hours = (int(row["deletion_time"]) - int(row["scheduled_time"])) / 3600
                if hours >= LIFETIME_HOURS[0]:
                    offline.append(Shape(request, min(hours, LIFETIME_HOURS[1])))
    return Mix(f"trace {TRACE_FILE}", tuple(online), tuple(offline))


def small_mix() -> Mix:
    """A mix of a few usual sizes, where no trace is at hand."""
    online = (Amount(4, 16), Amount(8, 32), Amount(12, 48, 1), Amount(12, 48, 1))
    offline = (Amount(4, 8, 1), Amount(4, 8, 1), Amount(8, 32, 1), Amount(8, 16), Amount(16, 48))
    hours = (1.0, 2.0, 4.0, 8.0)
    shapes = tuple(Shape(request, life) for request in offline for life in hours)
    return Mix("built-in small mix", tuple(map(Shape, online)), shapes)


def draw(
    mix: Mix, online: Sequence[Amount], offline: Sequence[Amount], seed: int, hours: float = DAY_HOURS
) -> Work:
    """The work for nodes of which separate pools would give some to services and some to jobs.

    `hours`: work of the first hours only, for a short run.
    """
    services = tuple(_services(mix.online, online, random.Random(f"{seed} services")))
    free = sum((*online, *offline), Amount(0, 0)).times(DAY_HOURS)
    for service in services:
        free = free.less(service.request, sum(service.replicas) * STEP_HOURS)
    jobs = tuple(_jobs(mix.offline, offline, free.times(WORK), random.Random(f"{seed} jobs")))
    return Work(mix.source, services, tuple(job for job in jobs if job.arrives <= hours))


def _services(shapes: Sequence[Shape], nodes: Sequence[Amount], dice: random.Random) -> Iterator[Service]:
    """Services until their peaks request PEAK_SHARE of the nodes; when GPUs are gone, those without go on."""
    total = sum(nodes, Amount(0, 0))
    room = Amount(total.cpu * PEAK_SHARE, total.memory * PEAK_SHARE, int(total.gpus * PEAK_SHARE))
    fitting = [shape.request for shape in shapes if any(shape.request.fits(node) for node in nodes)]
    used, number = Amount(0, 0), 0
    while True:
        left = Amount(room.cpu - used.cpu, room.memory - used.memory, room.gpus - used.gpus)
        fitting = [request for request in fitting if request.fits(left)]
        if not fitting:
            return
        request = dice.choice(fitting)
        most = next(n for n in range(MOST_REPLICAS, 0, -1) if (request * n).fits(left))
        peak = dice.randint(min(2, most), most)
        used += request * peak
        yield Service(f"service-{number:03}", request, tuple(_replicas(peak, dice)))
        number += 1


def _replicas(peak: int, dice: random.Random) -> Iterator[int]:
    """Those of one day, step by step."""
    top = dice.gauss(PEAK_HOUR, PEAK_SPREAD_HOURS)
    for step in range(round(DAY_HOURS / STEP_HOURS)):
        noisy = load(step * STEP_HOURS - top) * (1 + dice.gauss(0, NOISE))
        yield min(max(ceil(peak * noisy - 0.25), 1), peak)


def load(hours_from_peak: float) -> float:
    """Of a service, as a share of its peak: one peak a day, and a long night."""
    return TROUGH + (1 - TROUGH) * ((1 + cos(2 * pi * hours_from_peak / DAY_HOURS)) / 2) ** 2


def _jobs(
    shapes: Sequence[Shape], nodes: Sequence[Amount], free: Amount, dice: random.Random
) -> Iterator[Job]:
    """Jobs until their work fills what is free, in hours of cores and GPUs.

    First those with GPUs until these are filled, then those without: the trace's machines have other numbers
    of cores to a GPU than these. None is larger than what separate pools give to jobs.
    """
    fitting = [shape for shape in shapes if any(shape.request.fits(node) for node in nodes)]
    total = sum(nodes, Amount(0, 0))
    sizes, weights = tuple(GANGS), tuple(GANGS.values())
    drawn: list[tuple[Shape, int]] = []
    for with_gpus in (True, False):
        kind = [shape for shape in fitting if bool(shape.request.gpus) == with_gpus]
        while kind and (free.gpus if with_gpus else free.cpu) > 0:
            shape = dice.choice(kind)
            [workers] = dice.choices(sizes, weights)
            while not (shape.request * workers).fits(total):
                workers //= 2
            drawn.append((shape, workers))
            free = free.less(shape.request, workers * shape.hours)
    dice.shuffle(drawn)
    for i, (shape, workers) in enumerate(drawn):
        share = i / len(drawn)
        late = max(0.0, (share - QUEUED_AT_START) / (1 - QUEUED_AT_START))
        yield Job(f"job-{i:04}", shape.request, workers, shape.hours, late * LAST_ARRIVAL_HOUR)
