"""The real Alertmanager as a process of this machine, with what a stack makes of its alerts."""

from __future__ import annotations

import json
import socket
import subprocess
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from components.relay_alerts import server
from components.rendering.delivery.configuration import CONFIG_FILE, files
from components.rendering.delivery.receivers import CONFIG_FOLDER
from components.rendering.delivery.relay_config import relay_config
from infra.models.alerts import AlertsSpec
from sandbox import paths
from tests.delivery.mail import MailServer
from tests.delivery.recorder import Recorder, wecom_company
from tests.delivery.robots import Robots

JSON = dict[str, Any]
_DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def eventually(probe: Callable[[], Any], *, timeout_seconds: float = 60) -> Any:
    """The first true answer of a probe; the test fails if there is none in time."""
    deadline = time.monotonic() + timeout_seconds
    while not (answer := probe()):
        assert time.monotonic() < deadline, f"still {answer!r} after {timeout_seconds} s"
        time.sleep(0.1)
    return answer


def program(name: str) -> Path:
    """One that the sandbox has built; without any the test is left out."""
    found = sorted(paths.tools().glob(f"*/{name}"), key=lambda file: file.stat().st_mtime)
    if not found:
        pytest.skip(f"{name} is not built; `colo sandbox build` builds it")
    return found[-1]


@dataclass(frozen=True)
class Alertmanager:
    """One that runs, asked by its own API."""

    url: str

    def fire(self, name: str, *, annotations: JSON | None = None, **labels: str) -> None:
        """One alert, for the next hour."""
        until = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
        alert = {
            "labels": {"alertname": name, "severity": "warning", **labels},
            "annotations": annotations or {"summary": f"{name} it is"},
            "endsAt": until,
            "generatorURL": "http://prometheus.example/graph",
        }
        self._ask("/api/v2/alerts", [alert])

    def states(self) -> dict[str, str]:
        """`active` or `suppressed`, by the name of the alert."""
        found = self._ask("/api/v2/alerts")
        return {alert["labels"]["alertname"]: alert["status"]["state"] for alert in found}

    def ready(self) -> bool:
        try:
            self._ask("/api/v2/status")
        except OSError:
            return False
        return True

    def _ask(self, path: str, body: Any = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, {"Content-Type": "application/json"})
        with _DIRECT.open(request, timeout=5) as answer:
            return json.loads(answer.read() or b"null")


@pytest.fixture
def configured(tmp_path: Path) -> Callable[..., Path]:
    """Writes the configuration for what a stack file says under `alerts:`; the file."""

    def write(alerts: JSON, relay_url: str = "http://alert-relay.monitoring.svc:8080") -> Path:
        folder = tmp_path / "config"
        folder.mkdir(exist_ok=True)
        spec = AlertsSpec.model_validate(alerts)
        for name, text in files(spec, relay_url=relay_url, cluster="lab").items():
            (folder / name).write_text(text.replace(CONFIG_FOLDER, str(folder)))
        return folder / CONFIG_FILE

    return write


@pytest.fixture
def relay(tmp_path: Path) -> Iterator[Callable[[JSON], str]]:
    """Starts the relay of a stack's alerts; its URL."""
    listening = []

    def start(alerts: JSON) -> str:
        config = json.loads(relay_config(AlertsSpec.model_validate(alerts), "lab"))
        listening.append(server(config, tmp_path / "config", port=0))
        threading.Thread(target=listening[-1].serve_forever, args=(0.02,), daemon=True).start()
        return f"http://127.0.0.1:{listening[-1].server_port}"

    yield start
    for one in listening:
        one.shutdown()
        one.server_close()


@pytest.fixture
def alertmanager(
    configured: Callable[..., Path], relay: Callable[[JSON], str], tmp_path: Path
) -> Iterator[Callable[..., Alertmanager]]:
    """Starts Alertmanager and the relay with a stack's alerts and the values of its secrets."""
    running = []

    def start(alerts: JSON, secrets: dict[str, str] | None = None) -> Alertmanager:
        file = configured(alerts, relay(alerts))
        for name, value in (secrets or {}).items():
            (file.parent / name).write_text(value)
        with socket.create_server(("127.0.0.1", 0)) as free:
            address = f"127.0.0.1:{free.getsockname()[1]}"
        command = [program("alertmanager"), f"--config.file={file}", f"--storage.path={tmp_path / 'data'}"]
        command += [f"--web.listen-address={address}", "--cluster.listen-address="]
        log = (tmp_path / "alertmanager.log").open("w")
        running.append(subprocess.Popen(command, stdout=log, stderr=log))
        found = Alertmanager(f"http://{address}")
        eventually(found.ready)
        return found

    yield start
    for one in running:
        one.terminate()
        one.wait(timeout=60)


@pytest.fixture
def robots() -> Iterator[Robots]:
    listening = Robots()
    yield listening
    listening.close()


@pytest.fixture
def webhook() -> Iterator[Recorder]:
    listening = Recorder()
    yield listening
    listening.close()


@pytest.fixture
def company() -> Iterator[Recorder]:
    listening = wecom_company()
    yield listening
    listening.close()


@pytest.fixture
def mail_server() -> Iterator[Callable[..., MailServer]]:
    """Starts an SMTP server, with a user if there is to be one."""
    listening = []

    def start(login: tuple[str, str] | None = None) -> MailServer:
        listening.append(MailServer(login=login))
        return listening[-1]

    yield start
    for one in listening:
        one.close()
