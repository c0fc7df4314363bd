"""What the distribution must provide, and how it is asked for it."""

from __future__ import annotations

import fcntl
from pathlib import Path

import pytest

from sandbox import system
from sandbox.errors import SandboxError
from sandbox.progress import Progress
from tests.sandbox.conftest import Script


@pytest.fixture
def lacking(machine: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine that lacks two packages, with apt-get still to come; returns where it will put them."""
    place = machine / "installed"
    place.mkdir()
    packages = {str(place / "containerd"): "containerd", str(place / "umoci"): "umoci", "sh": "dash"}
    monkeypatch.setattr(system, "PACKAGES", packages)
    monkeypatch.setattr(system, "_POLICY", machine / "policy-rc.d")
    monkeypatch.setattr("os.geteuid", lambda: 0)
    return place


def test_only_missing_packages_are_installed(lacking: Path, script: Script, report: Progress) -> None:
    record = lacking.parent / "apt"
    script("systemctl", "")
    script("apt-get", f'echo "$@" >> {record}; touch {lacking}/containerd {lacking}/umoci')
    system.ensure(report)
    update, install = record.read_text().splitlines()
    assert update.endswith(" update")
    assert install.endswith("install -y --no-install-recommends containerd umoci")
    record.unlink()
    system.ensure(report)
    assert not record.exists()


def test_what_a_test_needs_beside_is_installed_alone(lacking: Path, script: Script, report: Progress) -> None:
    record = lacking.parent / "apt"
    script("apt-get", f'echo "$@" >> {record}; touch {lacking}/chromium')
    system.ensure(report, {str(lacking / "chromium"): "chromium"})
    assert record.read_text().endswith("--no-install-recommends chromium\n")


def test_no_service_is_started_by_the_installation(lacking: Path, script: Script, report: Progress) -> None:
    policy, seen = lacking.parent / "policy-rc.d", lacking.parent / "seen"
    calls = lacking.parent / "systemctl-calls"
    script("systemctl", f'echo "$@" >> {calls}')
    script("apt-get", f"{policy}; echo $? >> {seen}; touch {lacking}/containerd {lacking}/umoci")
    system.ensure(report)
    assert seen.read_text().split() == ["101", "101"]
    assert not policy.exists()
    assert calls.read_text() == "disable containerd\n"


def test_the_policy_is_gone_after_a_failure(lacking: Path, script: Script, report: Progress) -> None:
    script("apt-get", "echo 'E: Unable to locate package umoci'; exit 100")
    with pytest.raises(SandboxError, match=r"apt-get update failed[\s\S]*Unable to locate package umoci"):
        system.ensure(report)
    assert not (lacking.parent / "policy-rc.d").exists()


def test_an_unprivileged_user_is_told_what_to_run(
    lacking: Path, script: Script, report: Progress, monkeypatch: pytest.MonkeyPatch
) -> None:
    script("apt-get", "")
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    with pytest.raises(SandboxError, match=r"run `apt-get install .* containerd umoci` as root"):
        system.ensure(report)


def test_a_machine_without_apt_is_told_what_it_needs(
    lacking: Path, report: Progress, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = system.shutil.which
    monkeypatch.setattr(
        system.shutil, "which", lambda name, **options: None if name == "apt-get" else real(name, **options)
    )
    with pytest.raises(SandboxError, match=r"containerd umoci, and this machine has no apt-get"):
        system.ensure(report)


def left_behind(machine: Path) -> Path:
    """The policy as a killed run leaves it."""
    policy = machine / "policy-rc.d"
    with system._no_services():
        content = policy.read_bytes()
    policy.write_bytes(content)
    return policy


def test_the_policy_of_a_killed_run_goes_with_the_next(
    lacking: Path, report: Progress, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = left_behind(lacking.parent)
    monkeypatch.setattr(system, "PACKAGES", {})
    system.ensure(report)
    assert not policy.exists()


def test_the_policy_of_a_run_that_is_still_at_it_stays(lacking: Path) -> None:
    policy = left_behind(lacking.parent)
    with policy.open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        system.remove_leftover()
        assert policy.exists()


def test_somebody_elses_policy_stays(lacking: Path, script: Script, report: Progress) -> None:
    policy = lacking.parent / "policy-rc.d"
    policy.write_text("#!/bin/sh\nexit 101\n")
    script("systemctl", "")
    script("apt-get", f"touch {lacking}/containerd {lacking}/umoci")
    system.ensure(report)
    assert policy.exists()
