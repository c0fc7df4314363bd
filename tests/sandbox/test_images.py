"""Images: their names, when they are made again, and what containerd already holds."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections import namedtuple
from pathlib import Path

import pytest

from sandbox import containerd_images, gomod, images, paths, programs, rootfs, tools
from sandbox.errors import SandboxError
from sandbox.progress import Progress
from tests.sandbox.conftest import Script

Usage = namedtuple("Usage", "total used free")
OVERLAY = "overlays/standalone/kustomization.yaml"

UMOCI = """\
while [ $# -gt 0 ]; do
  case "$1" in
    init) mkdir -p "$3" ;;
    insert) echo "$4 -> $5" >> "${3%:*}/inserted" ;;
    config) echo "$@" >> "${3%:*}/configured" ;;
  esac
  shift
done
"""


@pytest.fixture
def built(machine: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    """Programs as if they were built, with the operator's manifests."""
    folder = paths.tools() / "group-0123456789abcdef"
    overlay = folder / "manifests" / OVERLAY
    overlay.parent.mkdir(parents=True)
    overlay.write_text(f"images: [{{name: {images.OPERATOR_IMAGE}, newTag: v1-abc}}]")
    programs_ = {name: folder / name for name in ("pause", "coredns", "training-operator")}
    monkeypatch.setattr(tools, "ensure", lambda names, report: {name: programs_[name] for name in names})
    monkeypatch.setattr(tools, "operator_manifests", lambda: folder / "manifests")
    return programs_


def test_references_come_from_where_the_versions_are_pinned(built: dict[str, Path]) -> None:
    assert images.reference("training-operator") == f"{images.OPERATOR_IMAGE}:v1-abc"
    version = gomod.version("coredns", programs.COREDNS)
    assert images.reference("coredns") == f"registry.k8s.io/coredns/coredns:{version}"
    assert images.reference("tensorflow").endswith(f":{rootfs.lock_version('tensorflow-cpu')}")


def test_an_overlay_that_sets_no_tag_is_an_error(built: dict[str, Path]) -> None:
    (tools.operator_manifests() / OVERLAY).write_text("images: [{name: other, newTag: v1}]")
    with pytest.raises(SandboxError, match="no longer sets a tag"):
        images.reference("training-operator")


def test_a_static_image_is_made_once(built: dict[str, Path], script: Script, report: Progress) -> None:
    script("umoci", UMOCI)
    made = images.ensure(["training-operator"], report)
    [(reference, layout)] = made.items()
    assert reference == f"{images.OPERATOR_IMAGE}:v1-abc"
    assert (layout / "inserted").read_text() == f"{built['training-operator']} -> /manager\n"
    assert "--config.entrypoint=/manager" in (layout / "configured").read_text()
    script("umoci", "exit 1")
    assert images.ensure(["training-operator"], report) == made


def test_another_build_of_the_program_makes_another_image(
    built: dict[str, Path], script: Script, report: Progress
) -> None:
    script("umoci", UMOCI)
    before = images.ensure(["coredns"], report)
    built["coredns"] = paths.tools() / "group-fedcba9876543210" / "coredns"
    assert images.ensure(["coredns"], report) != before


def test_a_failed_image_leaves_nothing_behind(
    built: dict[str, Path], script: Script, report: Progress
) -> None:
    script("umoci", "echo 'no space left on device'; exit 1")
    with pytest.raises(SandboxError, match="making the image pause failed: the disk is full"):
        images.ensure(["pause"], report)
    assert [path.name for path in paths.images().iterdir()] == [".lock"]


def test_without_umoci_the_error_names_it(
    built: dict[str, Path], report: Progress, monkeypatch: pytest.MonkeyPatch, machine: Path
) -> None:
    monkeypatch.setenv("PATH", str(machine / "bin"))
    with pytest.raises(SandboxError, match="needs the program umoci"):
        images.ensure(["pause"], report)


def test_too_little_room_for_tensorflow_is_said_first(
    built: dict[str, Path], script: Script, report: Progress, monkeypatch: pytest.MonkeyPatch
) -> None:
    script("umoci", UMOCI)
    monkeypatch.setattr(shutil, "disk_usage", lambda place: Usage(2**40, 2**40, 2**30))
    with pytest.raises(SandboxError, match=r"takes 5 GiB and .* has 1\.0 GiB left"):
        images.ensure(["tensorflow"], report)


