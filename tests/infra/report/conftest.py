"""A cluster whose Prometheus is real and holds series of a test's own, or answers what a test says."""

import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

import pytest

from infra.cli import main
from sandbox import programs, tools
from sandbox.errors import SandboxError
from tests.infra.live.test_reader import Server

PROXY = "/api/v1/namespaces/monitoring/services/prometheus-operated:9090/proxy/api/v1"


@pytest.fixture
def server(kubeconfig):
    server = Server()
    kubeconfig(server.url)
    yield server
    server.http.shutdown()
    server.http.server_close()


@pytest.fixture
def colo(server, stack_file, data, capsys):
    data["monitoring"] = {"install": False}

    def run(*options):
        code = main(["report", "--file", str(stack_file(data)), *options])
        return code, *capsys.readouterr()

    return run


def cannot(told):
    """The one sentence of a command that could not look."""
    code, out, err = told
    assert (code, out, err.count("\n")) == (2, "", 1)
    start = "colo report: cannot look: "
    assert err.startswith(start)
    return err[len(start) :].strip()


@pytest.fixture(scope="session")
def prometheus(tmp_path_factory):
    """Starts one that holds samples in OpenMetrics' notation; returns how to ask it."""
    started, known = [], {}

    def start(samples):
        if samples not in known:
            known[samples] = begin(samples)
        return known[samples]

    def begin(samples):
        folder = tmp_path_factory.mktemp("prometheus")
        (folder / "samples").write_text(samples)
        made = [program("promtool"), "tsdb", "create-blocks-from", "openmetrics", "samples", "data"]
        subprocess.run(made, cwd=folder, check=True, capture_output=True)
        (folder / "empty.yaml").write_text("{}")
        with socket.socket() as found:
            found.bind(("127.0.0.1", 0))
            address = f"127.0.0.1:{found.getsockname()[1]}"
        options = ("config.file=empty.yaml", "storage.tsdb.path=data", f"web.listen-address={address}")
        options += ("storage.tsdb.retention.time=99y", "query.lookback-delta=90s", "log.level=error")
        command = [program("prometheus"), *(f"--{option}" for option in options)]
        started.append(subprocess.Popen(command, cwd=folder, stderr=subprocess.DEVNULL))
        asked = Asked(f"http://{address}")
        asked.until_ready()
        return asked

    yield start
    for process in started:
        process.terminate()
        process.wait()


class Asked:
    def __init__(self, url):
        self.url = url
        self.opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def until_ready(self):
        for _ in range(1200):
            try:
                return self.opener.open(f"{self.url}/-/ready", timeout=5).close()
            except OSError:
                time.sleep(0.1)
        raise AssertionError("Prometheus does not start")

    def behind(self, server):
        """Lets the API server lead to it."""
        for path in ("query", "query_range"):
            server.answers[f"{PROXY}/{path}"] = lambda query, path=path: self._ask(path, query)

    def _ask(self, path, query):
        text = urllib.parse.urlencode({name: values[0] for name, values in query.items()})
        try:
            with self.opener.open(f"{self.url}/api/v1/{path}?{text}", timeout=60) as answer:
                return answer.read()
        except urllib.error.HTTPError as refused:
            raise AssertionError(f"{query}: {refused.read().decode()}") from None


def program(name):
    if found := shutil.which(name):
        return found
    try:
        return tools.folder(programs.group_of(name)) / name
    except SandboxError as missing:
        pytest.skip(str(missing))
