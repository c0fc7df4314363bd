"""Receivers of a stack as Alertmanager's own."""

from collections.abc import Mapping
from typing import Any, Final

from components.rendering.delivery.templates import SHORT, SUBJECT, TEXT, literal
from infra.models.alerts import AlertsSpec, EmailSpec, ReceiverSpec, WebhookSpec, WecomAppSpec

CONFIG_FOLDER: Final = "/etc/alertmanager/config"
"""Where the operator mounts every key of the configuration's Secret into Alertmanager's pods."""
ROBOTS: Final = ("dingtalk", "wecom_robot")
"""Kinds that the relay talks to."""
_PATHS: Final = {"dingtalk": "dingtalk", "wecom_robot": "wecom"}


def robot(spec: ReceiverSpec) -> str | None:
    """The kind of robot that a receiver is, if it is one."""
    return next((kind for kind in ROBOTS if getattr(spec, kind) is not None), None)


def has_robots(alerts: AlertsSpec) -> bool:
    """Whether there is anything to relay."""
    return any(robot(spec) for spec in alerts.receivers)


def relay_path(spec: ReceiverSpec) -> str:
    """Where the relay takes alerts for a robot."""
    return f"/{_PATHS[str(robot(spec))]}/{spec.name}"


def own_secrets(spec: ReceiverSpec) -> tuple[str, ...]:
    """Names of the secrets that Alertmanager itself reads for a receiver."""
    return () if robot(spec) else tuple(key for _, _, key in spec.secrets())


def receiver(spec: ReceiverSpec, relay_url: str) -> Mapping[str, Any]:
    """One entry of `receivers`; secrets are files beside the configuration."""
    resolved = {"send_resolved": spec.send_resolved}
    if spec.email is not None:
        return {"name": spec.name, "email_configs": [resolved | _email(spec.email)]}
    if spec.wecom_app is not None:
        return {"name": spec.name, "wechat_configs": [resolved | _wecom_app(spec.wecom_app)]}
    url = _webhook(spec.webhook) if spec.webhook else {"url": relay_url + relay_path(spec)}
    return {"name": spec.name, "webhook_configs": [resolved | url]}


def integration(spec: ReceiverSpec) -> str:
    """What Alertmanager's metrics call the kind of a receiver."""
    return "email" if spec.email else "wechat" if spec.wecom_app else "webhook"


def _email(spec: EmailSpec) -> dict[str, Any]:
    said: dict[str, Any] = {
        "to": literal(", ".join(spec.to)),
        "from": literal(spec.sender),
        "smarthost": f"[{spec.host}]:{spec.port}" if ":" in spec.host else f"{spec.host}:{spec.port}",
        "require_tls": spec.require_tls,
        "headers": {"Subject": _filled(SUBJECT)},
        "text": _filled(TEXT),
        "html": "",  # else Alertmanager adds a page of its own, in English
    }
    if spec.username is not None and spec.password_secret is not None:
        said |= {"auth_username": spec.username, "auth_password_file": _file(spec.password_secret)}
    return said


def _wecom_app(spec: WecomAppSpec) -> dict[str, Any]:
    said: dict[str, Any] = {
        "corp_id": literal(spec.corp_id),
        "agent_id": str(spec.agent_id),
        "api_secret_file": _file(spec.api_secret),
        "message_type": "text",
        "message": _filled(SHORT),
    }
    for field in ("to_user", "to_party", "to_tag"):
        if (value := getattr(spec, field)) is not None:
            said[field] = literal(value)
    if spec.api_url is not None:
        said["api_url"] = spec.api_url
    return said


def _webhook(spec: WebhookSpec) -> dict[str, Any]:
    if spec.url_secret is not None:
        return {"url_file": _file(spec.url_secret)}
    return {"url": literal(str(spec.url))}


def _file(secret: str) -> str:
    return f"{CONFIG_FOLDER}/{secret}"


def _filled(template: str) -> str:
    return f'{{{{ template "{template}" . }}}}'
