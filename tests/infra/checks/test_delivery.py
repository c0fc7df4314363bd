"""Receivers are there, are heard of, and can be reached."""

import pytest
from pydantic import ValidationError

from infra.checks import Subject, delivery
from infra.load import StackFileError
from infra.models import Stack
from infra.models.alerts import WebhookSpec
from infra.plan import plan

HOOK = {"webhook": {"url": "http://pager.example/alerts"}}
OPS = {"name": "ops", **HOOK}
ROBOT = {"name": "ops", "dingtalk": {"url_secret": "ops-url", "sign_secret": "ops-key"}}
MONITORING = {"install": False}


def found(*receivers, default="ops", stored=None, monitoring=MONITORING, name=None, **alerts):
    """What is found in a stack of one tenant, without `place` beginning with `alerts`."""
    said = {"receivers": list(receivers), **({"default_receiver": default} if default else {}), **alerts}
    data = {"tenants": [{"name": "vision"}], "alerts": said, "monitoring": monitoring}
    subject = Subject(Stack.model_validate(data), {}, stored=stored, name=name)
    return list(delivery.check(subject))


def codes(*receivers, **alerts):
    return [(f.severity, f.code, f.place[1:]) for f in found(*receivers, **alerts)]


def test_nothing_is_said_of_a_stack_without_receivers():
    assert codes(default=None) == []


def test_a_misspelt_receiver_is_told_with_the_nearest():
    [finding] = found(OPS, routes=[{"receivers": ["opps"]}])
    assert (finding.code, finding.place) == ("unknown-receiver", ("alerts", "routes", 0, "receivers", 0))
    assert (finding.message, finding.remedy) == ("no receiver of the stack is called opps", "write ops")


def test_a_default_that_is_not_there_is_a_fault():
    assert codes(default="ops") == [("fault", "unknown-receiver", ("default_receiver",))]


def test_nobody_is_always_there():
    assert codes(OPS, routes=[{"receivers": ["null"], "severities": ["info"]}]) == []


def test_two_receivers_of_one_name_are_a_fault_once():
    assert codes(OPS, OPS) == [("fault", "duplicate-receiver", ("receivers", 1, "name"))]


def test_a_receiver_that_nobody_names_is_told():
    other = {"name": "chat", **HOOK}
    assert codes(OPS, other) == [("warning", "unused-receiver", ("receivers", 1))]
    assert codes(OPS, other, routes=[{"receivers": ["chat"], "severities": ["info"]}]) == []


def test_alerts_that_no_route_takes_are_told_of():
    route = {"receivers": ["ops"], "severities": ["critical"]}
    assert codes(OPS, default=None, routes=[route]) == [("advice", "no-default-receiver", ())]


@pytest.mark.parametrize(
    ("host", "kind"), [("oapi.dingtalk.com", "dingtalk"), ("QYAPI.weixin.qq.com:443", "wecom_robot")]
)
def test_the_url_of_a_robot_as_a_webhook_is_refused_without_being_shown(host, kind):
    [finding] = found({"name": "ops", "webhook": {"url": f"https://{host}/robot/send?access_token=t0ken"}})
    assert (finding.severity, finding.code) == ("fault", "webhook-to-a-robot")
    assert finding.remedy == f"use {kind} with a url_secret"
    assert "t0ken" not in finding.message


@pytest.mark.parametrize("host", ["open.feishu.cn", "hooks.slack.com"])
def test_so_is_that_of_another_chat_whose_key_stands_in_its_path(host):
    [finding] = found({"name": "ops", "webhook": {"url": f"https://{host}/bot/v2/hook/t0ken"}})
    assert (finding.severity, finding.code) == ("fault", "webhook-to-a-robot")
    assert "t0ken" not in finding.message + finding.remedy


@pytest.mark.parametrize("name", ["access_token", "X-Api-Key", "key", "sig", "pwd"])
def test_a_key_in_a_url_is_refused_without_being_shown(name):
    [finding] = found({"name": "ops", "webhook": {"url": f"https://hooks.example/a?b=c&{name}=t0ken"}})
    assert (finding.severity, finding.code) == ("fault", "secret-in-url")
    assert "t0ken" not in finding.message + finding.remedy


