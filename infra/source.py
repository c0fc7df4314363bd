"""Data that was read from files, and where each part of it stands there."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from infra.checks.findings import Finding, Located
from infra.models.base import Loc
from infra.places import shown

_PLAIN_KEY = re.compile(r"[A-Za-z_][\w-]*")


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a part of the data was written."""

    file: Path
    line: int
    """Counts from 1."""
    loc: Loc
    """Its place in that file."""


@dataclass(frozen=True)
class Source:
    """Data with the origin of each part."""

    data: Any
    origins: Mapping[Loc, Origin]

    @classmethod
    def of(cls, file: Path, data: Any, lines: Mapping[Loc, int]) -> "Source":
        """Data that stands in one file."""
        return cls(data, {loc: Origin(file, line, loc) for loc, line in {(): 1, **lines}.items()})

    def origin(self, loc: Loc) -> Origin:
        """Where a place was written; one that is not there stands at the line of what it would stand in."""
        for known in range(len(loc), -1, -1):
            if origin := self.origins.get(loc[:known]):
                return replace(origin, loc=origin.loc + loc[known:])
        raise KeyError(())

    def locate(self, finding: Finding) -> Located:
        """The finding with file, line and path."""
        origin = self.origin(finding.place)
        return Located(
            file=shown(origin.file),
            line=origin.line,
            path=path(origin.loc),
            code=finding.code,
            severity=finding.severity,
            object=self._object(finding.place),
            message=finding.message,
            remedy=finding.remedy,
        )

    def _object(self, loc: Loc) -> str:
        name, value = "", self.data
        for part in loc:
            try:
                value = value[part]
            except (KeyError, IndexError, TypeError):
                break
            if isinstance(value, Mapping) and isinstance(value.get("name"), str):
                name = value["name"]
        return _on_one_line(name)


def path(loc: Loc) -> str:
    """`jobs[2].worker.resources`; a key that is no plain word stands in brackets: `quota[count/jobs]`."""
    words = []
    for part in loc:
        plain = isinstance(part, str) and _PLAIN_KEY.fullmatch(part)
        words.append(f".{part}" if plain else f"[{_on_one_line(str(part))}]")
    return "".join(words).removeprefix(".")


def _on_one_line(text: str) -> str:
    return text if text.isprintable() else repr(text)[1:-1]
