"""Things go wrong around the commands: each says so in a sentence, with its exit code, and is soon done."""

from __future__ import annotations

import dataclasses
import json
import re
import socket
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime, timedelta

import pytest

from infra.places import ROOT
from sandbox import simulated_nodes
from tests.cluster.conftest import eventually
from tests.cluster.test_check_live import written
from tests.cluster.test_doctor_scale import ELSEWHERE, pod
from tests.cluster.ward import SLEEP, SMALL, Ward, job

pytestmark = pytest.mark.cluster

MINUTES_AHEAD = 40
SHIFTED = f"""
import datetime as clock
class Ahead(clock.datetime):
    @classmethod
    def now(cls, tz=None):
        return super().now(tz) + clock.timedelta(minutes={MINUTES_AHEAD})
clock.datetime = Ahead
"""
"""`sitecustomize` of a machine whose clock is wrong."""
NEED_NO_CLUSTER = (
    ("check", "--stack", "dev"),
    ("render", "--stack", "dev", "--out", "{out}"),
    ("diff-summary", "tests/infra/previews/everyday.json"),
)
LOOK = ("doctor", "status")


@dataclasses.dataclass(frozen=True)
class Said:
    """What a command did."""

    code: int
    out: str
    err: str
    seconds: float

    @property
    def diagnoses(self):
        """Of the doctor, as programs read them."""
        return {(one["code"], one["object"]): one for one in json.loads(self.out)["diagnoses"]}


@pytest.fixture
def colo(sandbox, tmp_path):
    def run(*arguments, **variables):
        since = time.monotonic()
        done = subprocess.run(
            [sys.executable, "-m", "infra.cli", *(a.format(out=tmp_path / "out") for a in arguments)],
            cwd=ROOT,
            env=sandbox.workspace.environment() | variables,
            capture_output=True,
            text=True,
            check=False,
        )
        assert "Traceback" not in done.stdout + done.stderr
        assert "unexpectedly" not in done.stderr
        return Said(done.returncode, done.stdout, done.stderr, time.monotonic() - since)

    return run


# --- the API server is away


@pytest.fixture(scope="module")
def silent():
    """A port that takes connections, and says nothing."""
    listening = socket.create_server(("127.0.0.1", 0))
    held = []

    def take():
        while True:
            try:
                held.append(listening.accept()[0])
            except OSError:
                return

    threading.Thread(target=take, daemon=True).start()
    yield f"https://127.0.0.1:{listening.getsockname()[1]}"
    listening.close()


@pytest.fixture(params=["closed", "silent"])
def away(request, silent, sandbox, tmp_path):
    """A kubeconfig that leads to a server that is not there, and what is said of it."""
    server = silent if request.param == "silent" else "https://127.0.0.1:1"
    reason = "nothing came within 2 s" if request.param == "silent" else "Connection refused"
    return written(tmp_path, sandbox, "nobody", server=server), reason


@pytest.mark.parametrize("command", LOOK)
def test_a_server_that_is_away_leaves_nothing_to_look_at(away, colo, command):
    kubeconfig, reason = away
    said = colo(command, "--stack", "dev", KUBECONFIG=kubeconfig)
    assert (said.code, said.out, said.err.count("\n")) == (2, "", 1)
    assert said.err.startswith(f"colo {command}: cannot look: the API server 127.0.0.1:")
    assert reason in said.err
    assert said.seconds < 30


def test_a_server_that_is_away_is_one_fault_of_a_live_check(away, colo):
    kubeconfig, reason = away
    said = colo("check", "--live", "--stack", "dev", "--format", "json", KUBECONFIG=kubeconfig)
    faults = [one for one in json.loads(said.out)["findings"] if one["severity"] == "fault"]
    assert (said.code, [one["code"] for one in faults]) == (1, ["cluster-unreachable"])
    assert reason in faults[0]["message"]
    assert said.seconds < 30


@pytest.mark.parametrize("command", NEED_NO_CLUSTER, ids=lambda command: command[0])
def test_what_needs_no_server_does_not_miss_it(away, colo, command):
    said = colo(*command, KUBECONFIG=away[0])
    assert (said.code, bool(said.out)) == (0, True), said.err


@pytest.mark.parametrize("away", ["closed"], indirect=True)
def test_a_refresh_without_a_server_says_so_of_each_pool_in_a_sentence(deployed_once, away, deployment):
    variables = {**deployment.workspace.variables, "KUBECONFIG": away[0]}
    workspace = dataclasses.replace(deployment.workspace, variables=variables)
    done = workspace.update("preview", "--refresh", capture=True)
    said = done.stdout + done.stderr
    assert done.returncode != 0
    assert "pool gpu: node node-gpu-01 cannot be read: the API server 127.0.0.1:1 does not answer (" in said
    assert "Traceback" not in said


# --- Prometheus is away


