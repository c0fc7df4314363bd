"""What containers leave on the machine: shims and their processes, which outlive containerd, and mounts."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

from sandbox import paths

_SHIM = b"containerd-shim-runc-v2"
_LOG_LINKS = Path("/var/log/containers")  # the kubelet's; its place cannot be configured


def ctr(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run containerd's own client on the sandbox's containerd, in Kubernetes' namespace."""
    command = ["ctr", "--address", str(paths.containerd_socket()), "--namespace", "k8s.io", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def end_tasks() -> None:
    """End every container of a containerd that runs: they outlive it and the kubelet."""
    tasks = ctr("tasks", "list", "--quiet").stdout.split()
    for task in tasks:
        ctr("tasks", "kill", "--all", "--signal", "SIGKILL", task)
    for task in tasks:
        ctr("tasks", "delete", "--force", task)


def shims() -> Iterator[int]:
    """Pids of the sandbox's container shims: each names our containerd's socket on its command line."""
    socket = str(paths.containerd_socket()).encode()
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):  # it ended meanwhile
            command = entry.read_bytes().split(b"\0")
            if command[0].endswith(_SHIM) and socket in command:
                yield int(entry.parent.name)


def below(pid: int) -> Iterator[int]:
    """Pids of all processes that descend from this one; any of its threads may have started them."""
    for thread in Path(f"/proc/{pid}/task").glob("*/children"):
        children: list[str] = []
        with contextlib.suppress(OSError):  # it ended meanwhile
            children = thread.read_text().split()
        for child in map(int, children):
            yield child
            yield from below(child)


def end_leftovers() -> None:
    """End shims and containers that a crashed containerd left behind."""
    for shim in list(shims()):
        for pid in (*below(shim), shim):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def unmount_leftovers() -> None:
    """Unmount whatever containers left below the state folder, deepest first."""
    root = f"{paths.state().resolve()}/"
    mounts = [line.split()[1] for line in Path("/proc/mounts").read_text().splitlines()]
    for mount in sorted((m for m in mounts if m.startswith(root)), key=len, reverse=True):
        subprocess.run(["umount", "--lazy", mount], capture_output=True, check=False)


def remove_log_links() -> None:
    """Remove the links by which log collectors find the logs of the sandbox's containers."""
    for link in _LOG_LINKS.glob("*.log"):
        if link.is_symlink() and link.readlink().is_relative_to(paths.pod_logs()):
            link.unlink()


def resident_bytes(pid: int) -> int:
    """One process' share of the resident memory, so that shares add up; 0 if it has ended.

    A page that several processes map counts in part for each: a dozen containers share their shim's program.
    """
    try:
        rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in rollup.splitlines() if line.startswith("Pss:"))
