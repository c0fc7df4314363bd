"""The program of the alert relay: what robots are told, and when Alertmanager is to try again."""

import ast
import http.client
import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from components import relay_alerts
from components.relay_alerts import Pace, server
from components.rendering.delivery.relay_config import relay_config
from infra.models.alerts import AlertsSpec
from tests.delivery.robots import DINGTALK, WECOM, Robots

KEY = "SEC000111222333"
JOB_FAILED = {
    "status": "firing",
    "labels": {
        "alertname": "TFJobFailed",
        "severity": "critical",
        "namespace": "vision",
        "tfjob": "mnist",
    },
    "annotations": {
        "summary": "mnist has failed",
        "description": "Exit code 3.\nIt ran for 2 hours.",
        "runbook_url": "https://git.example/runbooks/TFJobFailed.md",
    },
    "startsAt": "2026-11-30T02:00:00.123Z",
    "generatorURL": "http://prometheus.example/graph?g0.expr=up",
}


def group(*alerts):
    """What Alertmanager sends."""
    common = dict(set.intersection(*({*alert["labels"].items()} for alert in alerts)))
    status = "firing" if any(alert["status"] == "firing" for alert in alerts) else "resolved"
    return {"version": "4", "status": status, "commonLabels": common, "alerts": list(alerts)}


def failed(number, description=""):
    """One of many alerts."""
    return JOB_FAILED | {
        "labels": JOB_FAILED["labels"] | {"tfjob": f"job-{number}"},
        "annotations": {"summary": f"job-{number} has failed", "description": description},
    }


@pytest.fixture
def robots():
    listening = Robots()
    yield listening
    listening.close()


@pytest.fixture
def relay(tmp_path):
    """Starts a relay for receivers as a stack file has them, with the values of their secrets."""
    listening = []

    def start(receivers, secrets, language="en"):
        for name, value in secrets.items():
            (tmp_path / name).write_text(value)
        alerts = AlertsSpec.model_validate({"language": language, "receivers": receivers})
        config = json.loads(relay_config(alerts, "lab"))
        listening.append(server(config, tmp_path, port=0))
        threading.Thread(target=listening[-1].serve_forever, args=(0.02,), daemon=True).start()
        port = listening[-1].server_port

        def ask(path, payload=None, method="POST", host="127.0.0.1"):
            connection = http.client.HTTPConnection(f"{host}:{port}", timeout=30)
            body = payload if isinstance(payload, bytes | None) else json.dumps(payload)
            connection.request(method, path, body)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()

        return ask

    yield start
    for one in listening:
        one.shutdown()
        one.server_close()


@pytest.fixture
def dingtalk(robots, relay):
    """A robot with changes to it and to its receiver: the robot, and how to tell it of alerts."""

    def build(language="en", **change):
        wants = {"sign_key": KEY} if "sign_secret" in change else {}
        robot, url = robots.add(DINGTALK, "token-of-the-group", **wants, keyword=change.get("keyword"))
        receiver = {"name": "ops", "dingtalk": {"url_secret": "ops-url", **change}}
        ask = relay([receiver], {"ops-url": f"{url}\n", "ops-key": KEY}, language)
        return robot, lambda *alerts: ask("/dingtalk/ops", group(*alerts))

    return build


@pytest.fixture
def wecom(robots, relay):
    def build(language="en", **change):
        robot, url = robots.add(WECOM, "key-of-the-group")
        receiver = {"name": "ops", "wecom_robot": {"url_secret": "ops-url", **change}}
        ask = relay([receiver], {"ops-url": url}, language)
        return robot, lambda *alerts: ask("/wecom/ops", group(*alerts))

    return build


def test_a_dingtalk_robot_is_told_all_of_an_alert(dingtalk):
    robot, tell = dingtalk()
    assert tell(JOB_FAILED) == (200, "delivered")
    [said] = robot.told
    assert said["markdown"]["title"] == "[FIRING 1] TFJobFailed vision mnist"
    assert said["markdown"]["text"].split("\n\n") == [
        "### [FIRING 1] TFJobFailed vision mnist",
        "  \n".join(
            [
                "**[FIRING] TFJobFailed** mnist has failed",
                "> Severity: critical",
                "> Cluster: lab",
                "> Namespace: vision",
                "> Job: mnist",
                "> Since: 2026-11-30 02:00:00 UTC",
                "Exit code 3.",
                "It ran for 2 hours.",
                "[Runbook](https://git.example/runbooks/TFJobFailed.md)",
                "[Graph](http://prometheus.example/graph?g0.expr=up)",
            ]
        ),
    ]
    assert said["at"] == {"atMobiles": [], "isAtAll": False}


