"""A machine of one's own for each test: empty cache, a PATH to fill, and a Go that does as it is told."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sandbox import gomod, paths, toolchain
from sandbox.progress import Progress

Script = Callable[[str, str], Path]

FAKE_GO = """\
case "$1" in
  env) [ "$2" = GOVERSION ] && echo go1.26.8 || {{ echo {cache}; echo {cache}; }} ;;
  build)
    echo "$@" >> {record}
    {build}
    while [ "$1" != -o ]; do shift; done
    for program in server kwok; do echo built > "$2$program"; chmod +x "$2$program"; done ;;
esac
"""


@pytest.fixture(autouse=True)
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home, a cache and a PATH below the test's folder; nothing of the real machine's own."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    monkeypatch.delenv("PULUMI_HOME", raising=False)
    monkeypatch.setattr(toolchain, "_OFFICIAL_PLACE", tmp_path / "none")
    (tmp_path / "bin").mkdir()
    toolchain.go.cache_clear()
    gomod.text.cache_clear()
    yield tmp_path
    toolchain.go.cache_clear()
    gomod.text.cache_clear()


@pytest.fixture
def script(machine: Path) -> Script:
    """Put a shell script on PATH, or in another folder of the machine by `folder/name`."""

    def write(name: str, body: str) -> Path:
        path = machine / (name if "/" in name else f"bin/{name}")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)
        return path

    return write


@pytest.fixture
def fake_go(machine: Path, script: Script) -> Callable[[str], Path]:
    """A Go whose `build` runs the given shell lines first; returns the record of its builds."""

    def install(build: str = "") -> Path:
        record = machine / "builds"
        script("go", FAKE_GO.format(record=record, build=build, cache=machine / "home" / "go-cache"))
        return record

    return install


@pytest.fixture
def report() -> Progress:
    return Progress(io.StringIO())


@pytest.fixture
def sources(machine: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the tools' sources that a test may change."""
    copy = machine / "sources"
    for file in paths.TOOL_SOURCES.rglob("*"):
        if file.is_file():
            target = copy / file.relative_to(paths.TOOL_SOURCES)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(file.read_bytes())
    monkeypatch.setattr(paths, "TOOL_SOURCES", copy)
    gomod.text.cache_clear()
    return copy
