"""What the relay is told of its robots."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from components.relay_alerts import PORT
from components.rendering.delivery.labels import JOB
from components.rendering.delivery.receivers import relay_path, robot
from components.rendering.delivery.words import WORDS
from infra.models.alerts import AlertsSpec, ReceiverSpec
from infra.vocabulary import ALERT_RELAY


def relay_url(namespace: str) -> str:
    """Where Alertmanager finds the relay."""
    return f"http://{ALERT_RELAY}.{namespace}.svc:{PORT}"


def relay_config(alerts: AlertsSpec, cluster: str) -> str:
    """The relay's file, as JSON; secrets are named by the files that hold them."""
    robots = {relay_path(spec): _robot(spec) for spec in alerts.receivers if robot(spec)}
    words = asdict(WORDS[alerts.language])
    told = {"cluster": cluster, "job_label": JOB, "words": words, "robots": robots}
    return json.dumps(told, ensure_ascii=False, indent=2, sort_keys=True)


def relay_secrets(alerts: AlertsSpec) -> tuple[str, ...]:
    """Names of the secrets that the relay reads."""
    return tuple(sorted({key for spec in alerts.receivers if robot(spec) for _, _, key in spec.secrets()}))


def _robot(spec: ReceiverSpec) -> Mapping[str, Any]:
    if spec.dingtalk is not None:
        said = spec.dingtalk
        return {
            "kind": "dingtalk",
            "url_file": said.url_secret,
            "sign_file": said.sign_secret,
            "keyword": said.keyword,
            "mentions": list(said.at_mobiles),
            "everyone": said.at_all,
        }
    assert spec.wecom_robot is not None
    return {
        "kind": "wecom",
        "url_file": spec.wecom_robot.url_secret,
        "mentions": list(spec.wecom_robot.mentioned_users),
    }
