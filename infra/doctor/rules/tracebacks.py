"""What the end of a training's log says of why it ended."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

_TRACEBACK = "Traceback (most recent call last):"
_FRAME = re.compile(r'^\s+File "(?P<file>[^"]+)", line (?P<line>\d+)')
_ERROR = re.compile(r"^(?P<kind>[A-Za-z_][\w.]*)(:|$)")
_NO_SUCH_SCRIPT = re.compile(
    r"can't open file '?([^'\n]+)'?: \[Errno 2\]|: not found$|No such file or directory$"
)
_UNRESOLVED = re.compile(
    r"name or service not known|temporary failure in name resolution|name resolution|getaddrinfo|"
    r"could not resolve|no address associated|DNS (server|query|resolution)|Domain name not found",
    re.IGNORECASE,
)
_UNREACHED = re.compile(
    r"failed to connect to all addresses|connection refused|connection timed out|deadline exceeded|"
    r"no route to host|unavailable: |UNAVAILABLE",
    re.IGNORECASE,
)
_IN_LIBRARIES = ("site-packages", "dist-packages", "<frozen", "lib/python3")


@dataclass(frozen=True)
class Crash:
    """The last traceback of a log."""

    error: str
    """Its last line: `ValueError: no data`."""
    frame: str
    """`train.py, line 7`: the innermost line outside of libraries, else the innermost."""


def crash(lines: Sequence[str]) -> Crash | None:
    """The last traceback, None if there is none."""
    starts = [i for i, line in enumerate(lines) if line.strip() == _TRACEBACK]
    if not starts:
        return None
    frames, error = [], ""
    for line in lines[starts[-1] + 1 :]:
        if found := _FRAME.match(line):
            frames.append(found)
        elif _ERROR.match(line):
            error = line.strip()
            break
    own = [f for f in frames if not any(part in f["file"] for part in _IN_LIBRARIES)]
    at = (own or frames)[-1:]
    return Crash(error or "an exception", f"{at[0]['file']}, line {at[0]['line']}" if at else "")


def missing_file(lines: Sequence[str]) -> str | None:
    """The line that says that what should be started is not there."""
    return _last(lines[-5:], _NO_SUCH_SCRIPT)


def unresolved(lines: Sequence[str]) -> str | None:
    """The last line that says that a name has no address."""
    return _last(lines, _UNRESOLVED)


def unreached(lines: Sequence[str]) -> str | None:
    """The last line that says that a peer does not answer."""
    return _last(lines, _UNREACHED)


def _last(lines: Sequence[str], pattern: re.Pattern[str]) -> str | None:
    return next((line.strip() for line in reversed(lines) if pattern.search(line)), None)