def test_a_wecom_robot_is_told_in_chinese(wecom):
    robot, tell = wecom("zh")
    assert tell(JOB_FAILED)[0] == 200
    [text] = robot.texts
    assert "### [告警 1] TFJobFailed vision mnist\n\n**[告警] TFJobFailed** mnist has failed\n" in text
    for line in ("> 级别: 严重", "> 集群: lab", "> 命名空间: vision", "> 作业: mnist"):
        assert f"{line}\n" in text


def test_an_alert_says_its_own_cluster_and_severity(wecom):
    robot, tell = wecom()
    tell(JOB_FAILED | {"labels": JOB_FAILED["labels"] | {"cluster": "prod", "severity": "page"}})
    assert "> Severity: page\n> Cluster: prod\n" in robot.texts[0]


def test_what_is_over_is_told_as_over(wecom):
    robot, tell = wecom()
    tell(JOB_FAILED | {"status": "resolved"})
    tell(JOB_FAILED | {"status": "resolved"}, failed(2))
    assert robot.texts[0].startswith("### [RESOLVED] TFJobFailed vision mnist\n")
    assert robot.texts[1].startswith("### [FIRING 1] TFJobFailed vision\n")
    assert "**[RESOLVED] TFJobFailed**" in robot.texts[1]


def test_a_runbook_that_is_a_file_is_no_link(wecom):
    robot, tell = wecom()
    tell(JOB_FAILED | {"annotations": {"runbook_url": "docs/runbooks/X.md"}, "generatorURL": ""})
    assert robot.texts[0].endswith("\n> Runbook: docs/runbooks/X.md")


def test_a_robot_that_wants_signatures_gets_them(dingtalk):
    robot, tell = dingtalk(sign_secret="ops-key")
    assert tell(JOB_FAILED)[0] == 200
    assert len(robot.told) == 1


def test_a_robot_that_wants_a_keyword_gets_it_even_in_a_cut_message(dingtalk):
    robot, tell = dingtalk(keyword="训练")
    assert tell(failed(1, "长" * 30000))[0] == 200
    assert robot.told[0]["markdown"]["title"].endswith(" 训练")


def test_members_are_called(dingtalk, wecom):
    robot, tell = dingtalk(at_mobiles=["13800138000"], at_all=True)
    tell(JOB_FAILED)
    assert robot.told[0]["at"] == {"atMobiles": ["13800138000"], "isAtAll": True}
    assert robot.texts[0].endswith("\n\n@13800138000")
    robot, tell = wecom(mentioned_users=["zhang", "li"])
    tell(*map(failed, range(200)))
    assert robot.texts[0].endswith("\n\n<@zhang> <@li>")


@pytest.mark.parametrize("kind", ["dingtalk", "wecom"])
def test_many_alerts_are_cut_to_what_a_robot_takes_and_it_is_said(kind, request):
    robot, tell = request.getfixturevalue(kind)("zh")
    assert tell(*(failed(i, "显存不足" * 10) for i in range(300)))[0] == 200
    [text] = robot.texts
    shown = text.count("**[告警]")
    assert text.endswith(f"\n\n共 300 条告警，此处显示 {shown} 条。")
    one_more = len(text.encode()) // shown * (shown + 2)
    assert one_more > relay_alerts.MOST_BYTES[kind] > len(text.encode())


@pytest.mark.parametrize("kind", ["dingtalk", "wecom"])
@pytest.mark.parametrize("length", range(9000, 9003))
def test_one_alert_that_is_too_long_is_cut_between_characters(kind, length, request):
    robot, tell = request.getfixturevalue(kind)("zh")
    assert tell(failed(1, "a" * (length % 3) + "字" * length), failed(2))[0] == 200
    [text] = robot.texts
    assert "字…\n\n共 2 条告警，此处显示 1 条。" in text
    assert relay_alerts.MOST_BYTES[kind] - 3 <= len(text.encode()) <= relay_alerts.MOST_BYTES[kind]


def test_a_refusal_in_a_200_is_a_failure_that_is_tried_again(dingtalk, capsys):
    robot, tell = dingtalk(keyword="训练")
    robot.answers.append({"errcode": 310000, "errmsg": "keywords not in content, token-of-the-group"})
    status, text = tell(JOB_FAILED)
    assert (status, text) == (502, "the robot refuses: keywords not in content, ... (errcode 310000)")
    assert f"/dingtalk/ops: 502 {text}" in capsys.readouterr().out
    assert tell(JOB_FAILED)[0] == 200


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (500, "HTTP 500"),
        (302, "HTTP 302"),
        ({"ok": True}, "not as a robot does"),
        ([], "not as a robot does"),
    ],
)
def test_whatever_is_no_acceptance_is_a_failure(dingtalk, answer, said):
    robot, tell = dingtalk()
    robot.answers.append(answer)
    status, text = tell(JOB_FAILED)
    assert status == 502
    assert said in text


