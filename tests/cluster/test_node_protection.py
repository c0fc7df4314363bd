"""Node protection on the real node: what it sets, what it puts back, and that services feel it.

The last is the smoke form of `make bench-latency`. The training asks for ten times what the service does, so
that without protection the kernel lets it have its way, and the margin is wide on any machine.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import pytest

from benchmarks.latency.cluster import Cluster
from benchmarks.latency.load import Answers, attack
from benchmarks.latency.settings import JOB, NAMESPACE, NODES, Setting
from components.protect_node import Groups
from infra.vocabulary import NODE_PROTECTION
from sandbox import images, tools
from sandbox.progress import Progress
from tests.cluster.conftest import eventually

pytestmark = pytest.mark.cluster

GREEDY = Setting(
    name="greedy",
    title="",
    requests={"cpu": "800m", "memory": "1Gi"},
    limits={"memory": "2Gi"},  # none of CPU: as many threads as the machine has processors
    protection={},
)
ONLINE_REQUESTS = {"cpu": "80m", "memory": "64Mi"}
ROUNDS, SECONDS, RATE = 3, 3.0, 50
MOST_ROUNDS = 9
"""Of a machine that runs other tests meanwhile, which slow down any of them."""
NOWHERE = {"colocation.io/nowhere": "true"}


@dataclass(frozen=True)
class Scene:
    """A service and a training on one node, with protection that can be turned on and off."""

    cluster: Cluster
    vegeta: Path
    url: str
    alone: list[Answers]

    def protect(self, on: bool) -> None:
        """Let the DaemonSet have its pod on the node, or keep it off; wait until that shows."""
        selector = {key: None if on else value for key, value in NOWHERE.items()}
        change = json.dumps({"spec": {"template": {"spec": {"nodeSelector": selector}}}})
        self.cluster.run("patch", "daemonset", "-n", NODES, NODE_PROTECTION, "-p", change)
        eventually(lambda: self.idle(f"{JOB}-worker-0") == int(on))

    def idle(self, pod: str) -> int:
        return int((self.folder(pod) / "cpu.idle").read_text())

    def weight(self, pod: str) -> int:
        [file] = [f for name in ("cpu.weight", "cpu.shares") if (f := self.folder(pod) / name).exists()]
        return int(file.read_text())

    def folder(self, pod: str) -> Path:
        uid = self.cluster.run("get", "pod", "-n", NAMESPACE, pod, "-o", "jsonpath={.metadata.uid}")
        return Groups(Path("/sys/fs/cgroup")).known([uid])[uid]

    def processors(self, pod: str) -> set[int]:
        """Those that its container may use, as its own process sees them."""
        text = "import os; print(*os.sched_getaffinity(0))"
        found = self.cluster.run("exec", "-n", NAMESPACE, pod, "--", "python3", "-c", text)
        return set(map(int, found.split()))

    def service_pod(self) -> str:
        found = self.cluster.run("get", "pods", "-n", NAMESPACE, "-l", "app=service", "-o", "name")
        return found.strip().removeprefix("pod/")

    def attack(self) -> Answers:
        return attack(self.vegeta, self.url, rate=RATE, seconds=SECONDS)


def threads_of_core(cpu: int) -> set[int]:
    text = Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings").read_text()
    mask = int(text.strip().replace(",", ""), 16)
    return {number for number in range(mask.bit_length()) if mask >> number & 1}


@pytest.fixture(scope="module")
def scene(sandbox) -> Iterator[Scene]:
    vegeta = tools.ensure(["vegeta"], Progress())["vegeta"]
    cluster = Cluster(sandbox.workspace.kubectl, images.reference("tensorflow"), ONLINE_REQUESTS)
    with cluster.serving() as url:
        alone = Scene(cluster, vegeta, url, [])
        alone.attack()  # the first answers are slow
        before = [alone.attack() for _ in range(ROUNDS)]
        with cluster.training(GREEDY):
            yield Scene(cluster, vegeta, url, before)


def test_the_offline_pod_is_idle_and_the_online_pod_is_not(scene):
    scene.protect(on=True)
    assert scene.idle(scene.service_pod()) == 0


def test_the_offline_pod_is_kept_off_one_core_and_the_online_pod_is_not(scene):
    scene.protect(on=True)
    whole = os.sched_getaffinity(0)
    first = threads_of_core(min(whole))
    left = whole - first or whole  # the only core there is, is left to them
    eventually(lambda: scene.processors(f"{JOB}-worker-0") == left)
    assert scene.processors(scene.service_pod()) == whole


def test_its_end_puts_back_what_the_kubelet_had_set(scene):
    scene.protect(on=False)
    of_requests = scene.weight(f"{JOB}-worker-0")
    scene.protect(on=True)
    eventually(lambda: scene.weight(f"{JOB}-worker-0") < of_requests)
    scene.protect(on=False)
    # One file after the other is put back.
    eventually(lambda: scene.weight(f"{JOB}-worker-0") == of_requests)
    eventually(lambda: scene.processors(f"{JOB}-worker-0") == os.sched_getaffinity(0))


def test_services_answer_much_sooner_with_it_and_training_goes_on(scene):
    rounds = {"alone": scene.alone, "unprotected": [], "protected": []}
    while True:
        scene.protect(on=False)
        rounds["unprotected"].append(scene.attack())
        scene.protect(on=True)
        rounds["protected"].append(scene.attack())
        p95 = {name: median(one.p95 for one in seen) for name, seen in rounds.items()}
        is_well = p95["protected"] < p95["unprotected"] / 2
        if len(rounds["protected"]) >= (ROUNDS if is_well else MOST_ROUNDS):
            break
    assert is_well, p95
    seen = len(scene.cluster.progress())
    eventually(lambda: len(scene.cluster.progress()) > seen)