@pytest.fixture
def unwatched(sandbox):
    """Nobody answers for Prometheus as long as a test runs."""
    server = ("prometheus", "kube-prometheus-stack-prometheus", "-n", "monitoring")

    def replicas(number):
        patch = json.dumps({"spec": {"replicas": number}})
        sandbox.kubectl("patch", *server, "--type=merge", "-p", patch)
        slices = (
            "endpointslices",
            "-n",
            "monitoring",
            "-l",
            "kubernetes.io/service-name=prometheus-operated",
        )

        def ready():
            endpoints = [e for s in sandbox.items(*slices) for e in s.get("endpoints") or ()]
            return bool([e for e in endpoints if e["conditions"].get("ready")]) == bool(number)

        eventually(ready)

    try:
        replicas(0)
        yield
    finally:
        replicas(1)


def test_without_prometheus_its_absence_is_the_fault_and_the_rest_is_looked_at(
    deployed_once, unwatched, colo
):
    def is_told():
        found = colo("doctor", "--stack", "dev", "--format", "json").diagnoses
        return "prometheus-down" in {code for code, _ in found}

    eventually(is_told)
    said = colo("doctor", "--stack", "dev", "--format", "json")
    faults = [code for (code, _), one in said.diagnoses.items() if one["severity"] == "fault"]
    assert (said.code, faults) == (1, ["prometheus-down"])
    assert [one["kind"] for one in json.loads(said.out)["unread"]] == ["services/proxy"]

    said = colo("doctor", "--stack", "dev")
    assert "advice: Prometheus could not be asked: nothing is said of metrics and alerts" in said.out

    said = colo("status", "--stack", "dev")
    assert (said.code, said.err) == (0, "")
    assert "tf-mnist-cpu" in said.out
    assert "Prometheus could not be read (" in said.out
    assert "LOSS" not in said.out
    assert colo("check", "--live", "--stack", "dev").code == 0
    for command in NEED_NO_CLUSTER:
        assert colo(*command).code == 0


# --- half of the objects are deleted by hand


GONE = (
    ("ResourceQuota", "kubeflow", "quota"),
    ("TFJob", "kubeflow", "tf-digits-dist"),
    ("TFJob", "kubeflow", "tf-mnist-gpu"),
    ("PodMonitor", "monitoring", "training-pods"),
    ("ServiceMonitor", "monitoring", "training-operator"),
    ("PriorityClass", "", "offline-low"),
    ("Deployment", "kubeflow", "training-operator"),
)


@pytest.fixture
def halved(deployed):
    """Somebody deletes half of the stack, and one command brings it back."""
    try:
        for kind, namespace, name in GONE:
            where = ("-n", namespace) if namespace else ()
            deployed.sandbox.kubectl("delete", kind, name, *where, "--timeout=180s")
        # A Deployment is gone before its pods are.
        operators = ("pods", "-n", "kubeflow", "-l", "control-plane")
        eventually(lambda: deployed.sandbox.items(*operators) == [])
        yield
    finally:
        deployed.up("--refresh")


def test_what_somebody_deleted_is_told_with_the_one_command_that_brings_it_back(halved, colo):
    said = colo("doctor", "--stack", "dev", "--format", "json")
    told = {title: one for (code, title), one in said.diagnoses.items() if code == "not-in-cluster"}
    others = [part for part in GONE if part[0] != "TFJob"]
    assert said.code == 1
    assert {
        f"{kind} {namespace}/{name}".replace(" /", " ") for kind, namespace, name in others
    } == told.keys()
    assert {one["fix"] for one in told.values()} == {"pulumi up --refresh --stack dev"}
    # No TFJob is taken while the operator is gone: they are what its absence stops.
    operator = told["Deployment kubeflow/training-operator"]
    assert {"tf-digits-dist", "tf-mnist-gpu"} <= set(operator["affects"])

    said = colo("status", "--stack", "dev")
    assert said.code == 0
    assert [line.split()[:2] for line in said.out.splitlines() if "absent" in line] == [
        ["tf-mnist-gpu", "absent"],
        ["tf-digits-dist", "absent"],
    ]
    live = colo("check", "--live", "--stack", "dev", "--format", "json")
    found = {one["code"] for one in json.loads(live.out)["findings"] if one["severity"] == "fault"}
    assert (live.code, found) == (1, {"webhook-without-endpoint"})
    for command in NEED_NO_CLUSTER:
        assert colo(*command).code == 0


def test_after_that_all_is_well(deployed_once, colo):
    eventually(lambda: not colo("doctor", "--stack", "dev", "--format", "json").diagnoses)
    ended = "tf-digits-dist  Succeeded"
    eventually(lambda: ended in colo("status", "--stack", "dev").out, timeout_seconds=600)


# --- clocks are wrong


