"""What the sandbox's Prometheus and Alertmanager say, by their own APIs."""

from __future__ import annotations

import json
import urllib.error
import urllib.parse
import urllib.request
from typing import Any

from sandbox.monitoring import alertmanager, prometheus
from tests.cluster.conftest import SOON_SECONDS, eventually

JSON = dict[str, Any]


def query(promql: str) -> list[JSON]:
    """The series that an instant query returns now: `metric` holds the labels, `value` is a float."""
    result = _prometheus("query", query=promql)["result"]
    return [{"metric": series["metric"], "value": float(series["value"][1])} for series in result]


def until(promql: str, *, timeout_seconds: float = SOON_SECONDS) -> list[JSON]:
    """The first answer of a query that has any series; the test fails if there is none in time."""
    found: list[JSON] = eventually(lambda: query(promql), timeout_seconds=timeout_seconds)
    return found


def targets() -> list[JSON]:
    """Every target that is scraped, with its `labels`, `health` and `lastError`."""
    found: list[JSON] = _prometheus("targets", state="active")["activeTargets"]
    return found


def rules() -> list[JSON]:
    """Every alerting and recording rule that is evaluated, with its `name`, `health` and `lastError`."""
    return [rule for group in _prometheus("rules")["groups"] for rule in group["rules"]]


def alertmanager_alerts() -> list[JSON]:
    """Every alert that Alertmanager holds, with its `labels`, `annotations`, `receivers` and `status`."""
    found: list[JSON] = _get(f"{alertmanager.URL}/api/v2/alerts")
    return found


def alertmanager_config() -> str:
    """The configuration that Alertmanager runs with, secrets hidden."""
    return str(_get(f"{alertmanager.URL}/api/v2/status")["config"]["original"])


def _prometheus(path: str, **parameters: str) -> JSON:
    data: JSON = _get(f"{prometheus.URL}/api/v1/{path}?{urllib.parse.urlencode(parameters)}")["data"]
    return data


def _get(url: str) -> Any:
    # The environment's proxies do not reach the sandbox.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(url, timeout=60) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        raise AssertionError(f"{url}: {error.code} {error.read().decode()}") from error
