"""Data that was read from a file, and where each part of it stands there."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from infra.checks.findings import Finding, Located
from infra.models.base import Loc
from infra.places import shown

_PLAIN_KEY = re.compile(r"[A-Za-z_][\w-]*")


@dataclass(frozen=True)
class Source:
    """A file's data with its lines."""

    file: Path
    data: Any
    lines: Mapping[Loc, int]

    def line(self, loc: Loc) -> int:
        """The line of a place, or of what it would stand in."""
        while loc and loc not in self.lines:
            loc = loc[:-1]
        return self.lines.get(loc, 1)

    def locate(self, finding: Finding) -> Located:
        """The finding with file, line and path."""
        return Located(
            file=shown(self.file),
            line=self.line(finding.place),
            path=path(finding.place),
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
