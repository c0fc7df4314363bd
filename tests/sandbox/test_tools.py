"""Building what is missing, once, and saying clearly why it cannot be done."""

from __future__ import annotations

import shutil
from collections import namedtuple
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox import locks, paths, programs, toolchain, tools
from sandbox.errors import SandboxError
from sandbox.progress import Progress
from tests.sandbox.conftest import Script

COMPLETING_GO = """\
case "$1 $2" in
  "env GOVERSION") echo go1.26.8 ;;
  env*) echo {module} ;;
  list*) echo '{{"Dir": "{module}"}}' ;;
  "mod edit") echo "$4" >> {seen}; find alertmanager -type f | sort >> {seen} ;;
  build*)
    while [ "$1" != -o ]; do shift; done
    touch "$2alertmanager" ;;
esac
"""

FakeGo = Callable[..., Path]
Usage = namedtuple("Usage", "total used free")


def builds(record: Path) -> int:
    return len(record.read_text().splitlines()) if record.exists() else 0


def test_a_program_is_built_once(fake_go: FakeGo, report: Progress) -> None:
    record = fake_go()
    first = tools.ensure(["etcd"], report)
    assert tools.ensure(["etcd"], report) == first
    assert builds(record) == 1
    assert first["etcd"].name == "etcd"
    assert first["etcd"].read_text() == "built\n"


def test_programs_of_two_groups_are_each_built(fake_go: FakeGo, report: Progress) -> None:
    record = fake_go()
    assert set(tools.ensure(["kwok", "etcd"], report)) == {"etcd", "kwok"}
    assert builds(record) == 2


def test_a_failed_build_leaves_nothing_behind(fake_go: FakeGo, report: Progress) -> None:
    fake_go("echo 'main.go:1: undefined: x'; exit 1")
    with pytest.raises(SandboxError, match=r"building etcd failed[\s\S]*undefined: x"):
        tools.ensure(["etcd"], report)
    assert [path.name for path in paths.tools().iterdir()] == [".lock"]


def test_what_an_interrupted_build_left_is_never_used(fake_go: FakeGo, report: Progress) -> None:
    record = fake_go()
    half = locks.unfinished(tools.folder(programs.group_of("etcd")))
    (half / "result").mkdir(parents=True)
    (half / "result" / "etcd").write_text("half")
    assert tools.ensure(["etcd"], report)["etcd"].read_text() == "built\n"
    assert builds(record) == 1
    assert not half.exists()


def test_a_cached_build_that_lost_a_file_is_built_again(fake_go: FakeGo, report: Progress) -> None:
    record = fake_go()
    tools.ensure(["etcd"], report)["etcd"].unlink()
    assert tools.ensure(["etcd"], report)["etcd"].exists()
    assert builds(record) == 2


def test_without_go_the_official_installers_are_named(
    report: Progress, monkeypatch: pytest.MonkeyPatch, machine: Path
) -> None:
    monkeypatch.setenv("PATH", str(machine / "bin"))
    with pytest.raises(SandboxError, match=r"Go 1\.26 or newer.*https://go\.dev/dl/.*pulumi\.com"):
        tools.ensure(["etcd"], report)


@pytest.mark.parametrize("answer", ["go1.21.3", "go1.25.9", "no version"])
def test_a_go_that_is_too_old_is_refused(answer: str, script: Script, report: Progress) -> None:
    script("go", f"echo {answer}")
    with pytest.raises(SandboxError, match=r"1\.26 or newer is needed"):
        tools.ensure(["etcd"], report)


def test_a_release_candidate_of_the_wanted_go_will_do(script: Script) -> None:
    script("go", "echo go1.26rc2")
    assert toolchain.require_go("etcd").version == "1.26rc2"


