"""`colo alert test` against the real Alertmanager, behind a stand-in for the API server."""

import json
import threading
import urllib.error
import urllib.request
from datetime import datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
import yaml

from infra.cli import alert, main
from tests.delivery.robots import DINGTALK

PODS = "/api/v1/namespaces/monitoring/pods"
PROXY = f"{PODS}/alertmanager-0:9093/proxy"
READY = {"status": {"conditions": [{"type": "Ready", "status": "True"}]}}
ALERTS = {
    "language": "zh",
    "receivers": [{"name": "ops", "dingtalk": {"url_secret": "ops-url", "keyword": "训练"}}],
    "default_receiver": "ops",
}


class ApiServer:
    """Knows one pod: what its proxy answers, and its log."""

    def __init__(self, alertmanager_url, log):
        self.pods = [{"metadata": {"name": "alertmanager-0"}, **READY}]
        self.refuses = False
        direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        owner = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                status, answer = self._answered()
                self.send_response(status)
                self.end_headers()
                self.wfile.write(answer)

            def do_POST(self):
                self.do_GET()

            def _answered(self):
                path = self.path.partition("?")[0]
                if owner.refuses:
                    return 403, json.dumps({"kind": "Status", "message": "pods is forbidden"}).encode()
                if path == "/version/":
                    return 200, json.dumps({"gitVersion": "v1.34.4"}).encode()
                if path == "/api/v1/namespaces":
                    fields = [{"manager": "colocation-lab"}]
                    items = [{"metadata": {"name": "vision", "managedFields": fields}}]
                    return 200, json.dumps({"items": items}).encode()
                if path == PODS:
                    return 200, json.dumps({"items": owner.pods}).encode()
                if path == f"{PODS}/alertmanager-0/log":
                    return 200, log.read_bytes()
                raw = self.rfile.read(int(self.headers.get("Content-Length") or 0)) or None
                url = alertmanager_url + path.removeprefix(PROXY)
                try:
                    with direct.open(
                        urllib.request.Request(url, raw, {"Content-Type": "application/json"}), timeout=5
                    ) as answer:
                        return answer.status, answer.read()
                except urllib.error.HTTPError as error:
                    return error.code, error.read()

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()


@pytest.fixture
def stacks(tmp_path, monkeypatch):
    """Writes the stack `lab`."""
    monkeypatch.setattr("infra.places.STACKS", tmp_path / "stacks")
    (tmp_path / "stacks").mkdir()

    def write(**change):
        stack = {"tenants": [{"name": "vision"}], "monitoring": {"install": False}, "alerts": ALERTS} | change
        (tmp_path / "stacks" / "lab.yaml").write_text(yaml.safe_dump(stack))

    write()
    return write


@pytest.fixture
def cluster(alertmanager, robots, stacks, tmp_path, monkeypatch):
    """Alertmanager behind an API server that KUBECONFIG leads to; with the robot of the receiver."""
    robot, url = robots.add(DINGTALK, "t0ken-of-ops", keyword="训练")
    running = alertmanager(ALERTS, {"ops-url": url})
    api = ApiServer(running.url, tmp_path / "alertmanager.log")
    api.robot = robot
    access = {
        "current-context": "lab",
        "contexts": [{"name": "lab", "context": {"cluster": "lab", "user": "me"}}],
        "clusters": [{"name": "lab", "cluster": {"server": api.url}}],
        "users": [{"name": "me", "user": {"token": "x"}}],
    }
    (tmp_path / "kubeconfig").write_text(yaml.safe_dump(access))
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "kubeconfig"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(alert, "POLL_SECONDS", 0.2)
    yield api
    api.server.shutdown()
    api.server.server_close()


def test_a_receiver_that_works_is_told_and_it_is_said(cluster, capsys):
    assert main(["alert", "test", "--receiver", "ops", "--stack", "lab"]) == 0
    said = capsys.readouterr().out.splitlines()[-1]
    assert said == "delivered: ops has been told, and soon that it is over"
    [text] = cluster.robot.texts
    assert "接收者 ops 的测试告警" in text


