"""A stack file becomes a Stack, or a finding for each thing that is wrong with it."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import ValidationError

from infra import yaml_marks
from infra.checks.findings import Finding, Located
from infra.complaints import complaints
from infra.models import Stack
from infra.salvage import Part, salvaged, whole
from infra.source import Source

UNREADABLE = "unreadable-file"
"""Code of a file that is not there, or that this user may not read."""


class StackFileError(Exception):
    """A stack file has faults; as text, a line each."""

    def __init__(self, findings: Iterable[Located]) -> None:
        self.findings = tuple(sorted(findings))
        """Faults, and what else was found beside them."""
        super().__init__("\n".join(str(found) for found in self.findings if found.severity == "fault"))


@dataclass(frozen=True)
class Draft:
    """What a file says, whatever is wrong with it."""

    source: Source
    faults: tuple[Located, ...]
    part: Part
    """All of the stack, where nothing is wrong; else what can still be checked."""


def load(file: Path) -> Draft:
    """Read a stack file; raises StackFileError if it is no file that can be read."""
    marked = _parsed(file, _text(file))
    source = Source(file, marked.data, marked.lines)
    # A key given twice is complained of where it stands again, not where the key is known to stand.
    faults = [replace(source.locate(finding), line=line) for line, finding in marked.faults]
    try:
        part = whole(Stack.model_validate(marked.data))
    except ValidationError as error:
        found = tuple(complaints(error, Stack))
        faults += [source.locate(finding) for finding in found]
        part = salvaged(marked.data, [finding.place for finding in found])
    return Draft(source, tuple(faults), part)


def _text(file: Path) -> str:
    try:
        raw = file.read_bytes()
    except FileNotFoundError:
        there = sorted(other.stem for other in file.parent.glob("*.yaml"))
        known = f"there are: {', '.join(there)}" if there else "no stack file is there yet"
        raise _refused(file, 1, UNREADABLE, f"there is no such file; {known}") from None
    except IsADirectoryError:
        raise _refused(file, 1, UNREADABLE, "is a folder; name a .yaml file") from None
    except OSError as error:
        text = f"cannot be read ({error.strerror}); mend its rights"
        raise _refused(file, 1, UNREADABLE, text) from None
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise _refused(file, line, "not-utf-8", "is not UTF-8 text; save it as UTF-8") from None


def _parsed(file: Path, text: str) -> yaml_marks.Marked:
    try:
        marked = yaml_marks.parse(text)
    except yaml_marks.YamlError as fault:
        raise _refused(file, fault.line, "yaml-syntax", str(fault)) from None
    if marked.data is None:
        text = "is empty; write at least `tenants:`, see stacks/dev.yaml"
        raise _refused(file, 1, "empty-file", text)
    if not isinstance(marked.data, dict):
        text = "holds no `key: value` pairs; see stacks/dev.yaml"
        raise _refused(file, marked.lines.get((), 1), "no-mapping", text)
    return marked


def _refused(file: Path, line: int, code: str, text: str) -> StackFileError:
    finding = Finding.of(code, (), text)
    return StackFileError([Source(file, None, {(): line}).locate(finding)])