def test_a_clock_here_that_is_wrong_is_told_and_ages_are_right(deployed_once, colo, tmp_path):
    (tmp_path / "sitecustomize.py").write_text(SHIFTED)
    said = colo("doctor", "--stack", "dev", "--format", "json", PYTHONPATH=f"{tmp_path}:{ROOT}")
    assert (said.code, [code for code, _ in said.diagnoses]) == (0, ["clock-skew"])
    assert (
        f"its clock is {MINUTES_AHEAD} min ahead of" in said.diagnoses["clock-skew", "this machine"]["cause"]
    )

    def rows(**variables):
        said = colo("status", "--stack", "dev", **variables)
        return [line.split()[:3] for line in said.out.splitlines()]

    # A parameter server whose job is over may go between the two.
    eventually(lambda: rows() == rows(PYTHONPATH=f"{tmp_path}:{ROOT}"))
    assert colo("check", "--live", "--stack", "dev", PYTHONPATH=f"{tmp_path}:{ROOT}").code == 0


def test_a_nodes_clock_that_is_wrong_is_told(deployed_once, sandbox, colo):
    later = (datetime.now(UTC) + timedelta(minutes=MINUTES_AHEAD)).strftime("%Y-%m-%dT%H:%M:%SZ")
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "drill-ahead"}}
    node["spec"] = {"taints": [{"key": "drill", "effect": "NoSchedule"}]}
    ready = {"type": "Ready", "status": "True", "lastHeartbeatTime": later, "reason": "KubeletReady"}
    sandbox.kubectl("create", "-f", "-", stdin=json.dumps(node))
    try:
        patch = json.dumps({"status": {"conditions": [ready]}})
        sandbox.kubectl("patch", "node", "drill-ahead", "--subresource=status", "-p", patch)
        said = colo("doctor", "--stack", "dev", "--format", "json")
        cause = said.diagnoses["clock-skew", "Node drill-ahead"]["cause"]
        # Some of it has passed when the doctor looks.
        assert MINUTES_AHEAD - 2 <= int(re.search(r"(\d+) min ahead", cause)[1]) <= MINUTES_AHEAD
    finally:
        sandbox.kubectl("delete", "node", "drill-ahead")


# --- a job of 300 pods


PODS, WITHOUT_A_NODE = 300, 100


@pytest.fixture
def giant(sandbox, tmp_path, monkeypatch):
    """One job of PODS, gone with the test."""
    monkeypatch.setenv("KUBECONFIG", sandbox.workspace.environment()["KUBECONFIG"])
    ward = Ward(sandbox, tmp_path)
    try:
        fill(ward)
        yield ward
    finally:
        ward.close()


def fill(ward):
    """Most of its pods run on simulated nodes, the rest ask for more than any node has."""
    namespace = ward.admit("giant")
    manifest = ward.manifest(namespace, job("giant", SLEEP, worker={"replicas": PODS, "resources": SMALL}))
    ward.declare(job("giant", SLEEP, worker={"replicas": PODS, "resources": SMALL}) | {"tenant": namespace})
    manifest["spec"]["runPolicy"]["managedBy"] = ELSEWHERE
    nodes = [node.name for node in simulated_nodes.topology()]
    pods = [pod(manifest, i, nodes[i % len(nodes)]) for i in range(PODS)]
    for one in pods[:WITHOUT_A_NODE]:
        spec = dict(one["spec"])
        del spec["nodeName"]
        [training] = [c for c in spec["containers"] if c["name"] == "tensorflow"]
        huge = training | {"resources": {"requests": {"cpu": "500"}}}
        one["spec"] = spec | {"containers": [huge]}
    items = [manifest, *pods]
    ward.sandbox.kubectl(
        "create", "-f", "-", stdin=json.dumps({"apiVersion": "v1", "kind": "List", "items": items})
    )
    running = ("pods", "-n", namespace, "--field-selector=status.phase=Running", "-o", "name")
    wanted = PODS - WITHOUT_A_NODE
    eventually(lambda: len(ward.sandbox.kubectl("get", *running).splitlines()) == wanted)

    def refused():
        pods = ward.sandbox.items("pods", "-n", namespace, "--field-selector=status.phase=Pending")
        said = [c for pod in pods for c in pod["status"].get("conditions", []) if c["status"] == "False"]
        return sum(c["type"] == "PodScheduled" for c in said)

    eventually(lambda: refused() == WITHOUT_A_NODE)


def test_a_job_of_three_hundred_pods_is_one_row_and_each_cause_is_told_once(giant, colo):
    file = str(giant.file)
    said = colo("doctor", "--file", file)
    assert said.code == 1
    assert "1 job, 300 pods looked at" in said.out
    assert f"so are {WITHOUT_A_NODE - 1} more: giant-worker-" in said.out
    codes = [line.rpartition("[")[2] for line in said.out.splitlines() if "TFJob" in line.partition("/")[0]]
    # Nobody has told these pods of their peers.
    assert sorted(codes) == ["larger-than-any-node]", "tf-config-wrong]"]
    assert said.seconds < 40

    said = colo("status", "--file", file)
    assert (said.code, said.err) == (0, "")
    [row] = [line for line in said.out.splitlines() if "giant " in line and "/300" in line]
    assert f"{PODS - WITHOUT_A_NODE}/300" in row
    assert max(map(len, said.out.splitlines())) <= 80
    assert colo("check", "--file", file).code == 0