def test_too_little_room_is_said_before_building(
    fake_go: FakeGo, report: Progress, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = fake_go()
    monkeypatch.setattr(shutil, "disk_usage", lambda place: Usage(2**40, 2**40, 2**20))
    with pytest.raises(SandboxError, match=r"0\.7 GiB.*0\.0 GiB left: make room"):
        tools.ensure(["etcd"], report)
    assert builds(record) == 0


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ("write /x/y.a: no space left on device", "the disk is full: make room"),
        ("Get http://mirror/: dial tcp 192.0.2.1:443: i/o timeout", "cannot be reached: check the network"),
        ("compile: signal: killed", "ran out of memory"),
    ],
)
def test_known_causes_become_one_sentence(
    said: str, sentence: str, fake_go: FakeGo, report: Progress
) -> None:
    fake_go(f"echo '{said}'; exit 1")
    with pytest.raises(SandboxError, match=sentence) as caught:
        tools.ensure(["etcd"], report)
    assert "\n" not in str(caught.value)


def test_a_cache_that_cannot_be_written_is_said(fake_go: FakeGo, report: Progress) -> None:
    fake_go()
    paths.cache().parent.mkdir(parents=True)
    paths.cache().write_text("a file, not a folder")
    with pytest.raises(SandboxError, match="cannot be written"):
        tools.ensure(["etcd"], report)


def test_the_build_ignores_the_users_go_settings(
    fake_go: FakeGo, report: Progress, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = paths.cache().parent / "seen"
    fake_go(f'echo "$CGO_ENABLED|$GOFLAGS|$GOOS|$GOTOOLCHAIN|$GOWORK" > {seen}')
    for name, value in (("GOFLAGS", "-mod=mod"), ("GOOS", "plan9"), ("CGO_ENABLED", "1")):
        monkeypatch.setenv(name, value)
    tools.ensure(["etcd"], report)
    assert seen.read_text() == "0|-buildvcs=false||local|off\n"


def test_only_the_newest_builds_are_kept(fake_go: FakeGo, report: Progress, sources: Path) -> None:
    fake_go()
    for round_ in range(5):
        with (sources / "etcd" / "go.sum").open("a") as lock:
            lock.write(f"# {round_}\n")
        tools.ensure(["etcd", "kwok"], report)
    names = [path.name.rpartition("-")[0] for path in paths.tools().iterdir() if path.is_dir()]
    assert sorted(names) == ["etcd", "etcd", "etcd", "kwok"]


def test_a_module_is_built_with_the_files_that_it_lacks(
    machine: Path, script: Script, report: Progress
) -> None:
    """What the module has and what lies among the sources end up in one folder, which takes its place."""
    module, seen = machine / "module", machine / "seen"
    (module / "ui").mkdir(parents=True)
    (module / "ui" / "web.go").touch()
    script("go", COMPLETING_GO.format(module=module, seen=seen))
    whole = programs.group_of("alertmanager")
    [alertmanager] = [member for member in whole.programs if member.name == "alertmanager"]
    group = replace(whole, programs=(alertmanager,), beside=())
    toolchain.build(group, toolchain.require_go(group.name), machine / "built", report, "title")
    replaced, *files = seen.read_text().split()
    assert replaced == f"{programs.ALERTMANAGER}=./alertmanager"
    assert files == ["alertmanager/ui/app/dist/index.html", "alertmanager/ui/web.go"]


def test_every_program_belongs_to_one_group() -> None:
    names = [member.name for group in programs.groups() for member in group.programs]
    assert len(names) == len(set(names))
    for name in names:
        assert name in {member.name for member in programs.group_of(name).programs}


def test_nothing_is_deleted_through_a_mount(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = machine / "rootfs"
    (folder / "proc").mkdir(parents=True)
    monkeypatch.setattr(locks, "_mounts_below", lambda folder: [str(folder / "proc")])
    locks.remove(folder)
    assert (folder / "proc").exists()
    monkeypatch.setattr(locks, "_mounts_below", lambda folder: [])
    locks.remove(folder)
    assert not folder.exists()
