"""The sandbox's long-running programs: started, found again and ended by pid."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from sandbox import network, paths
from sandbox.errors import SandboxError

STOP_TIMEOUT_SECONDS = 20
KILL_TIMEOUT_SECONDS = 5


@dataclass(frozen=True, kw_only=True)
class Process:
    """One program that the sandbox started.

    A pid alone may be given to a stranger after a crash or a reboot; the start time (clock ticks since
    boot) and the boot id tell whether it is still ours.
    """

    name: str
    pid: int
    start_ticks: int
    boot_id: str

    @property
    def alive(self) -> bool:
        return self.boot_id == _boot_id() and _start_ticks(self.pid) == self.start_ticks


# All of them are Go's, and by default hold twice the memory that they use. No GOMEMLIMIT beside it: an API
# server that needs more than that, as for 2,000 jobs, spends a core on collections and answers nobody.
_FRUGAL = {"GOGC": "40"}


def start(name: str, command: Sequence[str | Path], *, namespace: str | None = None) -> Process:
    """Start a program in the background, in a network namespace if one is named.

    Its output goes to `log_file(name)`. A program of that name that still runs is kept.
    """
    running = find(name)
    if running is not None:
        return running
    # Not `ip netns exec`: that remounts /sys, which hides the cgroups from the kubelet.
    prefix = ["nsenter", f"--net=/run/netns/{namespace}", "--"] if namespace else []
    log = log_file(name)
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("ab") as output:
        child = subprocess.Popen(
            [*prefix, *map(str, command)],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            cwd="/",
            env={**network.direct_environment(), **_FRUGAL},
        )
    try:
        return _note(name, child.pid)
    except BaseException:
        child.kill()  # nobody would find it again
        child.wait()
        raise


def _note(name: str, pid: int) -> Process:
    """Write the record of a program, whole or not at all."""
    ticks = _start_ticks(pid)
    if ticks is None:
        raise SandboxError(f"{name} ended at once; its reason is at the end of {log_file(name)}")
    process = Process(name=name, pid=pid, start_ticks=ticks, boot_id=_boot_id())
    record = _record(name)
    record.parent.mkdir(parents=True, exist_ok=True)
    half = record.with_suffix(".partial")
    half.write_text(json.dumps(asdict(process)))
    half.rename(record)
    return process


def find(name: str) -> Process | None:
    """The running program of that name, or None. The record of a dead one is removed."""
    record = _record(name)
    try:
        process = Process(**json.loads(record.read_text()))
    except FileNotFoundError:
        return None
    except (ValueError, TypeError):
        record.unlink(missing_ok=True)
        return None
    if process.alive:
        return process
    record.unlink(missing_ok=True)
    return None


def recorded() -> list[str]:
    """Names of all programs of which a record exists, running or not."""
    return sorted(path.stem for path in paths.pids().glob("*.json"))


def stop(name: str) -> bool:
    """End the program of that name, first politely; True if there was one to end.

    Raises:
        SandboxError: it survives SIGKILL, as a program does that waits in the kernel.
    """
    process = find(name)
    if process is None:
        return False
    for sign, patience in ((signal.SIGTERM, STOP_TIMEOUT_SECONDS), (signal.SIGKILL, KILL_TIMEOUT_SECONDS)):
        try:
            os.kill(process.pid, sign)
        except ProcessLookupError:
            break
        deadline = time.monotonic() + patience
        while time.monotonic() < deadline and process.alive:
            _reap(process.pid)
            time.sleep(0.05)
        if not process.alive:
            break
    if process.alive:
        raise SandboxError(
            f"{name} (pid {process.pid}) does not end, not even by SIGKILL: it waits in the kernel, mostly "
            "for a disk; run the same command again later, or restart the machine"
        )
    _record(name).unlink(missing_ok=True)
    return True


def log_file(name: str) -> Path:
    return paths.logs() / f"{name}.log"


def last_words(name: str, lines: int = 5) -> str:
    """The last lines that a program wrote, for an error message."""
    try:
        text = log_file(name).read_text(errors="replace")
    except FileNotFoundError:
        return "(no log)"
    return "\n".join(text.splitlines()[-lines:])


def _record(name: str) -> Path:
    return paths.pids() / f"{name}.json"


def _boot_id() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def _start_ticks(pid: int) -> int | None:
    """Start time of a living process, None for a dead or a zombie one (proc(5), fields 3 and 22)."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None
    fields = stat.rsplit(")", 1)[1].split()
    return None if fields[0] in "ZX" else int(fields[19])


def _reap(pid: int) -> None:
    # A program started by an earlier command is not our child.
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)
