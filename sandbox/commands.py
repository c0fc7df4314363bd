"""Running other programs so that a failure becomes one sentence with its cause."""

from __future__ import annotations

import re
import subprocess
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from sandbox import paths
from sandbox.errors import SandboxError

_LAST_LINES = 6
_CAUSES = (
    (
        re.compile(r"no space left on device|disk quota exceeded", re.IGNORECASE),
        "the disk is full: make room, or set XDG_CACHE_HOME, GOCACHE and GOMODCACHE to a larger disk",
    ),
    (
        re.compile(
            r"dial tcp|no such host|i/o timeout|TLS handshake timeout|proxyconnect|connection refused"
            r"|network is unreachable|could not resolve|temporary failure (in name )?resol"
            r"|NewConnectionError|Failed to establish a new connection"
            r"|Failed getting release file|Couldn't download|Failed to fetch",
            re.IGNORECASE,
        ),
        "the package registry cannot be reached: check the network and the proxy settings, "
        "then run the same command again",
    ),
    (
        re.compile(r"out of memory|signal: killed", re.IGNORECASE),
        "the machine ran out of memory: close other programs, or run on one with 8 GiB or more",
    ),
)


def run(
    command: Sequence[str | Path],
    *,
    purpose: str,
    log: str,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    on_line: Callable[[str], None] = lambda line: None,
) -> None:
    """Run to the end, with everything that it says in the log file of that name.

    Raises:
        SandboxError: it failed; the message has the purpose, the cause if it is a known one, the last lines.
    """
    file = paths.build_logs() / f"{log}.log"
    file.parent.mkdir(parents=True, exist_ok=True)
    last: deque[str] = deque(maxlen=40)
    with file.open("a") as output:
        output.write(f"$ {' '.join(map(str, command))}\n")
        try:
            child = subprocess.Popen(
                [str(word) for word in command],
                cwd=cwd,
                env=dict(env) if env is not None else None,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
            )
        except FileNotFoundError:
            raise SandboxError(f"{purpose} needs the program {command[0]}, which is missing") from None
        with child:
            try:
                for line in child.stdout or ():
                    output.write(line)
                    last.append(line.rstrip())
                    on_line(line.rstrip())
            except BaseException:
                child.terminate()
                raise
    if child.returncode != 0:
        raise SandboxError(explain(purpose, list(last), file))


def explain(purpose: str, lines: Sequence[str], log: Path) -> str:
    """One sentence for a failed command; its own last lines only when the cause is not a known one."""
    for pattern, cause in _CAUSES:
        if any(pattern.search(line) for line in lines):
            return f"{purpose} failed: {cause} (details: {log})"
    said = "\n".join(f"    {line}" for line in lines[-_LAST_LINES:])
    return f"{purpose} failed; all of its output is in {log}, and this is the end of it:\n{said}"
