"""A stack file becomes a Stack, or one line for each thing that is wrong with it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from infra import yaml_marks
from infra.complaints import complaints
from infra.models import Stack
from infra.models.base import Loc
from infra.places import shown
from infra.salvage import Part, salvaged, whole


class StackFileError(Exception):
    """Everything that is wrong with a stack file, a line each."""

    def __init__(self, faults: Iterable[str], warnings: Iterable[str] = ()) -> None:
        self.faults, self.warnings = tuple(faults), tuple(warnings)
        super().__init__("\n".join(self.faults))


@dataclass(frozen=True)
class Source:
    """A stack file's data with its lines, to say where something stands."""

    file: Path
    data: Any
    lines: Mapping[Loc, int]

    def line(self, loc: Loc) -> int:
        """The line of a place, or of what it would stand in."""
        while loc and loc not in self.lines:
            loc = loc[:-1]
        return self.lines.get(loc, 1)

    def path(self, loc: Loc) -> str:
        """`jobs.mnist.worker`: list items by name where they have one."""
        words, value = [], self.data
        for part in loc:
            try:
                value = value[part]
            except (KeyError, IndexError, TypeError):
                value = None
            if isinstance(part, str):
                words.append(f".{part}")
            else:
                name = value.get("name") if isinstance(value, Mapping) else None
                words.append(f".{name}" if isinstance(name, str) else f"[{part}]")
        return "".join(words).lstrip(".") or "the file"

    def say(self, loc: Loc, text: str) -> str:
        """One line about one place."""
        return f"{shown(self.file)}:{self.line(loc)} {self.path(loc)}: {text}"


@dataclass(frozen=True)
class Draft:
    """What a file says, whatever is wrong with it."""

    source: Source
    faults: tuple[tuple[int, str], ...]
    """Line and text."""
    part: Part
    """All of the stack, where nothing is wrong; else what can still be checked."""


def load(file: Path) -> Draft:
    """Read a stack file; raises StackFileError if it is no file that can be read."""
    marked = _parsed(file, _text(file))
    source = Source(file, marked.data, marked.lines)
    found = [(line, f"{shown(file)}:{line} {source.path(loc)}: {text}") for loc, line, text in marked.faults]
    try:
        part = whole(Stack.model_validate(marked.data))
    except ValidationError as error:
        said = dict.fromkeys(complaints(error, Stack))
        found += [(source.line(loc), source.say(loc, text)) for loc, text in said]
        part = salvaged(marked.data, [loc for loc, _ in said])
    return Draft(source, tuple(found), part)


def _text(file: Path) -> str:
    name = shown(file)
    try:
        raw = file.read_bytes()
    except FileNotFoundError:
        there = sorted(other.stem for other in file.parent.glob("*.yaml"))
        known = f"there are: {', '.join(there)}" if there else "no stack file is there yet"
        raise _refused(name, 1, f"there is no such file; {known}") from None
    except IsADirectoryError:
        raise _refused(name, 1, "is a folder; name a .yaml file") from None
    except OSError as error:
        raise _refused(name, 1, f"cannot be read ({error.strerror}); mend its rights") from None
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise _refused(name, line, "is not UTF-8 text; save it as UTF-8") from None


def _parsed(file: Path, text: str) -> yaml_marks.Marked:
    try:
        marked = yaml_marks.parse(text)
    except yaml_marks.YamlError as fault:
        raise _refused(shown(file), fault.line, str(fault)) from None
    if marked.data is None:
        raise _refused(shown(file), 1, "is empty; write at least `tenants:`, see stacks/dev.yaml")
    if not isinstance(marked.data, dict):
        line = marked.lines.get((), 1)
        raise _refused(shown(file), line, "holds no `key: value` pairs; see stacks/dev.yaml")
    return marked


def _refused(name: str, line: int, text: str) -> StackFileError:
    return StackFileError([f"{name}:{line} the file: {text}"])
