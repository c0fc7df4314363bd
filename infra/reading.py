"""One YAML file becomes data with its lines."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from infra import yaml_marks
from infra.checks.findings import Finding, Located
from infra.source import Source

UNREADABLE = "unreadable-file"
"""Code of a file that is not there, or that this user may not read."""
_MOST_BYTES = 16 * 2**20
_MOST_BYTES_OF_A_STACK = 2 * 2**20
"""A thousand jobs written out have half of it."""


class StackFileError(Exception):
    """A stack file has faults; as text, a line each."""

    def __init__(self, findings: Iterable[Located]) -> None:
        self.findings = tuple(sorted(findings))
        """Faults, and what else was found beside them."""
        super().__init__("\n".join(str(found) for found in self.findings if found.severity == "fault"))


class UnreadableError(Exception):
    """There is no such file, or it may not be read; `<what is wrong>; <what to do instead>`."""


@dataclass(frozen=True)
class Layer:
    """What one file says."""

    source: Source
    faults: tuple[Located, ...]
    """What YAML allows and this project does not."""


def read(file: Path) -> Layer:
    """Read a file; raises UnreadableError, or StackFileError if it does not hold `key: value` pairs."""
    marked = _parsed(file, decoded(file, contents(file, _MOST_BYTES_OF_A_STACK)))
    source = Source.of(file, marked.data, marked.lines)
    # A key given twice is complained of where it stands again, not where the key is known to stand.
    faults = (replace(source.locate(finding), line=line) for line, finding in marked.faults)
    return Layer(source, tuple(faults))


def contents(file: Path, most_bytes: int = _MOST_BYTES) -> bytes:
    """The file's bytes; raises UnreadableError, or StackFileError if it has more than these."""
    try:
        with file.open("rb") as opened:
            raw = opened.read(most_bytes + 1)  # a device may have no end
    except FileNotFoundError:
        there = sorted(other.name for other in file.parent.glob("*.yaml"))
        known = f"there are: {', '.join(there)}" if there else "no .yaml file is there yet"
        raise UnreadableError(f"there is no such file; {known}") from None
    except IsADirectoryError:
        raise UnreadableError("is a folder; name a .yaml file") from None
    except OSError as error:
        raise UnreadableError(
            f"cannot be read ({error.strerror}); name another file, or mend its rights"
        ) from None
    if len(raw) > most_bytes:
        text = f"has more than {most_bytes >> 20} MiB, and nothing that belongs here is that large"
        raise refused(file, 1, "file-too-large", f"{text}; name another file, or split this one")
    return raw


def decoded(file: Path, raw: bytes) -> str:
    """The bytes as text; raises StackFileError if they are none."""
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise refused(file, line, "not-utf-8", "is not UTF-8 text; save it as UTF-8") from None


def _parsed(file: Path, text: str) -> yaml_marks.Marked:
    try:
        marked = yaml_marks.parse(text)
    except yaml_marks.YamlError as fault:
        raise refused(file, fault.line, "yaml-syntax", str(fault)) from None
    if marked.data is None:
        text = "is empty; write at least `tenants:`, see stacks/dev.yaml"
        raise refused(file, 1, "empty-file", text)
    if not isinstance(marked.data, dict):
        text = "holds no `key: value` pairs; see stacks/dev.yaml"
        raise refused(file, marked.lines.get((), 1), "no-mapping", text)
    return marked


def refused(file: Path, line: int, code: str, text: str) -> StackFileError:
    """The one finding about a file as a whole."""
    finding = Finding.of(code, (), text)
    return StackFileError([Source.of(file, None, {(): line}).locate(finding)])
