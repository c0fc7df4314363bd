"""What a report says, as plain data with units in its names. None stands for what nobody has measured.

R2 is how full a resource is with all that runs, R1 how full it would be without offline work: shares of what
nodes can give, means over the window. N is the number of nodes, which services need anyway, for their peaks.
N * (R2 - R1) / R2 is how many nodes offline work would fill by itself, if those were as full as these are:
machines that need not be bought. GPU pools are offline work's own, so that the formula says nothing of GPUs.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from infra.report.questions import Class, Resource

Basis = Literal["requested", "used"]


@dataclass(frozen=True, kw_only=True)
class Use:
    """How full a resource was: by what pods request, or by what they use. Means over the window."""

    resource: Resource
    basis: Basis
    nodes: float
    """That can give it; of what is used only those where somebody measures it."""
    allocatable: float
    """Cores, bytes or GPUs, of these nodes together."""
    amounts: Mapping[Class, float]
    """Cores, bytes or GPUs, by whose pods they are."""

    @property
    def total(self) -> float:
        return sum(self.amounts.values())

    @property
    def idle(self) -> float:
        """What nobody requests, or uses."""
        return self.allocatable - self.total

    def percent(self, amount: float) -> float:
        """Of what the nodes can give."""
        return 100 * amount / self.allocatable if self.allocatable else 0.0

    @property
    def r1_percent(self) -> float:
        return self.percent(self.total - self.amounts["offline"])

    @property
    def r2_percent(self) -> float:
        return self.percent(self.total)

    @property
    def machines_saved(self) -> float | None:
        """N * (R2 - R1) / R2; None of GPUs, and where nobody but offline work had it: nothing was shared."""
        if self.resource == "gpu" or self.total <= 0 or self.r1_percent <= 0:
            return None
        return self.nodes * (self.r2_percent - self.r1_percent) / self.r2_percent


@dataclass(frozen=True, kw_only=True)
class Demand:
    """What pods of a class ask for against what they use, on nodes where that is measured."""

    resource: Resource
    of: Class
    requested: float
    used: float

    @property
    def used_percent(self) -> float | None:
        return 100 * self.used / self.requested if self.requested else None


@dataclass(frozen=True, kw_only=True)
class Harm:
    """What pods of a class have put up with."""

    of: Class
    throttled_percent: float | None
    """Of the periods in which containers with a CPU limit ran; None where there were none."""
    preempted_pods: float | None
    evicted_pods: float | None


@dataclass(frozen=True, kw_only=True)
class Jobs:
    """TFJobs of the stack's tenants. A job that ran twice counts twice."""

    started: int
    succeeded: int
    failed: int
    running: int
    """At the end of the window."""
    deleted: int
    """Begun within the window, and gone before their end."""
    finished_job_hours: float
    """Whole lengths of the runs that succeeded within the window."""
    lost_job_hours: float
    """Whole lengths of the runs that failed."""
    running_job_hours: float | None
    """Of all runs, as much of them as lies within the window."""


@dataclass(frozen=True)
class Missing:
    """Something that the report cannot say."""

    what: str
    why: str
    fix: str


@dataclass(frozen=True, kw_only=True)
class Course:
    """Values at each moment, in percent of what there is, or in numbers."""

    name: str
    values: tuple[float | None, ...]


@dataclass(frozen=True, kw_only=True)
class Report:
    """All of it."""

    stack: str
    start: datetime
    end: datetime
    step_seconds: int
    covered_percent: float
    """Of the window's moments, those of which Prometheus has samples."""
    first: datetime
    """The first of these moments."""
    uses: tuple[Use, ...]
    demands: tuple[Demand, ...]
    harms: tuple[Harm, ...]
    victims: float | None
    """Pods that the scheduler says it deleted to make room, of any class."""
    jobs: Jobs | None
    missing: tuple[Missing, ...]
    moments: tuple[datetime, ...]
    courses: Mapping[str, tuple[Course, ...]]
    """By the name of a chart."""

    def use(self, resource: Resource, basis: Basis) -> Use | None:
        return next((u for u in self.uses if (u.resource, u.basis) == (resource, basis)), None)

    def lacks(self, what: str) -> Missing | None:
        return next((m for m in self.missing if m.what == what), None)
