"""The real Alertmanager takes the configuration, and does with it what the stack file says."""

import subprocess

import pytest

from components.rendering.alerts import alert_names
from components.rendering.delivery.inhibition import JOB_FAILED, NODE_DOWN, RESTARTS
from tests.delivery.conftest import eventually, program
from tests.delivery.robots import DINGTALK, WECOM

FAST = {"group_wait": "1s", "group_interval": "1s"}
KINDS = {
    "ding": {"dingtalk": {"url_secret": "ding-url", "sign_secret": "ding-key"}},
    "robot": {"wecom_robot": {"url_secret": "robot-url"}},
    "app": {"wecom_app": {"corp_id": "ww1", "agent_id": 1000002, "api_secret": "app-key", "to_user": "@all"}},
    "mail": {
        "email": {
            "to": ["ops@example.org", "lead@example.org"],
            "sender": "alerts@example.org",
            "host": "smtp.example.org",
            "username": "alerts",
            "password_secret": "mail-password",
        }
    },
    "hook": {"webhook": {"url": "https://hooks.example.org/%7B%7B.Status%7D%7D"}},
    "hidden-hook": {"webhook": {"url_secret": "hook-url"}},
}
EVERYTHING = {"receivers": [{"name": name, **kind} for name, kind in KINDS.items()]}
ROUTED = EVERYTHING | {
    "default_receiver": "mail",
    "routes": [
        {"receivers": ["ding", "app"], "severities": ["critical"], "teams": ["platform"]},
        {"receivers": ["robot"], "namespaces": ["vision", "speech"]},
        {"receivers": ["null"], "severities": ["info"]},
    ],
}


