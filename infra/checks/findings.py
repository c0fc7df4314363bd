"""What a check says, and what it looks at."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from infra.models import Stack
from infra.models.base import Loc


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One thing that is wrong, or that is probably not meant."""

    severity: Literal["fault", "warning", "advice"] = "fault"
    code: str
    """Short and stable, for tests and for documentation."""
    place: Loc
    message: str
    remedy: str
    presumes: str | None = None
    """The list of the stack that must be complete for this to be true."""

    def __str__(self) -> str:
        warning = "warning: " if self.severity == "warning" else ""
        return f"{warning}{self.message}; {self.remedy}"


@dataclass(frozen=True)
class Subject:
    """A stack, and the text of the scripts that its jobs may name."""

    stack: Stack
    scripts: Mapping[str, str]


Check = Callable[[Subject], Iterator[Finding]]
