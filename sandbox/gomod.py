"""The versions that a group's go.mod pins: the only place where they are written."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from sandbox import paths

_REQUIREMENT = re.compile(
    r"^(?:require\s+|\s+)(?P<module>[^\s/]+\.[^\s]+)\s+(?P<version>v[^\s]+)(?:\s*//\s*(?P<note>.*))?$",
    re.MULTILINE,
)
_RELEASE = re.compile(r"\d+\.\d+\.\d+")


@cache
def text(group: str) -> str:
    return folder(group).joinpath("go.mod").read_text()


def folder(group: str) -> Path:
    return paths.TOOL_SOURCES / group


def version(group: str, module: str) -> str:
    """The pinned version of a module, e.g. `v1.34.4`.

    A comment that holds a bare version (`// 4.25.0`) wins: some modules are only served by commit, and some
    programs number their releases otherwise than their modules.
    """
    for match in _REQUIREMENT.finditer(text(group)):
        if match["module"] == module:
            release = _RELEASE.search(match["note"] or "")
            return f"v{release[0]}" if release else match["version"]
    raise KeyError(f"{module} is not required by {folder(group) / 'go.mod'}")


def go_version(group: str) -> tuple[int, ...]:
    """The oldest Go that builds the group."""
    match = re.search(r"^go\s+([\d.]+)$", text(group), re.MULTILINE)
    if match is None:
        raise KeyError(f"no `go` line in {folder(group) / 'go.mod'}")
    return tuple(int(part) for part in match[1].split("."))
