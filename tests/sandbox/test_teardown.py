"""What `down` and `clean` put away, and with how little they do it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from sandbox import containers, locks, network, paths, processes, system, teardown
from sandbox import machine as host
from sandbox.errors import SandboxError
from tests.sandbox.conftest import Script


@pytest.fixture
def nothing_runs(machine: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with data of a sandbox of which nothing runs."""
    monkeypatch.setattr("os.geteuid", lambda: 0)
    monkeypatch.setattr(host, "_LOCK", machine / "lock")
    monkeypatch.setattr(system, "_POLICY", machine / "policy-rc.d")
    monkeypatch.setattr(network, "CNI_RESULTS", machine / "cni")
    monkeypatch.setattr(containers, "_LOG_LINKS", machine / "links")
    for called in ("exists", "end_programs", "down"):
        monkeypatch.setattr(network, called, lambda: False)
    (paths.state() / "etcd").mkdir(parents=True)
    return machine


def test_both_need_no_package() -> None:
    code = "import infra.cli.sandbox, sandbox.teardown"
    done = subprocess.run(
        [sys.executable, "-S", "-c", code], cwd=paths.CHECKOUT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_down_keeps_the_data_and_clean_removes_it(nothing_runs: Path) -> None:
    assert teardown.down() == []
    assert (paths.state() / "etcd").exists()
    teardown.clean()
    assert not paths.state().exists()


def test_clean_says_when_data_stays(nothing_runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locks, "_mounts_below", lambda folder: [str(folder / "etcd")])
    with pytest.raises(SandboxError, match="cannot be removed whole"):
        teardown.clean()


def test_clean_removes_the_links_to_the_logs_of_its_containers_and_no_other(nothing_runs: Path) -> None:
    links = nothing_runs / "links"
    links.mkdir()
    (links / "ours.log").symlink_to(paths.pod_logs() / "pod" / "0.log")
    (links / "theirs.log").symlink_to("/var/log/pods/pod/0.log")
    (links / "file.log").touch()
    teardown.clean()
    assert sorted(link.name for link in links.iterdir()) == ["file.log", "theirs.log"]


def test_a_half_written_record_of_a_pods_network_stops_nothing(nothing_runs: Path, script: Script) -> None:
    calls = nothing_runs / "calls"
    script("ip", f'echo "$@" >> {calls}')
    records = nothing_runs / "cni"
    records.mkdir()
    whole = {"result": {"interfaces": [{"name": "eth0", "sandbox": "/var/run/netns/cni-1"}]}}
    (records / f"{network.POD_NETWORK}-a").write_text("{half a rec")
    (records / f"{network.POD_NETWORK}-b").write_text(json.dumps(whole))
    teardown.down()
    assert calls.read_text() == "netns delete cni-1\n"
    assert list(records.iterdir()) == []


def test_programs_end_in_an_order_that_starts_nothing_anew(
    nothing_runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped: list[str] = []
    monkeypatch.setattr(processes, "stop", lambda name: stopped.append(name) or name != "kwok")
    assert set(teardown.down()) == set(teardown.STOP_ORDER) - {"kwok"}
    assert stopped[0] == "kubelet"
    assert stopped[-2:] == ["kube-apiserver", "etcd"]