def test_the_stack_that_the_cluster_carries_is_meant(cluster, capsys):
    assert main(["alert", "test", "--receiver", "ops"]) == 0
    assert "delivered: ops has been told" in capsys.readouterr().out


@pytest.mark.parametrize("hours", [-2, 2])
def test_a_clock_here_that_is_wrong_is_no_matter(cluster, capsys, monkeypatch, hours):
    class Shifted(datetime):
        @classmethod
        def now(cls, tz=None):
            return datetime.now(tz) + timedelta(hours=hours)

    monkeypatch.setattr(alert, "datetime", Shifted)
    monkeypatch.setattr("infra.alertmanager.datetime", Shifted)
    assert main(["alert", "test", "--receiver", "ops", "--stack", "lab"]) == 0
    assert len(cluster.robot.texts) == 1


def test_it_can_be_told_again_at_once(cluster):
    for _ in range(2):
        assert main(["alert", "test", "--receiver", "ops", "--stack", "lab"]) == 0
    assert len(cluster.robot.told) == 2


def test_a_robot_that_refuses_has_not_been_told_and_its_reason_is_shown(cluster, capsys, monkeypatch):
    monkeypatch.setattr(alert, "WITHIN_SECONDS", 4)
    cluster.robot.answers += [{"errcode": 310000, "errmsg": "sign not match for t0ken-of-ops"}] * 100
    assert main(["alert", "test", "--receiver", "ops", "--stack", "lab"]) == 1
    err = capsys.readouterr().err
    assert "not delivered to ops within 4 s; " in err
    assert "the robot refuses: sign not match for ... (errcode 310000)" in err
    assert "t0ken" not in err


def test_a_robot_that_accepts_at_last_has_been_told(cluster, capsys):
    cluster.robot.answers += [{"errcode": 130101, "errmsg": "send too fast"}] * 2
    assert main(["alert", "test", "--receiver", "ops", "--stack", "lab"]) == 0
    assert len(cluster.robot.told) == 1


def said(capsys, *arguments):
    assert main(["alert", "test", *arguments]) == 1
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    return err


def test_a_misspelt_receiver_is_told_with_the_nearest(stacks, capsys):
    err = said(capsys, "--receiver", "opps", "--stack", "lab")
    assert err == "colo alert: no receiver of the stack is called opps; write ops\n"


def test_a_stack_without_monitoring_delivers_nothing(stacks, capsys):
    stacks(monitoring=None)
    assert "the stack lab has no monitoring" in said(capsys, "--receiver", "ops", "--stack", "lab")


def test_a_stack_with_faults_or_without_a_file_is_not_tried(stacks, capsys):
    stacks(tenants=[{"name": "kube-system"}])
    assert "has faults; see `colo check`" in said(capsys, "--receiver", "ops", "--stack", "lab")
    assert "stacks/nowhere.yaml" in said(capsys, "--receiver", "ops", "--stack", "nowhere")


def test_an_alertmanager_that_is_not_there_is_named(cluster, capsys):
    cluster.pods[0]["status"] = {}
    err = said(capsys, "--receiver", "ops", "--stack", "lab")
    assert "no Alertmanager of a Prometheus Operator is ready in the namespace monitoring" in err


def test_an_alertmanager_with_another_configuration_is_told_apart(cluster, stacks, capsys):
    other = {"receivers": [{"name": "late", "webhook": {"url": "http://h"}}], "default_receiver": "late"}
    stacks(alerts=other)
    err = said(capsys, "--receiver", "late", "--stack", "lab")
    assert "alertmanager-0 does not know the receiver late" in err
    assert "spec.configSecret of the Alertmanager is colocation-alertmanager" in err


def test_an_account_that_may_not_is_told_what_it_needs(cluster, capsys):
    cluster.refuses = True
    assert "403 (pods is forbidden); use an account that may" in said(
        capsys, "--receiver", "ops", "--stack", "lab"
    )


def test_no_cluster_is_one_sentence(stacks, capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "absent"))
    assert "set KUBECONFIG" in said(capsys, "--receiver", "ops", "--stack", "lab")
