"""Programs are found again and ended by pid, and a stranger with the same pid is left alone."""

import json
import os
import signal
import subprocess

import pytest

from sandbox import containers, paths, processes
from sandbox.errors import SandboxError


@pytest.fixture(autouse=True)
def state(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))


@pytest.fixture
def sleeper():
    process = processes.start("sleeper", ["sleep", "300"])
    yield process
    processes.stop("sleeper")


def change_record(name, **change):
    record = paths.pids() / f"{name}.json"
    record.write_text(json.dumps(json.loads(record.read_text()) | change))


def test_a_started_program_is_found_by_its_name(sleeper):
    assert processes.find("sleeper") == sleeper


def test_starting_what_runs_starts_nothing(sleeper):
    assert processes.start("sleeper", ["sleep", "300"]).pid == sleeper.pid


def test_stopping_ends_the_program_and_forgets_it(sleeper):
    assert processes.stop("sleeper")
    assert not sleeper.alive
    assert processes.find("sleeper") is None
    assert not processes.stop("sleeper")


def test_a_program_that_ignores_the_polite_signal_is_ended_all_the_same(monkeypatch):
    monkeypatch.setattr(processes, "STOP_TIMEOUT_SECONDS", 0.3)
    stubborn = processes.start("stubborn", ["sh", "-c", "trap '' TERM; while :; do sleep 0.1; done"])
    assert processes.stop("stubborn")
    assert not stubborn.alive


@pytest.mark.parametrize("change", [{"start_ticks": 1}, {"boot_id": "an earlier boot"}])
def test_a_stranger_that_has_the_pid_now_is_not_ended(sleeper, change):
    change_record("sleeper", **change)
    assert not processes.stop("sleeper")
    assert sleeper.alive
    os.kill(sleeper.pid, 9)


def test_a_program_that_cannot_be_ended_is_told_and_not_forgotten(sleeper, monkeypatch):
    with monkeypatch.context() as deaf:
        deaf.setattr(processes, "STOP_TIMEOUT_SECONDS", 0)
        deaf.setattr(processes, "KILL_TIMEOUT_SECONDS", 0)
        deaf.setattr(processes.os, "kill", lambda pid, sign: None)
        with pytest.raises(SandboxError, match=rf"sleeper \(pid {sleeper.pid}\) does not end"):
            processes.stop("sleeper")
    assert processes.find("sleeper") == sleeper


def test_a_program_whose_record_cannot_be_written_is_ended(monkeypatch):
    started = []
    real = subprocess.Popen
    monkeypatch.setattr(
        processes.subprocess, "Popen", lambda *args, **kw: started.append(real(*args, **kw)) or started[0]
    )
    monkeypatch.setattr(processes, "asdict", lambda process: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        processes.start("lost", ["sleep", "300"])
    assert started[0].returncode == -signal.SIGKILL
    assert processes.recorded() == []


def test_no_proxy_comes_between_the_sandboxs_programs(monkeypatch):
    monkeypatch.setenv("HTTPS_PROXY", "http://192.0.2.1:3128")
    process = processes.start("speaker", ["sh", "-c", "echo [$HTTPS_PROXY]; exec sleep 300"])
    while "]" not in processes.last_words("speaker"):
        assert process.alive
    assert processes.last_words("speaker") == "[]"
    processes.stop("speaker")


def test_a_damaged_record_counts_as_none():
    paths.pids().mkdir(parents=True)
    (paths.pids() / "etcd.json").write_text("{half a rec")
    assert processes.find("etcd") is None


def test_the_last_words_of_a_program_are_at_hand():
    process = processes.start("speaker", ["sh", "-c", "echo one; echo two; echo three; exec sleep 300"])
    while "three" not in processes.last_words("speaker"):
        assert process.alive
    assert processes.last_words("speaker", lines=2) == "two\nthree"
    processes.stop("speaker")


def test_memory_of_a_family_of_processes_counts_every_descendant():
    parent = subprocess.Popen(["sh", "-c", "sleep 300 & sleep 300 & wait"])
    while len(list(containers.below(parent.pid))) < 2:
        pass
    family = list(containers.below(parent.pid))
    assert all(containers.resident_bytes(pid) > 0 for pid in family)
    for pid in (*family, parent.pid):
        os.kill(pid, 9)
    parent.wait()
    assert containers.resident_bytes(parent.pid) == 0


def test_a_program_is_told_to_be_frugal_and_has_the_environment_else():
    process = processes.start("speaker", ["sh", "-c", "echo [$GOGC $HOME]; exec sleep 300"])
    while "]" not in processes.last_words("speaker"):
        assert process.alive
    assert processes.last_words("speaker") == f"[40 {os.environ['HOME']}]"
    processes.stop("speaker")
