"""What a check says, where it stands in a file, and what a check looks at."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, Self

from infra.charts import LocalChart
from infra.checks.pods import Workload
from infra.checks.sending import workloads
from infra.dashboard_files import DashboardFiles
from infra.models import Stack
from infra.models.base import Loc

Severity = Literal["fault", "warning", "advice"]
"""fault: nothing is applied. warning: probably not meant. advice: could be better; never fails a run."""


EVERY_LIST = "*"


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One thing that is wrong, or that is probably not meant. A `Source` says in which line."""

    severity: Severity = "fault"
    code: str
    """Short and stable; each has a section in docs/checks."""
    place: Loc
    """Where in the data: keys and list positions."""
    message: str
    """What is wrong."""
    remedy: str
    """What to write instead."""
    presumes: str | None = None
    """The list of the stack that must be complete for this to be true; or EVERY_LIST."""

    @classmethod
    def of(cls, code: str, place: Loc, sentence: str) -> Self:
        """A fault from `<what is wrong>; <what to write instead>`, as models say it."""
        message, _, remedy = sentence.rpartition("; ")
        return cls(code=code, place=place, message=message, remedy=remedy)


@dataclass(frozen=True, kw_only=True, order=True)
class Located:
    """A finding with its place in a file; in the order in which people read them."""

    file: str
    line: int
    """Counts from 1."""
    path: str
    """`jobs[2].worker.resources`; empty for the file as a whole."""
    code: str
    severity: Severity
    object: str
    """Name of the innermost thing that has one, such as the job's; else empty."""
    message: str
    remedy: str

    @property
    def place(self) -> str:
        """`stacks/prod.yaml:41 jobs[2].worker.resources`."""
        return f"{self.file}:{self.line} {self.path or 'the file'}"

    @property
    def sentence(self) -> str:
        """What is wrong, and what to write instead."""
        return f"{self.message}; {self.remedy}"

    def __str__(self) -> str:
        """A line that ends with the code to look up and the name of what is concerned."""
        severity = "" if self.severity == "fault" else f"{self.severity}: "
        about = f"{self.code}, {self.object}" if self.object else self.code
        return f"{self.place}: {severity}{self.sentence} [{about}]"


@dataclass(frozen=True)
class Subject:
    """A stack, and what it names that lies beside it."""

    stack: Stack
    scripts: Mapping[str, str]
    """With those that they import."""
    unusable_scripts: Mapping[str, str] = field(default_factory=dict)
    """Why those that are there cannot be used: `<what is wrong>; <what to do>`."""
    other_scripts: Collection[str] = ()
    """Names of those that no job names."""
    chart: LocalChart | None = None
    """The chart that monitoring takes from beside the stack."""
    queueing_chart: LocalChart | None = None
    """As `chart`, of queueing."""
    dashboards: DashboardFiles = field(default_factory=DashboardFiles)
    """What the stack's folder of dashboards holds."""
    name: str | None = None
    """The stack's, where its file says it."""
    stored: Callable[[str], bool | None] | None = None
    """Whether the value of a name is kept as a secret, None where there is none; unset: nobody knows."""

    @cached_property
    def workloads(self) -> tuple[Workload, ...]:
        """Every job with its pods as they are sent; built once for all checks."""
        return tuple(workloads(self.stack))


Check = Callable[[Subject], Iterator[Finding]]
