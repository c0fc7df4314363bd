"""The programs of the sandbox: found on the machine or built from pinned Go modules, once a machine."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from sandbox import fitting, locks, paths, programs, toolchain
from sandbox.errors import SandboxError
from sandbox.programs import Group
from sandbox.progress import Progress, duration


def ensure(names: Iterable[str], report: Progress) -> dict[str, Path]:
    """Paths of the named programs; those that are nowhere are built.

    Raises:
        SandboxError: one of them must be built and cannot; the message says what is missing.
    """
    wanted = list(names)
    found = {name: path for name in wanted if (path := fitting.find(name)) is not None}
    needed = {programs.group_of(name).name for name in wanted if name not in found}
    groups = [group for group in programs.groups() if group.name in needed]
    missing = [group for group in groups if not _complete(group)]
    if missing:
        with locks.exclusive(paths.tools(), report):
            # Another run may have built them while this one waited.
            _build([group for group in missing if not _complete(group)], report)
    for group in groups:
        found.update({member.name: folder(group) / member.name for member in group.programs})
    return {name: found[name] for name in wanted}


def folder(group: Group) -> Path:
    """Where a group is or will be, with what lies beside its programs."""
    using = toolchain.require_go(group.name)
    return paths.tools() / f"{group.name}-{toolchain.key(group, using.version)}"


def operator_manifests() -> Path:
    """The upstream manifests of the training operator that was built; call `ensure` for it first."""
    return folder(programs.group_of("training-operator")) / "manifests"


def monitoring_definitions() -> Path:
    """The upstream CustomResourceDefinitions of the prometheus-operator that was built."""
    return folder(programs.group_of("prometheus-operator")) / "crds"


def queueing_manifests() -> Path:
    """The upstream manifests of the Kueue that was built; its chart lies beside them."""
    return folder(programs.group_of("kueue")) / "manifests"


def _complete(group: Group) -> bool:
    """A folder appears in one step, so it is whole unless somebody removed files from it."""
    place = folder(group)
    return all(os.access(place / member.name, os.X_OK) for member in group.programs) and all(
        (place / copy.target).exists() for copy in group.beside
    )


def _build(groups: Sequence[Group], report: Progress) -> None:
    if not groups:
        return
    _check_room(groups)
    started = time.monotonic()
    with report.phase(f"build {len(groups)} of {len(programs.groups())} groups of programs"):
        for number, group in enumerate(groups, start=1):
            target = folder(group)
            locks.remove(target)
            members = ", ".join(member.name for member in group.programs)
            title = f"[{number}/{len(groups)}] {members}"
            toolchain.build(group, toolchain.require_go(group.name), target, report, title)
            locks.prune(target)
    report.say(f"programs built in {duration(time.monotonic() - started)}, kept in {paths.tools()}")


def _check_room(groups: Sequence[Group]) -> None:
    needed = sum(group.gibibytes for group in groups)
    for place in (paths.tools(), *toolchain.caches(toolchain.require_go(groups[0].name))):
        existing = next(folder for folder in (place, *place.parents) if folder.exists())
        free = shutil.disk_usage(existing).free / 2**30
        if free < needed:
            raise SandboxError(
                f"building takes {needed:.1f} GiB and {place} has {free:.1f} GiB left: make room, "
                "or set XDG_CACHE_HOME, GOCACHE and GOMODCACHE to a larger disk"
            )