def test_another_architecture_is_refused(
    machine: Path, report: Progress, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("platform.machine", lambda: "aarch64")
    with pytest.raises(SandboxError, match="only made for x86_64"):
        rootfs.make(machine / "root", report)


@pytest.mark.parametrize(
    ("targets", "mirror"),
    [
        ("http://m/debian/ bookworm Debian Debian", "http://m/debian/"),
        ("http://s/ bookworm-security Debian Debian-Security\nhttp://m/ bookworm", "http://m/"),
        ("http://u/ noble Ubuntu Ubuntu\nhttp://m/ trixie Debian Debian", "http://m/"),
        ("http://u/ noble Ubuntu Ubuntu", None),
        ("", None),
    ],
)
def test_the_machines_own_debian_mirror_is_used(targets: str, mirror: str | None) -> None:
    assert rootfs.choose_mirror(targets) == mirror


def test_the_lock_pins_every_package_with_hashes_and_no_index() -> None:
    text = rootfs.LOCK.read_text()
    entries = re.split(r"^(?=\S+==)", text, flags=re.MULTILINE)[1:]
    assert {"tensorflow-cpu", "prometheus-client", "scikit-learn"} <= {e.split("==")[0] for e in entries}
    assert all("--hash=sha256:" in entry for entry in entries)
    assert "://" not in text
    assert "--index" not in text


def layout_of(folder: Path, digest: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "index.json").write_text(json.dumps({"manifests": [{"digest": digest}]}))
    return folder


CTR = """\
case "$*" in
  *"images list") cat {state} ;;
  *import*) cat > /dev/null; echo "$@" >> {record}; {then} ;;
esac
"""
TABLE = "REF TYPE DIGEST SIZE PLATFORMS LABELS\nr/a:1 type sha256:aa 1 MiB linux/amd64 -\n"


def test_only_what_containerd_lacks_is_imported(machine: Path, script: Script) -> None:
    state, record = machine / "table", machine / "imports"
    state.write_text(TABLE)
    script("ctr", CTR.format(state=state, record=record, then=":"))
    wanted = {
        "r/a:1": layout_of(machine / "a", "sha256:aa"),
        "r/b:2": layout_of(machine / "b", "sha256:bb"),
    }
    assert containerd_images.import_into(Path("/s.sock"), wanted) == ["r/b:2"]
    [imported] = record.read_text().splitlines()
    assert imported == "--address /s.sock --namespace k8s.io images import --base-name r/b -"


def test_another_image_of_the_same_name_is_replaced(machine: Path, script: Script) -> None:
    state = machine / "table"
    state.write_text(TABLE)
    script("ctr", CTR.format(state=state, record=machine / "imports", then=":"))
    wanted = {"r/a:1": layout_of(machine / "a", "sha256:other")}
    assert containerd_images.import_into(Path("/s.sock"), wanted) == ["r/a:1"]


def test_a_refused_import_says_what_to_do(machine: Path, script: Script) -> None:
    state = machine / "table"
    state.write_text(TABLE)
    script("ctr", CTR.format(state=state, record=machine / "i", then="echo broken blob >&2; exit 1"))
    wanted = {"r/b:2": layout_of(machine / "b", "sha256:bb")}
    with pytest.raises(SandboxError, match=r"does not take the image r/b:2: broken blob.*remove .*/b"):
        containerd_images.import_into(Path("/s.sock"), wanted)


@pytest.mark.skipif(shutil.which("umoci") is None, reason="needs umoci")
def test_umoci_writes_a_layout_that_names_the_tag(built: dict[str, Path], report: Progress) -> None:
    built["pause"].write_text("a program")
    [layout] = images.ensure(["pause"], report).values()
    index = json.loads((layout / "index.json").read_text())
    [manifest] = index["manifests"]
    tag = images.reference("pause").rpartition(":")[2]
    assert manifest["annotations"]["org.opencontainers.image.ref.name"] == tag
    assert containerd_images.digest(layout).startswith("sha256:")
    shown = subprocess.run(["umoci", "stat", "--image", f"{layout}:{tag}"], check=False)
    assert shown.returncode == 0
