"""Go: found, checked, and used to build one group of programs into the cache."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from sandbox import commands, gomod, locks
from sandbox.errors import SandboxError
from sandbox.programs import Copy, Group, Program
from sandbox.progress import Progress

_FLAGS = ("-trimpath", "-mod=readonly")
_OFFICIAL_PLACE = Path("/usr/local/go/bin/go")  # where Go's own installer puts it, often not on PATH


@dataclass(frozen=True)
class Go:
    """A Go installation: its program and version, e.g. `1.26.8`."""

    program: Path
    version: str


@cache
def go() -> Go | None:
    """The Go of this machine, if it has one."""
    found = shutil.which("go") or (str(_OFFICIAL_PLACE) if _OFFICIAL_PLACE.exists() else None)
    if found is None:
        return None
    # Without GOTOOLCHAIN=local an old Go would answer for another one, which it downloads.
    answer = subprocess.run(
        [found, "env", "GOVERSION"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "GOTOOLCHAIN": "local"},
    )
    return Go(Path(found), answer.stdout.strip().removeprefix("go"))


def require_go(group: str) -> Go:
    """The Go of this machine, if it can build the group.

    Raises:
        SandboxError: there is none, or it is too old.
    """
    least = gomod.go_version(group)
    wanted = ".".join(map(str, least[:2]))
    present = go()
    if present is None:
        raise SandboxError(
            f"Go {wanted} or newer is needed to build the sandbox's programs: install it from "
            "https://go.dev/dl/. With a cluster of your own you need no Go, only Pulumi "
            "(https://www.pulumi.com/docs/install/) and kubectl (https://kubernetes.io/docs/tasks/tools/)"
        )
    numbers = re.match(r"(\d+)\.(\d+)(?:\.(\d+))?", present.version)
    if numbers is None or tuple(int(part or 0) for part in numbers.groups()) < least:
        raise SandboxError(
            f"{present.program} is Go {present.version or 'of an unknown version'}, and {wanted} or newer is "
            "needed: install it from https://go.dev/dl/"
        )
    return present


def caches(using: Go) -> list[Path]:
    """Where Go keeps modules and compiled packages: most of what a build takes."""
    asked = subprocess.run(
        [using.program, "env", "GOCACHE", "GOMODCACHE"], capture_output=True, text=True, check=False
    )
    return [Path(line) for line in asked.stdout.split("\n") if line.startswith("/")]


def key(group: Group, go_version: str) -> str:
    """Changes with whatever could change the built programs, and with nothing else."""
    digest = hashlib.sha256()
    recipe = (go_version, _FLAGS, group.programs, group.stamps, group.embedded, group.beside)
    digest.update(repr(recipe).encode())
    for more in (*group.completed, *group.tags):
        digest.update(repr(more).encode())
    sources = gomod.folder(group.name)
    for file in sorted(path for path in sources.rglob("*") if path.is_file()):
        content = file.read_bytes()
        digest.update(f"{file.relative_to(sources)} {len(content)}\0".encode() + content)
    return digest.hexdigest()[:16]


def build(group: Group, using: Go, target: Path, report: Progress, title: str) -> None:
    """Build the group into `target`, which appears complete or not at all."""
    work = locks.unfinished(target)
    locks.remove(work)
    result, sources = work / "result", work / "sources"
    result.mkdir(parents=True)
    environment = {
        **{name: value for name, value in os.environ.items() if name not in ("GOOS", "GOARCH")},
        "CGO_ENABLED": "0",
        "GOFLAGS": "-buildvcs=false",
        "GOTOOLCHAIN": "local",
        "GOWORK": "off",
        "GOTMPDIR": str(work),  # linking takes hundreds of megabytes, which a small /tmp lacks
    }
    try:
        with report.phase(title) as phase:
            shutil.copytree(gomod.folder(group.name), sources)
            builder = _Builder(group, using, sources, environment)
            phase.detail = builder.detail
            builder.copy_beside(group.embedded, sources)
            builder.complete_modules()
            builder.build(result)
            builder.copy_beside(group.beside, result)
        work.joinpath("result").rename(target)
    except OSError as error:
        raise SandboxError(
            f"building {group.name} failed: {error.strerror} ({error.filename}); "
            "make room or set XDG_CACHE_HOME to a larger disk"
        ) from error
    finally:
        locks.remove(work)


class _Builder:
    def __init__(self, group: Group, using: Go, sources: Path, environment: dict[str, str]) -> None:
        self._group = group
        self._go = using.program
        self._sources = sources
        self._environment = environment
        self._downloaded = 0
        self._compiled = 0

    def detail(self) -> str:
        if self._compiled:
            return f"{self._compiled} packages compiled"
        return f"{self._downloaded} modules downloaded" if self._downloaded else ""

    def build(self, result: Path) -> None:
        stamps = " ".join(f"-X {variable}={value}" for variable, value in self._group.stamps)
        packages = [program.package for program in self._group.programs]
        tags = [f"-tags={','.join(self._group.tags)}"] if self._group.tags else []
        command = ["build", "-v", *_FLAGS, *tags, "-ldflags", f"-s -w {stamps}".strip()]
        self._run([*command, "-o", f"{result}/", *packages])
        for program in self._group.programs:
            _rename(result, program)

    def complete_modules(self) -> None:
        """Build modules from a copy each, into which the sources have put what they lack."""
        self.copy_beside(self._group.completed, self._sources)
        for copy in self._group.completed:
            self._run(["mod", "edit", "-replace", f"{copy.module}=./{copy.target}"])

    def copy_beside(self, copies: Sequence[Copy], folder: Path) -> None:
        for copy in copies:
            source, target = self._module(copy.module) / copy.source, folder / copy.target
            if source.is_dir():
                # Not copytree with its modes: the module cache is read-only, which nobody could remove.
                shutil.copytree(source, target, copy_function=shutil.copyfile, dirs_exist_ok=True)
                for path in (target, *target.rglob("*")):
                    path.chmod(0o755 if path.is_dir() else 0o644)
            else:
                shutil.copyfile(source, target)
                target.chmod(0o755 if copy.executable else 0o644)

    def _module(self, module: str) -> Path:
        """The folder of a module in Go's cache, downloaded if it is not there."""
        self._run(["mod", "download", module])
        listed = subprocess.run(
            [self._go, "list", "-m", "-json", module],
            cwd=self._sources,
            env=self._environment,
            capture_output=True,
            text=True,
            check=True,
        )
        return Path(json.loads(listed.stdout)["Dir"])

    def _run(self, arguments: Sequence[str]) -> None:
        commands.run(
            [self._go, *arguments],
            purpose=f"building {self._group.name}",
            log=f"build-{self._group.name}",
            cwd=self._sources,
            env=self._environment,
            on_line=self._count,
        )

    def _count(self, line: str) -> None:
        if line.startswith("go: downloading "):
            self._downloaded += 1
        else:
            self._compiled += 1


def _rename(result: Path, program: Program) -> None:
    built, wanted = result / program.built_as, result / program.name
    if not built.exists():
        raise SandboxError(
            f"building {program.package} made no {program.built_as}: correct sandbox/programs.py"
        )
    built.rename(wanted)