def route(**conditions):
    return {"receivers": ["ops"], **conditions}


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        (route(), route(severities=["critical"])),
        (route(), route()),
        (route(severities=["critical", "info"]), route(severities=["info"], namespaces=["vision"])),
        (route(teams=["platform"], severities=["info"]), route(teams=["platform"], severities=["info"])),
    ],
)
def test_a_route_behind_one_that_takes_all_of_it_is_told(earlier, later):
    assert codes(OPS, routes=[earlier, later]) == [("warning", "route-never-reached", ("routes", 1))]


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        (route(severities=["critical"]), route()),
        (route(severities=["critical"]), route(severities=["critical", "info"])),
        (route(teams=["platform"]), route(severities=["critical"])),
    ],
)
def test_a_route_that_something_comes_through_to_is_right(earlier, later):
    assert codes(OPS, routes=[earlier, later]) == []


def test_a_team_that_no_alert_has_is_told():
    assert codes(OPS, routes=[route(teams=["platfrom"])]) == [
        ("warning", "unknown-in-route", ("routes", 0, "teams", 0))
    ]
    rule = {"alert": "A", "expr": "vector(1)", "labels": {"team": "web"}}
    assert codes(OPS, routes=[route(teams=["web", "platform", "training"])], rules=[rule]) == []


def test_a_namespace_that_is_nearly_a_tenant_is_told_and_no_other():
    assert codes(OPS, routes=[route(namespaces=["visoin", "vision-web", "shop", "vision"])]) == [
        ("warning", "unknown-in-route", ("routes", 0, "namespaces", 0))
    ]


def test_a_secret_that_is_missing_or_in_plain_text_is_told_with_the_command():
    stored = {"ops-key": False}.get
    missing, plain = found(ROBOT, stored=stored)
    assert (missing.code, missing.place[-2:]) == ("missing-secret", ("dingtalk", "url_secret"))
    assert "`pulumi config set --secret ops-url`" in missing.remedy
    assert (plain.code, plain.place[-1]) == ("secret-not-encrypted", "sign_secret")
    assert "`pulumi config set --secret ops-key`" in plain.remedy
    [named, _] = found(ROBOT, stored=stored, name="lab")
    assert "`pulumi config set --secret ops-url --stack lab`" in named.remedy


@pytest.mark.parametrize("known", [{"stored": {"ops-url": True, "ops-key": True}.get}, {"stored": None}])
def test_secrets_that_are_there_or_that_nobody_knows_of_are_right(known):
    assert codes(ROBOT, **known) == []


def test_without_monitoring_no_secret_is_asked_for():
    assert codes(ROBOT, stored={}.get, monitoring=None) == []  # the check of monitoring tells it, once


PASTED = [
    {
        "dingtalk": {
            "url_secret": "https://oapi.dingtalk.com/robot/send?access_token=3f1c9d8e7b6a5f4e3d2c1b0a"
        }
    },
    {"dingtalk": {"url_secret": "ops", "sign_secret": "SEC3f1c9d8e7b6a5f4e3d2c1b0a"}},
    {"wecom_robot": {"url_secret": "3f1c9d8e7b6a5f4e3d2c1b0a9f8e7d6c"}},
    {"webhook": {"url_secret": ["3f1c9d8e7b6a5f4e3d2c1b0a"]}},
    {"webhook": {"url": "https://u:3f1c9d8e7b6a5f4e3d2c1b0a@hooks.example.org/"}},
    {"webhook": {"url": "https://hooks.example.org/?access_token=3f1c9d8e7b6a5f4e3d2c1b0a"}},
]


@pytest.mark.parametrize("kind", PASTED, ids=lambda kind: next(iter(kind)))
def test_a_secret_that_was_pasted_is_refused_and_not_shown(stack_file, data, kind):
    data |= {"monitoring": {"install": False}, "alerts": {"receivers": [{"name": "ops", **kind}]}}
    with pytest.raises(StackFileError) as refused:
        plan(stack_file(data))
    assert "3f1c9d8e" not in str(refused.value)
    assert "secret" in str(refused.value) or "password" in str(refused.value)


@pytest.mark.parametrize(
    "url",
    [
        "https://",
        "http:///p",
        "http://a:port/",
        "http://a:99999",
        "http://a/%zz",
        "http://a|b",
        "http://[::1",
    ],
)
def test_a_url_that_alertmanager_could_not_read_is_refused(url):
    with pytest.raises(ValidationError, match="not a plain URL"):
        WebhookSpec(url=url)


@pytest.mark.parametrize("url", ["http://a", "https://a.example:8443/x/y?z=1%20", "http://[::1]:80/x"])
def test_a_plain_url_is_fine(url):
    assert WebhookSpec(url=url).url == url
