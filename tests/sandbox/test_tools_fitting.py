"""Which programs of the machine are used instead of building them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sandbox import fitting, paths, tools
from sandbox.progress import Progress
from tests.sandbox.conftest import Script


def kubectl(version: str) -> str:
    return f"""echo '{{"clientVersion": {{"gitVersion": "{version}"}}}}'"""


@pytest.mark.parametrize(
    ("version", "fits"),
    [
        ("v1.34.4", True),
        ("v1.34.0", True),
        ("v1.33.9", True),
        ("v1.35.1", True),
        ("v1.34.2+k3s1", True),
        ("v1.32.4", False),
        ("v1.36.0", False),
        ("v2.34.0", False),
        ("v1.34.4-dispatcher", False),
        ("v1.34.0-rc.1", False),
        ("v0.0.0-master+$Format:%H$", False),
        ("", False),
    ],
)
def test_kubectl_fits_within_one_minor_of_the_server(version: str, fits: bool, script: Script) -> None:
    script("kubectl", kubectl(version))
    assert (fitting.find("kubectl") is not None) is fits


def test_a_kubectl_that_fails_does_not_fit(script: Script) -> None:
    script("kubectl", f"{kubectl('v1.34.4')}; exit 1")
    assert fitting.find("kubectl") is None


def test_a_program_that_never_answers_does_not_fit(script: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fitting, "_ANSWER_TIMEOUT_SECONDS", 0.1)
    script("kubectl", "exec sleep 30")
    assert fitting.find("kubectl") is None


def test_a_file_that_cannot_run_does_not_fit(script: Script) -> None:
    script("kubectl", "").write_bytes(b"\x7fELF of another machine")
    assert fitting.find("kubectl") is None


@pytest.mark.parametrize(
    ("name", "answer", "fits"),
    [
        ("kubelet", "Kubernetes v1.34.4", True),
        ("kubelet", "Kubernetes v1.34.9", True),
        ("kubelet", "Kubernetes v1.34.3", False),
        ("kubelet", "Kubernetes v1.33.9", False),
        ("kube-apiserver", "Kubernetes v1.35.0", False),
        ("etcd", "etcd Version: 3.6.99", True),
        ("etcd", "etcd Version: 3.5.21", False),
        ("kwok", "kwok version v0.7.0 go1.26 (linux/amd64)", True),
        ("kwok", "kwok version v0.8.0 go1.26 (linux/amd64)", False),
    ],
)
def test_a_server_fits_with_the_minor_that_is_pinned(
    name: str, answer: str, fits: bool, script: Script
) -> None:
    script(name, f"echo '{answer}'")
    assert (fitting.find(name) is not None) is fits


@pytest.mark.parametrize("name", ["coredns", "training-operator", "pause"])
def test_what_goes_into_an_image_is_always_built(name: str, script: Script) -> None:
    script(name, "echo v99.0.0")
    assert fitting.find(name) is None


@pytest.mark.parametrize(
    ("version", "fits"), [("v3.200.0", True), ("v3.299.1", True), ("v3.199.9", False), ("v4.0.0", False)]
)
def test_pulumi_and_its_language_host_fit_together(version: str, fits: bool, script: Script) -> None:
    script("pulumi", f"echo {version}")
    host = script("pulumi-language-python", "")
    assert (fitting.find("pulumi") is not None) is fits
    assert fitting.find("pulumi-language-python") == (host if fits else None)


def test_a_pulumi_without_its_language_host_is_not_used(script: Script) -> None:
    script("pulumi", "echo v3.229.0")
    assert fitting.find("pulumi") is None
    assert fitting.find("pulumi-language-python") is None


def test_the_language_host_is_found_through_a_link(machine: Path, script: Script) -> None:
    real = script("opt/pulumi", "echo v3.229.0")
    host = script("opt/pulumi-language-python", "")
    (machine / "bin" / "pulumi").symlink_to(real)
    assert fitting.find("pulumi-language-python") == host


def test_the_newest_fitting_installed_plugin_is_used(script: Script) -> None:
    for version in ("v4.24.9", "v4.25.0", "v4.30.1", "v5.0.0"):
        script(f"home/.pulumi/plugins/resource-kubernetes-{version}/pulumi-resource-kubernetes", "")
    found = fitting.find("pulumi-resource-kubernetes")
    assert found is not None
    assert found.parent.name == "resource-kubernetes-v4.30.1"


def test_our_own_builds_on_path_are_not_taken_for_the_machines(
    script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = paths.tools() / "kubernetes-0123456789abcdef"
    script("cache/colocation/tools/kubernetes-0123456789abcdef/kubectl", kubectl("v1.34.1"))
    monkeypatch.setenv("PATH", f"{ours}:/usr/bin:/bin")
    monkeypatch.setattr(fitting.shutil, "which", _only_below(ours.parents[2]))
    assert fitting.find("kubectl") is None


def test_a_fitting_program_is_not_built(script: Script, report: Progress) -> None:
    wanted = script("kubectl", kubectl("v1.34.4"))
    script("go", "echo 'go must not be asked' >&2; exit 1")
    assert tools.ensure(["kubectl"], report) == {"kubectl": wanted}


def _only_below(root: Path) -> Callable[..., str | None]:
    """A `which` that sees nothing outside the test's machine, which may have a kubectl of its own."""

    def which(name: str, path: str) -> str | None:
        folders = [folder for folder in path.split(":") if folder.startswith(str(root))]
        return next((f"{folder}/{name}" for folder in folders if Path(folder, name).exists()), None)

    return which
