"""Alertmanager's configuration, from what a stack says under `alerts:`."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import yaml

from components.rendering.delivery.inhibition import inhibit_rules
from components.rendering.delivery.labels import GROUP_BY, NOBODY, NOISE, TEST_RECEIVER
from components.rendering.delivery.receivers import CONFIG_FOLDER, own_secrets, receiver
from components.rendering.delivery.templates import template_file
from infra.models.alerts import AlertsSpec, RouteSpec

CONFIG_FILE: Final = "alertmanager.yaml"
TEMPLATE_FILE: Final = "colocation.tmpl"
OPEN_FILES: Final = (CONFIG_FILE, TEMPLATE_FILE)
"""The keys of the configuration's Secret that hold no secret."""
# At once, each by itself, and told again soon where it was refused.
_TEST = {"group_wait": "1s", "group_interval": "30s"}


def files(alerts: AlertsSpec, *, relay_url: str, cluster: str) -> Mapping[str, str]:
    """OPEN_FILES."""
    configuration = alertmanager_config(alerts, relay_url)
    return {
        CONFIG_FILE: yaml.safe_dump(configuration, sort_keys=False, allow_unicode=True, width=110),
        TEMPLATE_FILE: template_file(alerts.language, cluster),
    }


def secret_files(alerts: AlertsSpec) -> tuple[str, ...]:
    """The keys that do: each is called as the secret of the stack that it holds."""
    return tuple(sorted({key for spec in alerts.receivers for key in own_secrets(spec)}))


def alertmanager_config(alerts: AlertsSpec, relay_url: str) -> Mapping[str, Any]:
    """The configuration. Without receivers it drops everything, and alerts are seen in Alertmanager only."""
    return {
        "templates": [f"{CONFIG_FOLDER}/{TEMPLATE_FILE}"],
        "route": {
            "receiver": alerts.default_receiver or NOBODY,
            "group_by": list(GROUP_BY),
            "group_wait": alerts.group_wait,
            "group_interval": alerts.group_interval,
            "repeat_interval": alerts.repeat_interval,
            "routes": [
                *(_test_route(spec.name) for spec in alerts.receivers),
                {"receiver": NOBODY, "matchers": [f'alertname=~"{"|".join(NOISE)}"']},
                *(route for spec in alerts.routes for route in _routes(spec)),
            ],
        },
        "receivers": [{"name": NOBODY}, *(receiver(spec, relay_url) for spec in alerts.receivers)],
        "inhibit_rules": list(inhibit_rules()),
    }


def _test_route(name: str) -> dict[str, Any]:
    return {"receiver": name, "matchers": [f'{TEST_RECEIVER}="{name}"'], "group_by": ["..."], **_TEST}


def _routes(spec: RouteSpec) -> Iterator[Mapping[str, Any]]:
    """One for each receiver; all but the last let the alert go on, to the next of them."""
    matchers = [
        f'{label}=~"{"|".join(values)}"'
        for label, values in (
            ("severity", spec.severities),
            ("team", spec.teams),
            ("namespace", spec.namespaces),
        )
        if values
    ]
    for i, name in enumerate(spec.receivers):
        goes_on = {"continue": True} if i < len(spec.receivers) - 1 else {}
        yield {"receiver": name, **({"matchers": [*matchers]} if matchers else {}), **goes_on}
