"""Delivery: receivers are there, are heard of, and can be reached."""

from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from urllib.parse import parse_qsl, urlsplit

from components.rendering.alerts.rule import PLATFORM, TRAINING
from components.rendering.delivery.labels import NOBODY
from infra.checks.findings import Finding, Subject
from infra.checks.references import missing
from infra.models.alerts import AlertsSpec, RouteSpec
from infra.models.base import Loc
from infra.plain_secrets import holds_credential, named_like_a_secret

_ROBOTS = {"oapi.dingtalk.com": "dingtalk", "qyapi.weixin.qq.com": "wecom_robot"}
_OTHER_CHATS = ("discord.com", "hooks.slack.com", "open.feishu.cn", "open.larksuite.com")
_KEYS = ("key", "pwd", "sig")
"""Names of a query that hold one, beside those that say so as variables do."""
_CONDITIONS = ("severities", "teams", "namespaces")
_ALIKE = 0.8  # vision and visoin, but not vision and vision-web


def check(subject: Subject) -> Iterator[Finding]:
    """Names, routes and secrets of `alerts:`."""
    alerts = subject.stack.alerts
    yield from _names(alerts)
    yield from _webhooks(alerts)
    yield from _routes(alerts)
    yield from _unknown(subject)
    yield from _secrets(subject)


def _names(alerts: AlertsSpec) -> Iterator[Finding]:
    names = [spec.name for spec in alerts.receivers]
    heard = set()
    for place, name in _named(alerts):
        heard.add(name)
        if name != NOBODY:
            yield from missing("receiver", ("alerts", *place), name, names)
    for i, name in enumerate(names):
        if name in names[:i]:
            yield Finding(
                code="duplicate-receiver",
                place=("alerts", "receivers", i, "name"),
                message=f"{name} is the name of another receiver",
                remedy="give each its own",
            )
        elif name not in heard:
            yield Finding(
                severity="warning",
                code="unused-receiver",
                place=("alerts", "receivers", i),
                message=f"{name} hears of nothing",
                remedy="name it in a route or as default_receiver, or remove it",
            )
    if names and alerts.default_receiver is None:
        yield Finding(
            severity="advice",
            code="no-default-receiver",
            place=("alerts",),
            message="nobody hears of alerts that no route takes",
            remedy="set default_receiver",
        )


def _named(alerts: AlertsSpec) -> Iterator[tuple[Loc, str]]:
    if alerts.default_receiver is not None:
        yield ("default_receiver",), alerts.default_receiver
    for i, route in enumerate(alerts.routes):
        for j, name in enumerate(route.receivers):
            yield ("routes", i, "receivers", j), name


def _webhooks(alerts: AlertsSpec) -> Iterator[Finding]:
    """A robot takes its own JSON only, and says so in an answer that counts as success."""
    for i, spec in enumerate(alerts.receivers):
        host = urlsplit(spec.webhook.url).hostname if spec.webhook and spec.webhook.url else None
        if host in _ROBOTS or host in _OTHER_CHATS:
            kind = _ROBOTS.get(host)
            yield Finding(
                code="webhook-to-a-robot",
                place=("alerts", "receivers", i, "webhook", "url"),
                message=f"{host} does not understand what Alertmanager sends, and nothing would arrive",
                remedy=f"use {kind} with a url_secret"
                if kind
                else "name a program that translates, and replace the key in this URL where it is valid",
            )
        elif spec.webhook and spec.webhook.url and _tells_a_secret(spec.webhook.url):
            yield Finding(
                code="secret-in-url",
                place=("alerts", "receivers", i, "webhook", "url"),
                message="a part of this URL looks like a key, and everybody who reads the file has it",
                remedy="write url_secret: <name>, give Pulumi the URL with "
                "`pulumi config set --secret <name>`, and replace the key where it is valid",
            )


def _tells_a_secret(url: str) -> bool:
    return holds_credential(url) or any(
        named_like_a_secret(name.replace("-", "_"), value) or name.lower() in _KEYS
        for name, value in parse_qsl(urlsplit(url).query)
    )


def _routes(alerts: AlertsSpec) -> Iterator[Finding]:
    for i, route in enumerate(alerts.routes):
        for j, earlier in enumerate(alerts.routes[:i]):
            if _takes_all_of(earlier, route):
                yield Finding(
                    severity="warning",
                    code="route-never-reached",
                    place=("alerts", "routes", i),
                    message=f"routes[{j}] takes everything that would come here",
                    remedy="put this one before it, or remove it",
                )
                break


def _takes_all_of(earlier: RouteSpec, later: RouteSpec) -> bool:
    """Each condition of the earlier one holds wherever those of the later one do."""
    pairs = ((set(getattr(earlier, name)), set(getattr(later, name))) for name in _CONDITIONS)
    return all(not taken or (asked and asked <= taken) for taken, asked in pairs)


def _unknown(subject: Subject) -> Iterator[Finding]:
    """A namespace of a service is none of the stack's, so only what looks misspelt is told."""
    tenants = sorted(tenant.name for tenant in subject.stack.tenants)
    rules = subject.stack.alerts.rules
    teams = sorted({PLATFORM, TRAINING, *(rule.labels["team"] for rule in rules if "team" in rule.labels)})
    for i, route in enumerate(subject.stack.alerts.routes):
        for j, name in enumerate(route.teams):
            if name not in teams:
                yield _unknown_name(
                    ("routes", i, "teams", j), f"no alert of the stack is of the team {name}", teams
                )
        for j, name in enumerate(route.namespaces):
            close = get_close_matches(name, tenants, n=1, cutoff=_ALIKE)
            if close and name not in tenants:
                yield _unknown_name(("routes", i, "namespaces", j), f"no tenant is called {name}", close)


def _unknown_name(place: Loc, message: str, known: Sequence[str]) -> Finding:
    return Finding(
        severity="warning",
        code="unknown-in-route",
        presumes="tenants",
        place=("alerts", *place),
        message=message,
        remedy=f"write {' or '.join(known)}, if that is meant",
    )


def _secrets(subject: Subject) -> Iterator[Finding]:
    """The values that an update will ask for."""
    if subject.stack.monitoring is None or subject.stored is None:
        return
    stack = f" --stack {subject.name}" if subject.name else ""
    for i, spec in enumerate(subject.stack.alerts.receivers):
        for kind, field, name in spec.secrets():
            kept = subject.stored(name)
            if not kept:
                yield Finding(
                    code="missing-secret" if kept is None else "secret-not-encrypted",
                    place=("alerts", "receivers", i, kind, field),
                    message=f"the config of the stack has no value {name}"
                    if kept is None
                    else f"the config of the stack has {name} in plain text",
                    remedy=f"run `pulumi config set --secret {name}{stack}`, which asks for it"
                    + ("" if kept is None else ", and replace the value where it is valid"),
                )
