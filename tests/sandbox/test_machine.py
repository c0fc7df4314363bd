"""One sandbox a machine, whichever state folder it belongs to."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandbox import machine as host
from sandbox import network, paths
from sandbox.errors import SandboxError


@pytest.fixture(autouse=True)
def lock(machine: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A lock of the test's own, on a machine where a sandbox runs."""
    file = machine / "lock"
    monkeypatch.setattr(host, "_LOCK", file)
    monkeypatch.setattr(network, "exists", lambda: True)
    return file


def started_by_another(machine: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The other's state folder."""
    monkeypatch.setenv("XDG_STATE_HOME", str(machine / "other"))
    other = paths.state()
    other.mkdir(parents=True)
    with host.exclusive():
        host.claim()
    monkeypatch.setenv("XDG_STATE_HOME", str(machine / "state"))
    return other


def test_ones_own_sandbox_may_be_started_and_stopped_again() -> None:
    with host.exclusive():
        host.claim()
    with host.exclusive():
        pass


def test_the_sandbox_of_another_state_folder_is_refused_by_its_name(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = started_by_another(machine, monkeypatch)
    with pytest.raises(SandboxError, match="another state folder") as refused, host.exclusive():
        pass
    assert str(other) in str(refused.value)
    assert f"XDG_STATE_HOME={machine / 'other'} make down" in str(refused.value)


def test_a_sandbox_that_is_down_is_in_nobodys_way(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started_by_another(machine, monkeypatch)
    monkeypatch.setattr(network, "exists", lambda: False)
    with host.exclusive():
        pass


def test_what_is_left_of_a_sandbox_without_its_folder_may_be_cleared(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started_by_another(machine, monkeypatch).rmdir()
    with host.exclusive():
        pass


def test_two_commands_at_once_are_refused() -> None:
    with host.exclusive(), pytest.raises(SandboxError, match="wait for it to end"), host.exclusive():
        pass


def test_a_refused_command_leaves_the_owner_noted(
    machine: Path, monkeypatch: pytest.MonkeyPatch, lock: Path
) -> None:
    other = started_by_another(machine, monkeypatch)
    with pytest.raises(SandboxError), host.exclusive():
        pass
    assert lock.read_text() == str(other)
