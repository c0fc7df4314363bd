"""How the program in a scheduled job's pod starts a run and sees it through."""

import json
import signal
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from components import start_run
from components.start_run import Api, RunError, owned, start, wait

MANIFEST = {"metadata": {"namespace": "vision", "labels": {"a": "b"}}, "spec": {}}
RUN = owned(MANIFEST, "mnist-29740080", "uid-1")
REFUSAL = {"kind": "Status", "message": "exceeded quota"}


def condition(kind, status="True", message=""):
    return {"type": kind, "status": status, "message": message}


def tfjob(*conditions, uid="uid-1"):
    return {"metadata": {"ownerReferences": [{"uid": uid}]}, "status": {"conditions": list(conditions)}}


@pytest.fixture
def server(monkeypatch, tmp_path):
    """An API server that gives prepared answers and keeps what it was asked."""
    monkeypatch.setattr(start_run, "POLL_SECONDS", 0.01)
    (tmp_path / "token").write_text("secret")
    answers, asked = [], []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            length = int(self.headers.get("Content-Length", 0))
            body = json.loads(self.rfile.read(length)) if length else None
            asked.append((self.command, self.path, self.headers["Authorization"], body))
            status, answer = answers.pop(0)
            self.send_response(status)
            self.end_headers()
            self.wfile.write(answer if isinstance(answer, bytes) else json.dumps(answer).encode())

        def do_POST(self):
            self.do_GET()

        def log_message(self, *_):
            pass

    listening = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=listening.serve_forever, daemon=True).start()
    listening.answers, listening.asked = answers, asked
    listening.api = Api(f"http://127.0.0.1:{listening.server_port}", "vision", tmp_path)
    yield listening
    listening.shutdown()
    listening.server_close()


def test_a_run_is_called_as_its_job_and_belongs_to_it():
    assert RUN["metadata"] == {
        "namespace": "vision",
        "labels": {"a": "b"},
        "name": "mnist-29740080",
        "ownerReferences": [
            {"apiVersion": "batch/v1", "kind": "Job", "name": "mnist-29740080", "uid": "uid-1"}
        ],
    }
    assert "name" not in MANIFEST["metadata"]


def test_a_run_is_made_with_the_pods_own_account(server):
    server.answers.append((201, RUN))
    start(server.api, RUN)
    path = "/apis/kubeflow.org/v1/namespaces/vision/tfjobs"
    assert server.asked == [("POST", path, "Bearer secret", RUN)]


def test_a_run_that_is_there_already_is_waited_for(server, capsys):
    server.answers += [(409, REFUSAL), (200, tfjob())]
    start(server.api, RUN)
    assert "goes on waiting" in capsys.readouterr().out


def test_a_tfjob_of_someone_elses_is_not_taken_for_the_run(server):
    server.answers += [(409, REFUSAL), (200, tfjob(uid="other"))]
    with pytest.raises(RunError, match="is not of this run"):
        start(server.api, RUN)


def test_a_refused_run_has_failed_with_the_servers_reason(server):
    server.answers.append((403, REFUSAL))
    with pytest.raises(RunError, match="refused: exceeded quota"):
        start(server.api, RUN)


def test_a_server_in_trouble_is_asked_again(server, capsys):
    server.answers += [(500, {"kind": "Status", "message": "no webhook"}), (404, b"no page"), (401, REFUSAL)]
    server.answers.append((201, RUN))
    start(server.api, RUN)
    assert len(server.asked) == 4
    assert "asks again: no webhook" in capsys.readouterr().out


def test_a_run_that_trains_is_waited_for_and_each_state_is_said_once(server, capsys):
    running = tfjob(condition("Created"), condition("Running"))
    done = tfjob(condition("Running", "False"), condition("Succeeded"))
    server.answers += [(200, {}), (200, running), (403, REFUSAL), (200, running), (200, done)]
    wait(server.api, "mnist-1")
    said = [line for line in capsys.readouterr().out.splitlines() if line.startswith("mnist-1")]
    assert said == ["mnist-1: Waiting", "mnist-1: Running", "mnist-1: Succeeded"]


def test_a_failed_training_is_a_failed_run(server):
    server.answers.append((200, tfjob(condition("Failed", message="exit code 3"))))
    with pytest.raises(RunError, match="mnist-1: exit code 3"):
        wait(server.api, "mnist-1")


def test_a_deleted_training_is_a_failed_run(server):
    server.answers.append((404, {"kind": "Status", "reason": "NotFound"}))
    with pytest.raises(RunError, match="was deleted before it ended"):
        wait(server.api, "mnist-1")


def test_it_stops_when_told_to_though_it_is_process_one(tmp_path):
    program = Path(start_run.__file__)
    (tmp_path / program.name).write_text(program.read_text())
    (tmp_path / start_run.MANIFEST).write_text(json.dumps(MANIFEST))
    variables = {"KUBERNETES_SERVICE_HOST": "::1", "KUBERNETES_SERVICE_PORT": "1"}
    child = subprocess.Popen(
        [sys.executable, "-I", "-S", "-u", tmp_path / program.name],
        env=variables | {"RUN_NAME": "mnist-1", "RUN_UID": "uid-1"},
        stdout=subprocess.PIPE,
        text=True,
    )
    with child:
        assert "asks again" in child.stdout.readline()
        child.terminate()
        assert child.wait(timeout=60) == 128 + signal.SIGTERM
