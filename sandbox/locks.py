"""One writer at a time in a folder of the cache, and nothing half-made left in it."""

from __future__ import annotations

import fcntl
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sandbox.errors import SandboxError
from sandbox.progress import Progress

_UNFINISHED = ".unfinished-"
_KEPT = 3  # versions of one thing: branches of one checkout should not take turns building


def unfinished(target: Path) -> Path:
    """Where `target` is made before it is renamed into place."""
    return target.parent / f"{_UNFINISHED}{target.name}"


@contextmanager
def exclusive(folder: Path, report: Progress) -> Iterator[None]:
    """Wait for other writers, then remove what an interrupted one left.

    Raises:
        SandboxError: the folder cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = folder.joinpath(".lock").open("w")
    except OSError as error:
        raise SandboxError(
            f"{folder} cannot be written ({error.strerror}): correct its owner, or set XDG_CACHE_HOME"
        ) from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            with report.phase("wait for another command that writes to the cache"):
                fcntl.flock(file, fcntl.LOCK_EX)
        for leftover in folder.glob(f"{_UNFINISHED}*"):
            remove(leftover)
        yield


def prune(newest: Path) -> None:
    """Remove the oldest of the folders that hold the same thing as `newest` under other keys."""
    name, _, key = newest.name.rpartition("-")
    pattern = re.compile(rf"{re.escape(name)}-[0-9a-f]{{{len(key)}}}")
    same = [path for path in newest.parent.iterdir() if pattern.fullmatch(path.name)]
    same.sort(key=lambda path: path.stat().st_mtime, reverse=True)
    for old in same[_KEPT:]:
        remove(old)


def remove(folder: Path) -> None:
    """Delete a folder, but never through a mount: an interrupted debootstrap leaves /proc and /sys in its."""
    for mount in reversed(_mounts_below(folder)):
        subprocess.run(["umount", "--lazy", mount], capture_output=True, check=False)
    if not _mounts_below(folder):
        shutil.rmtree(folder, ignore_errors=True)


def _mounts_below(folder: Path) -> list[str]:
    mounts = Path("/proc/mounts")
    if not mounts.exists():
        return []
    places = [line.split()[1] for line in mounts.read_text().splitlines()]
    return sorted(place for place in places if place.startswith(f"{folder.resolve()}/"))
