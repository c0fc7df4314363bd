"""The sandbox survives a crash, and `down` leaves nothing of it. Runs last: it stops everything."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest

from sandbox import cluster, containers, network, paths, processes, teardown
from sandbox.progress import Progress
from tests.cluster.conftest import eventually

pytestmark = pytest.mark.cluster


def test_a_crashed_sandbox_comes_back_with_its_objects(sandbox):
    # Those that an earlier test deleted may go at any time.
    listed = ("get", "namespaces", "--field-selector=status.phase=Active", "-o", "name")
    before = sandbox.kubectl(*listed)
    for name in cluster.STOP_ORDER:
        process = processes.find(name)
        assert process is not None
        os.kill(process.pid, signal.SIGKILL)
    cluster.up(Progress())
    assert cluster.status().up
    assert sandbox.kubectl(*listed) == before


def test_down_removes_processes_network_and_mounts_and_up_brings_all_back(sandbox):
    pids = [process.pid for name in cluster.STOP_ORDER if (process := processes.find(name))]
    assert set(teardown.down()) == set(cluster.STOP_ORDER)
    try:
        assert not [pid for pid in pids if containers.resident_bytes(pid)]
        assert not list(containers.shims())
        assert not network.exists()
        routes = subprocess.run(["ip", "route"], capture_output=True, text=True, check=True).stdout
        assert network.POD_CIDR not in routes
        assert network.SIMULATED_CIDR not in routes
        assert str(paths.state()) not in Path("/proc/mounts").read_text()
        namespaces = subprocess.run(["ip", "netns"], capture_output=True, text=True, check=True)
        assert "cni-" not in namespaces.stdout
    finally:
        cluster.up(Progress())
    assert sandbox.items("nodes")


def test_an_idle_sandbox_takes_less_than_its_bound_of_memory(sandbox):
    """After the start above: what runs under load holds more, and gives it back slowly."""
    eventually(lambda: cluster.status().memory_bytes < 1.5 * 2**30, timeout_seconds=300)