def test_a_robot_that_is_away_or_hangs_is_a_failure(relay, monkeypatch):
    monkeypatch.setattr(relay_alerts, "TIMEOUT_SECONDS", 0.2)
    import socket

    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        receiver = {"name": "ops", "wecom_robot": {"url_secret": "u"}}
        ask = relay([receiver], {"u": f"http://127.0.0.1:{port}/send?key=secret-key"})
        status, hangs = ask("/wecom/ops", group(JOB_FAILED))
        assert status == 502
        assert "timed out" in hangs
    status, away = ask("/wecom/ops", group(JOB_FAILED))
    assert status == 502
    assert "does not answer" in away
    assert "secret-key" not in hangs + away


def test_no_robot_is_told_more_than_it_stands_and_nothing_is_lost(dingtalk):
    robot, tell = dingtalk()
    answers = [tell(failed(i)) for i in range(25)]
    assert [status for status, _ in answers] == [200] * 20 + [503] * 5
    assert "again in" in answers[-1][1]
    assert len(robot.asked) == 20
    assert robot.refused == []


def test_receivers_that_share_a_robot_share_its_rate(robots, relay):
    _, url = robots.add(WECOM, "shared-key")
    receivers = [{"name": name, "wecom_robot": {"url_secret": "u"}} for name in ("one", "two")]
    ask = relay(receivers, {"u": url})
    found = [ask(f"/wecom/{name}", group(failed(i)))[0] for i in range(11) for name in ("one", "two")]
    assert found == [200] * 20 + [503] * 2


def test_there_is_room_again_after_a_minute():
    pace = Pace(most=2)
    assert [pace.wait_seconds(now) for now in (0, 10, 20, 59, 60, 61)] == [0, 0, 40, 1, 0, 9]


@pytest.mark.parametrize(
    ("path", "payload", "status"),
    [
        ("/dingtalk/other", {}, 404),
        ("/wecom/ops", {}, 404),
        ("/dingtalk/ops", b"{", 400),
        ("/dingtalk/ops", {"alerts": 3}, 400),
        ("/dingtalk/ops", {"alerts": [3]}, 400),
        ("/dingtalk/ops", [], 400),
    ],
)
def test_what_would_fail_for_ever_is_not_asked_for_again(relay, path, payload, status):
    ask = relay([{"name": "ops", "dingtalk": {"url_secret": "u"}}], {"u": "http://127.0.0.1:9/"})
    assert ask(path, payload)[0] == status


def test_a_secret_that_is_no_url_is_not_shown(relay, capsys):
    ask = relay([{"name": "ops", "dingtalk": {"url_secret": "u"}}], {"u": "not-a-url-but-secret"})
    status, text = ask("/dingtalk/ops", group(JOB_FAILED))
    assert (status, text) == (502, "the secret u holds no URL")
    assert "but-secret" not in capsys.readouterr().out


def test_it_says_that_it_works_at_whichever_address_its_cluster_gives_it(relay, loopbacks):
    ask = relay([], {})
    for host in loopbacks:
        assert ask("/healthz", method="GET", host=host) == (200, "ok")
    assert ask("/", method="GET")[0] == 404


def test_it_is_written_for_the_python_that_it_promises():
    ast.parse(Path(relay_alerts.__file__).read_text("utf-8"), feature_version=(3, 9))


def test_it_runs_as_in_its_pod_and_stops_when_told_to(tmp_path, robots):
    robot, url = robots.add(WECOM, "key")
    program = tmp_path / "relay_alerts.py"
    text = Path(relay_alerts.__file__).read_text("utf-8")
    program.write_text(text.replace("PORT = 8080", f"PORT = {(port := 20000 + os.getpid() % 20000)}"))
    alerts = AlertsSpec.model_validate({"receivers": [{"name": "ops", "wecom_robot": {"url_secret": "u"}}]})
    (tmp_path / relay_alerts.CONFIG).write_text(relay_config(alerts, "lab"))
    (tmp_path / "u").write_text(url)
    command = [sys.executable, "-I", "-S", "-u", str(program), str(tmp_path)]
    with subprocess.Popen(command, env={}, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout.readline() == f"listens on {port}, 1 robots\n"
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        connection.request("POST", "/wecom/ops", json.dumps(group(JOB_FAILED)))
        assert connection.getresponse().status == 200
        child.terminate()
        assert child.wait(timeout=10) == 0
    assert len(robot.told) == 1
    assert time.monotonic() - robot.asked[0] < 60
