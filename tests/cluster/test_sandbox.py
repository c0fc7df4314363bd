"""The sandbox has three masters and six workers, and nothing in it can leave the machine."""

from __future__ import annotations

import subprocess
import time

import pytest

from sandbox import cluster, network, paths, processes, simulated_nodes
from sandbox.node import NODE_NAME
from tests.cluster.conftest import eventually

pytestmark = pytest.mark.cluster


def test_there_are_three_masters_and_six_workers_of_which_four_have_gpus(sandbox):
    nodes = {node["metadata"]["name"]: node for node in sandbox.items("nodes")}
    masters = [n for n in nodes if n.startswith("node-master-")]
    gpus = {n: node["status"]["capacity"].get("nvidia.com/gpu") for n, node in nodes.items()}
    assert len(masters) == 3
    assert len(nodes) - len(masters) == 6
    assert {n for n, count in gpus.items() if count == "4"} == {f"node-gpu-0{i}" for i in range(1, 5)}


def test_every_node_is_ready(sandbox):
    def unready():
        nodes = {node["metadata"]["name"]: node["status"]["conditions"] for node in sandbox.items("nodes")}
        return [
            name
            for name, conditions in nodes.items()
            if [c["status"] for c in conditions if c["type"] == "Ready"] != ["True"]
        ]

    eventually(lambda: not unready())


def test_one_worker_is_real_and_the_others_are_tainted(sandbox):
    for node in sandbox.items("nodes"):
        tainted = simulated_nodes.TAINT["key"] in [t["key"] for t in node["spec"].get("taints", [])]
        assert tainted == (node["metadata"]["name"] != NODE_NAME)


def test_the_sandbox_has_no_way_out():
    routes = subprocess.run(
        ["ip", "-netns", network.NAMESPACE, "route"], capture_output=True, text=True, check=True
    ).stdout
    assert "default" not in routes
    assert f"blackhole {network.SIMULATED_CIDR}" in routes


def test_every_server_listens_on_the_sandboxs_own_addresses():
    sockets = subprocess.run(
        ["nsenter", f"--net=/run/netns/{network.NAMESPACE}", "ss", "-Hltn"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    local = {line.split()[3].rsplit(":", 1)[0] for line in sockets.splitlines()}
    assert local
    assert local <= {network.NODE_IP, "127.0.0.1", "[::1]"}


def test_starting_what_runs_changes_nothing(sandbox):
    before = pids()
    subprocess.run([paths.CHECKOUT / ".venv/bin/colo", "sandbox", "up"], check=True, capture_output=True)
    time.sleep(2)  # kube-proxy ended a moment after its unchanged config had been written again
    assert pids() == before


def pids():
    found = {name: processes.find(name) for name in cluster.STOP_ORDER}
    return {name: process and process.pid for name, process in found.items()}


def test_logs_of_a_pod_on_the_real_node_can_be_read(sandbox):
    [pod, *_] = sandbox.items("pods", "-n", "kube-system", "-l", "k8s-app=kube-dns")
    assert "CoreDNS" in sandbox.kubectl("logs", "-n", "kube-system", pod["metadata"]["name"])