def amtool(*arguments):
    done = subprocess.run([program("amtool"), *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def hears(configured):
    """Who hears of an alert with these labels, by the routes alone."""
    file = configured(ROUTED)

    def ask(**labels):
        said = [f"{name}={value}" for name, value in labels.items()]
        return amtool("config", "routes", "test", f"--config.file={file}", *said).strip().split(",")

    return ask


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("alerts", [{}, EVERYTHING, ROUTED], ids=["nothing", "receivers", "routes"])
def test_the_configuration_is_one(configured, alerts, language):
    said = amtool("check-config", str(configured(alerts | {"language": language})))
    assert "1 templates" in said


def test_each_receiver_of_a_route_hears_of_its_alerts(hears):
    assert hears(alertname="A", severity="critical", team="platform") == ["ding", "app"]


def test_all_that_a_route_says_must_hold(hears):
    assert hears(alertname="A", severity="critical", team="training") == ["mail"]
    assert hears(alertname="A", severity="warning", team="platform") == ["mail"]


def test_the_first_route_counts_and_alerts_without_a_namespace_are_routed_too(hears):
    assert hears(alertname="A", severity="info", namespace="speech") == ["robot"]
    assert hears(alertname="A", severity="info") == ["null"]
    assert hears(alertname="NodeNotReady", severity="critical") == ["mail"]


@pytest.mark.parametrize("name", ["Watchdog", "InfoInhibitor"])
def test_what_says_that_alerting_works_is_for_nobody(hears, name):
    assert hears(alertname=name, severity="critical", team="platform") == ["null"]


@pytest.mark.parametrize("name", KINDS)
def test_a_test_alert_reaches_the_receiver_that_it_names_and_no_other(hears, name):
    assert hears(alertname="Watchdog", severity="critical", colocation_test_receiver=name) == [name]


def test_without_a_default_nobody_hears_of_the_rest(configured):
    file = configured(EVERYTHING)
    assert amtool("config", "routes", "test", f"--config.file={file}", "alertname=A").strip() == "null"


def robot_of(kind, language, **change):
    return {
        **FAST,
        "language": language,
        "receivers": [{"name": "ops", kind: {"url_secret": "ops-url", **change}}],
        "default_receiver": "ops",
    }


@pytest.mark.parametrize(("language", "word"), [("en", "[FIRING 1]"), ("zh", "[告警 1]")])
@pytest.mark.parametrize(("kind", "path"), [("dingtalk", DINGTALK), ("wecom_robot", WECOM)])
def test_robots_are_told(alertmanager, robots, kind, path, language, word):
    robot, url = robots.add(path, "token-of-ops")
    alertmanager(robot_of(kind, language), {"ops-url": url}).fire("TFJobFailed", namespace="vision")
    eventually(lambda: robot.told)
    assert robot.texts[0].startswith(f"### {word} TFJobFailed vision\n")


def test_a_robot_that_refuses_in_a_200_is_asked_until_it_accepts(alertmanager, robots):
    robot, url = robots.add(DINGTALK, "token-of-ops", keyword="colocation")
    busy = {"errcode": 310000, "errmsg": "keywords not in content"}
    robot.answers += [busy, busy, 500]
    alertmanager(robot_of("dingtalk", "en", keyword="colocation"), {"ops-url": url}).fire("TFJobFailed")
    eventually(lambda: robot.told)
    assert robot.refused == [busy, busy, 500]
    assert len(robot.told) == 1


@pytest.mark.parametrize(
    ("language", "subject", "lines"),
    [
        ("en", "[FIRING 1] Stuck vision mnist", ["Severity: warning", "Cluster: lab", "Job: mnist"]),
        ("zh", "[告警 1] Stuck vision mnist", ["级别: 警告", "集群: lab", "作业: mnist"]),
    ],
)
def test_mail_arrives_from_a_user_with_a_password(alertmanager, mail_server, language, subject, lines):
    server = mail_server(login=("alerts", "a password"))
    email = KINDS["mail"]["email"] | {"host": server.host, "port": server.port, "require_tls": False}
    alerts = {"language": language, "receivers": [{"name": "ops", "email": email}], "default_receiver": "ops"}
    running = alertmanager(FAST | alerts, {"mail-password": "a password\n"})
    texts = {"summary": "没有进展", "description": "42 % for 2 h", "runbook_url": "docs/runbooks/Stuck.md"}
    running.fire("Stuck", namespace="vision", tfjob="mnist", annotations=texts)
    [mail] = eventually(lambda: server.mails)
    assert (mail.subject, mail.sender) == (subject, "alerts@example.org")
    assert mail.recipients == ["ops@example.org", "lead@example.org"]
    assert mail.parts == ["text/plain"]
    assert {*lines, "42 % for 2 h"} <= set(mail.text.splitlines())
    assert mail.text.splitlines()[0].endswith(" Stuck: 没有进展")
    assert "docs/runbooks/Stuck.md" in mail.text
    assert "http://prometheus.example/graph" in mail.text


def test_an_application_of_a_company_writes_to_its_members(alertmanager, company):
    app = KINDS["app"]["wecom_app"] | {"api_url": f"{company.address}/cgi-bin"}
    alerts = {"language": "zh", "receivers": [{"name": "ops", "wecom_app": app}], "default_receiver": "ops"}
    running = alertmanager(FAST | alerts, {"app-key": "a secret\n"})
    for i in range(9):
        running.fire("Stuck", pod=f"p{i}", annotations={"summary": "没有进展"})
    [sent] = eventually(lambda: company.sent_to("/cgi-bin/message/send"))
    [asked] = company.sent_to("/cgi-bin/gettoken")
    assert asked.query == {"corpid": "ww1", "corpsecret": "a secret"}
    assert sent.query == {"access_token": "an-hours-token"}
    assert (sent.body["touser"], sent.body["agentid"], sent.body["msgtype"]) == ("@all", "1000002", "text")
    text = sent.body["text"]["content"]
    assert text.startswith("[告警 9] Stuck\n")
    assert text.count("没有进展") == 4
    assert text.endswith("共 9 条告警，此处显示 4 条。")


def test_a_webhook_gets_alertmanagers_own_json(alertmanager, webhook):
    alerts = {"receivers": [{"name": "ops", "webhook": {"url_secret": "u"}}], "default_receiver": "ops"}
    alertmanager(FAST | alerts, {"u": f"{webhook.address}/secret-path"}).fire("Stuck", namespace="vision")
    [request] = eventually(lambda: webhook.sent_to("/secret-path"))
    assert request.body["version"] == "4"
    assert request.body["groupLabels"] == {"alertname": "Stuck", "namespace": "vision"}


@pytest.mark.parametrize(
    ("loud", "quiet"),
    [
        (
            {"name": "NodeNotReady", "severity": "critical", "node": "n1"},
            {"name": "PodMemoryHigh", "severity": "critical", "node": "n1", "pod": "p", "namespace": "a"},
        ),
        (
            {"name": "TFJobFailed", "severity": "critical", "namespace": "a", "tfjob": "j", "pod": "x"},
            {"name": "PodRestarting", "severity": "critical", "namespace": "a", "tfjob": "j", "pod": "p"},
        ),
        (
            {"name": "DiskFull", "severity": "critical", "instance": "n1", "mountpoint": "/"},
            {"name": "DiskFull", "severity": "warning", "instance": "n1", "mountpoint": "/"},
        ),
    ],
    ids=["node", "job", "severity"],
)
def test_what_another_alert_says_already_is_not_told(alertmanager, webhook, loud, quiet):
    alerts = {"receivers": [{"name": "ops", "webhook": {"url_secret": "u"}}], "default_receiver": "ops"}
    running = alertmanager(FAST | alerts, {"u": webhook.address})
    for alert in (
        loud,
        quiet,
        quiet | {"name": "Another", "node": "n2", "tfjob": "k", "severity": "critical"},
    ):
        running.fire(**alert)
    told = lambda: {a["labels"]["alertname"] for r in webhook.requests for a in r.body["alerts"]}  # noqa: E731
    eventually(lambda: {loud["name"], "Another"} <= told())
    severities = {
        (a["labels"]["alertname"], a["labels"]["severity"])
        for r in webhook.requests
        for a in r.body["alerts"]
    }
    assert severities == {(loud["name"], loud["severity"]), ("Another", "critical")}


def test_the_alerts_that_silence_others_and_those_that_are_silenced_exist():
    of_others = ("KubeNodeNotReady", "KubeNodeUnreachable")
    named = {*NODE_DOWN, *JOB_FAILED, *RESTARTS} - {*of_others}
    assert named <= set(alert_names())
