"""An alert fires in Prometheus, passes the real Alertmanager, and arrives wherever the stack says."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import pytest

from sandbox import images, pulumi, scratch
from sandbox.network import HOST_LINK_IP
from tests.cluster import prometheus
from tests.cluster.conftest import Deployment, Sandbox, eventually
from tests.delivery.mail import MailServer
from tests.delivery.recorder import Recorder, wecom_company
from tests.delivery.robots import DINGTALK, WECOM, Robots

pytestmark = pytest.mark.cluster

JOB = f"mnist-{time.time_ns() % 10**6}"
"""Another one in each run: Alertmanager remembers for hours what it has told."""

MONITORING = "monitoring"
REFUSAL = {"errcode": 310000, "errmsg": "keywords not in content"}
WORDS = {"en": ("[FIRING 1]", "Severity: critical"), "zh": ("[告警 1]", "级别: 严重")}


@dataclass
class Receivers:
    """Stand-ins on the host, which pods reach over the link between the two."""

    robots: Robots
    mail: MailServer
    company: Recorder
    webhook: Recorder

    def close(self) -> None:
        for one in (self.robots, self.mail, self.company, self.webhook):
            one.close()


@pytest.fixture(scope="module")
def project(sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    """The stack `dev` in a copy of the project, with a config of its own; put back after the last test."""
    folder = tmp_path_factory.mktemp("delivery")
    copy = scratch.copied(sandbox.workspace, folder / "project")
    config = shutil.copy(copy.config_file, folder / f"Pulumi.{pulumi.STACK}.yaml")
    deployment = Deployment(sandbox, replace(copy, config_file=config))
    committed = deployment.stack_file.read_text()
    yield deployment
    deployment.stack_file.write_text(committed)
    deployment.up()


@pytest.fixture(params=["zh", "en"])
def delivering(project: Deployment, request: pytest.FixtureRequest) -> Iterator[Any]:
    """The stack with a receiver of every kind, in one language; and a rule that fires at once."""
    receivers = Receivers(
        Robots(HOST_LINK_IP),
        MailServer(HOST_LINK_IP),
        wecom_company(HOST_LINK_IP),
        Recorder(host=HOST_LINK_IP),
    )
    ding, ding_url = receivers.robots.add(
        DINGTALK, "ding-token", sign_key="SEC-drill", keyword="colocation", answers=[REFUSAL, REFUSAL]
    )
    wecom, wecom_url = receivers.robots.add(WECOM, "wecom-key")
    secrets = {
        "drill-ding-url": ding_url,
        "drill-ding-key": "SEC-drill",
        "drill-wecom-url": wecom_url,
        "drill-app-key": "app secret",
        "drill-hook-url": f"{receivers.webhook.address}/{request.param}",
    }
    config = ("--stack", pulumi.STACK, "--config-file", str(project.workspace.config_file))
    pairs = [word for name, value in secrets.items() for word in ("--secret", f"{name}={value}")]
    done = project.workspace.run("config", "set-all", *config, *pairs, capture=True)
    assert done.returncode == 0, done.stderr
    stack = project.stack
    stack["monitoring"] = {"install": False} | (stack.get("monitoring") or {})
    stack["alerts"] = alerts(receivers, request.param)
    project.write(stack)
    project.up()
    eventually(lambda: f"drill-{request.param}" in prometheus.alertmanager_config(), timeout_seconds=300)
    project.sandbox.kubectl("apply", "-f", "-", stdin=json.dumps(rule(request.param)))
    try:
        yield SimpleNamespace(
            language=request.param,
            ding=ding,
            wecom=wecom,
            project=project,
            secrets=secrets,
            **vars(receivers),
        )
    finally:
        project.sandbox.kubectl("delete", "prometheusrule", "-n", MONITORING, f"drill-{request.param}")
        receivers.close()


def alerts(receivers: Receivers, language: str) -> dict[str, Any]:
    mail = {
        "to": ["ops@example.org"],
        "sender": "alerts@example.org",
        "host": HOST_LINK_IP,
        "port": receivers.mail.port,
        "require_tls": False,
    }
    app = {
        "corp_id": "ww1",
        "agent_id": 1,
        "api_secret": "drill-app-key",
        "to_user": "@all",
        "api_url": f"{receivers.company.address}/cgi-bin",
    }
    ding = {"url_secret": "drill-ding-url", "sign_secret": "drill-ding-key", "keyword": "colocation"}
    kinds = {
        "ding": {"dingtalk": ding},
        "wecom": {"wecom_robot": {"url_secret": "drill-wecom-url"}},
        "app": {"wecom_app": app},
        "mail": {"email": mail},
        "hook": {"webhook": {"url_secret": "drill-hook-url"}},
    }
    names = [f"drill-{kind}" for kind in kinds]
    return {
        "language": language,
        "receivers": [{"name": f"drill-{kind}", **spec} for kind, spec in kinds.items()],
        "routes": [{"receivers": names, "namespaces": [f"drill-{language}"]}],
        "group_wait": "1s",
        "group_interval": "10s",
        "relay": {"image": images.reference("tensorflow")},
    }


def rule(language: str) -> dict[str, Any]:
    """Alerts that fire at once, one of which another keeps silent."""

    def one(name: str, **labels: str) -> dict[str, Any]:
        labels = {"severity": "critical", "namespace": f"drill-{language}", "run": JOB, **labels}
        return {
            "alert": name,
            "expr": "vector(1)",
            "labels": labels,
            "annotations": {"summary": "演练 drill"},
        }

    rules = [
        one("DrillJobFailed", tfjob=JOB),
        one("NodeNotReady", node=f"drill-{language}"),
        one("DrillPodSlow", node=f"drill-{language}", pod="mnist-worker-0"),
    ]
    return {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "PrometheusRule",
        "metadata": {"name": f"drill-{language}", "namespace": MONITORING},
        "spec": {"groups": [{"name": f"drill-{language}", "interval": "5s", "rules": rules}]},
    }


def told(recorder: Recorder, path: str) -> set[str]:
    return {a["labels"]["alertname"] for r in recorder.sent_to(path) for a in r.body["alerts"]}


def states(namespace: str) -> dict[str, str]:
    """Of the alerts of a namespace, as Alertmanager has them."""
    return {
        alert["labels"]["alertname"]: alert["status"]["state"]
        for alert in prometheus.alertmanager_alerts()
        if alert["labels"].get("namespace") == namespace
    }


def test_an_alert_of_prometheus_arrives_at_every_kind_of_receiver(delivering: Any) -> None:
    heading, severity = WORDS[delivering.language]

    def of_job(texts: list[str]) -> list[str]:
        return [text for text in texts if "DrillJobFailed" in text]

    [text, *_] = eventually(lambda: of_job(delivering.ding.texts), timeout_seconds=300)
    assert text.startswith(f"### {heading} DrillJobFailed drill-{delivering.language} {JOB} colocation\n")
    assert severity in text
    # A refusal in a 200 was none of a delivery, whichever of the messages it met.
    assert delivering.ding.refused == [REFUSAL, REFUSAL]
    [text, *_] = eventually(lambda: of_job(delivering.wecom.texts))
    assert text.startswith(f"### {heading} DrillJobFailed")
    assert delivering.wecom.refused == []
    sent = eventually(
        lambda: of_job(
            [r.body["text"]["content"] for r in delivering.company.sent_to("/cgi-bin/message/send")]
        )
    )
    assert severity in sent[0]
    [mail, *_] = eventually(lambda: [m for m in delivering.mail.mails if "DrillJobFailed" in m.subject])
    assert mail.subject == f"{heading} DrillJobFailed drill-{delivering.language} {JOB}"
    assert severity in mail.text
    assert "演练 drill" in mail.text
    eventually(
        lambda: {"DrillJobFailed", "NodeNotReady"} <= told(delivering.webhook, f"/{delivering.language}")
    )
    # What the node's alert says already is nobody's news.
    wanted = {"DrillJobFailed": "active", "NodeNotReady": "active", "DrillPodSlow": "suppressed"}
    eventually(lambda: states(f"drill-{delivering.language}") == wanted)
    assert "DrillPodSlow" not in told(delivering.webhook, f"/{delivering.language}")
    # No value of a secret is anywhere but in Secrets.
    shown = prometheus.alertmanager_config()
    shown += delivering.project.sandbox.kubectl("logs", "-n", MONITORING, "deployment/alert-relay")
    shown += delivering.project.sandbox.kubectl("get", "deployment,configmap", "-n", MONITORING, "-o", "yaml")
    assert [name for name, value in delivering.secrets.items() if value in shown] == []
    # And the command that tries a receiver tells only that one.
    command = [sys.executable, "-m", "infra.cli", "alert", "test", "--stack", pulumi.STACK]
    workspace = delivering.project.workspace
    for receiver in ("drill-ding", "drill-mail", "drill-app"):
        done = subprocess.run(
            [*command, "--receiver", receiver],
            cwd=workspace.project,
            env=workspace.environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stdout.split(":")[0]) == (0, "delivered"), done.stderr
    assert not [text for text in delivering.wecom.texts if "ColocationTest" in text]
    delivering.project.up("--expect-no-changes")
