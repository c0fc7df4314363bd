"""A chart that lies beside the stack: an archive or a directory."""

import re
import tarfile
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import yaml

_DEFINITION = "Chart.yaml"
_MOST_BYTES = 2**20
_GIVE = "give the archive or the unpacked folder of the chart"


@dataclass(frozen=True)
class LocalChart:
    """What is known of it."""

    version: str | None
    """As it says itself; None: it does not."""
    unusable: str | None
    """Why Helm would not take it: `<what is wrong>; <what to do>`."""


class _UnusableError(Exception):
    """The text says why."""


def local_chart(place: Path, name: str) -> LocalChart:
    """Look at what should be the chart of a name, without Helm."""
    try:
        definition, inside = _directory(place) if place.is_dir() else _archive(place)
    except _UnusableError as fault:
        return LocalChart(None, str(fault))
    version = definition.get("version")
    return LocalChart(version if isinstance(version, str) else None, _wrong(definition, inside, name))


def _directory(place: Path) -> tuple[Mapping[str, Any], Collection[str]]:
    try:
        with (place / _DEFINITION).open("rb") as opened:
            text = opened.read(_MOST_BYTES)
    except OSError:
        raise _UnusableError(f"has no {_DEFINITION}; {_GIVE}") from None
    folder = place / "charts"
    return _definition(text), [found.name for found in folder.iterdir()] if folder.is_dir() else []


def _archive(place: Path) -> tuple[Mapping[str, Any], Collection[str]]:
    if not place.is_file():
        raise _UnusableError("is not there; put it there, or leave source out for the public repository")
    try:
        with tarfile.open(place, "r:gz") as opened:
            members = {PurePosixPath(member.name): member for member in opened}
            found = [path for path in members if path.parts[1:] == (_DEFINITION,)]
            content = opened.extractfile(members[found[0]]) if found else None
            text = content.read(_MOST_BYTES) if content else b""
    except (tarfile.TarError, OSError, EOFError, KeyError, RecursionError):  # the latter two of links
        raise _UnusableError(f"is no archive of a chart; {_GIVE}") from None
    if not text:
        raise _UnusableError(f"has no {_DEFINITION}; {_GIVE}")
    return _definition(text), {
        path.parts[2] for path in members if path.parts[1:2] == ("charts",) and path.parts[2:]
    }


def _definition(text: bytes) -> Mapping[str, Any]:
    try:
        found = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError):
        found = None
    if not isinstance(found, Mapping):
        raise _UnusableError(f"has a {_DEFINITION} that is no mapping; {_GIVE}")
    needed = found.get("dependencies") or []
    if not isinstance(needed, list) or not all(isinstance(one, Mapping) for one in needed):
        raise _UnusableError(f"has a {_DEFINITION} whose dependencies are no list of charts; {_GIVE}")
    return found


def _wrong(definition: Mapping[str, Any], inside: Collection[str], name: str) -> str | None:
    """Helm wants every chart that it depends on in it, also those that are switched off."""
    if definition.get("name") != name:
        return f"is the chart {definition.get('name')}; {_GIVE} {name}"
    wanted = [str(needed.get("name")) for needed in definition.get("dependencies") or ()]
    there = {re.sub(r"-\d.*\.tgz$", "", found) for found in inside}
    missing = [needed for needed in wanted if needed not in there]
    if missing:
        return f"lacks {', '.join(missing)} in charts/; run `helm dependency update` on it"
    return None
