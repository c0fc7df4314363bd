"""The cluster's Alertmanager, asked through the API server: nothing needs to be exposed or forwarded."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple, Self

from components import cluster_access
from components.cluster_access import Answer

_PODS = "app.kubernetes.io/name=alertmanager"  # as Prometheus Operator labels them
_PORT = 9093
_CONTAINER = "alertmanager"
_SAMPLE = re.compile(r"(alertmanager_notification_requests(?:_failed)?_total)\{([^}]*)\} (\S+)")
_REASON = re.compile(r'(?:\berr=|"err":)"((?:[^"\\]|\\.)*)"')
_FAILED, _DELIVERED = "Notify attempt failed", "Notify success"


class AlertmanagerError(Exception):
    """Alertmanager is not there, or does not do as asked; the text says why and what to do."""


class Requests(NamedTuple):
    """How often it has called receivers since it started."""

    delivered: float
    failed: float


@dataclass(frozen=True)
class Alertmanager:
    """One pod of it. Several share what they have told, but not the alerts that they are sent."""

    api: Any
    namespace: str
    pod: str

    @classmethod
    def that_knows(cls, receiver: str, namespace: str, secret: str) -> Self:
        """The first of a namespace whose configuration has the receiver.

        Raises:
            AlertmanagerError: there is none; `secret` is what it should read.
            NoClusterError: there is no cluster to look at.
        """
        api = cluster_access.connect()
        pods = _json(api, f"/api/v1/namespaces/{namespace}/pods", labelSelector=_PODS)["items"]
        found = [cls(api, namespace, str(pod["metadata"]["name"])) for pod in pods if _ready(pod)]
        if not found:
            raise AlertmanagerError(
                f"no Alertmanager of a Prometheus Operator is ready in the namespace {namespace}; "
                "set monitoring.namespace to where it runs, or wait until it does"
            )
        for one in found:
            if receiver in one.receivers():
                return one
        raise AlertmanagerError(
            f"{found[0].pod} does not know the receiver {receiver}; deploy the stack and wait a minute, and "
            f"see that spec.configSecret of the Alertmanager is {secret}"
        )

    def receivers(self) -> set[str]:
        """Names of the receivers of the configuration that it runs with."""
        return {str(one["name"]) for one in _json(self.api, self._path("/api/v2/receivers"))}

    def fire(self, alert: Mapping[str, Any], lasts: timedelta) -> None:
        """Hand it an alert, in the form of its own API, that ends by itself: by the clock there, not here."""
        now = _answer(self.api, "GET", self._path("/api/v2/status")).date or datetime.now(UTC)
        _answer(
            self.api, "POST", self._path("/api/v2/alerts"), [{**alert, "endsAt": (now + lasts).isoformat()}]
        )

    def requests(self, integration: str, receiver: str) -> Requests:
        """Calls by one kind of receiver; of one receiver only, where its metrics name receivers."""
        total = failed = 0.0
        for name, text, value in _SAMPLE.findall(_ask(self.api, "GET", self._path("/metrics"))):
            labels = dict(re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', text))
            if labels.get("integration") == integration and labels.get("receiver_name", receiver) == receiver:
                total += float(value) if "_failed_" not in name else 0
                failed += float(value) if "_failed_" in name else 0
        return Requests(total - failed, failed)

    def trouble(self, test: str, since_seconds: int) -> str | None:
        """What its log says last of a test: why it failed, empty if it arrived at last, None if nothing."""
        path = f"/api/v1/namespaces/{self.namespace}/pods/{self.pod}/log"
        status, log, _ = cluster_access.ask(
            self.api,
            "GET",
            path,
            query={"container": _CONTAINER, "sinceSeconds": str(since_seconds)},
        )
        said = None
        for line in log.splitlines() if status < 300 else ():
            if test in line and _DELIVERED in line:
                said = ""
            elif test in line and _FAILED in line:
                reason = _REASON.search(line)
                said = reason[1].replace('\\"', '"') if reason else line
        return said

    def _path(self, path: str) -> str:
        return f"/api/v1/namespaces/{self.namespace}/pods/{self.pod}:{_PORT}/proxy{path}"


def _ready(pod: Mapping[str, Any]) -> bool:
    conditions = pod.get("status", {}).get("conditions") or ()
    return any(c["type"] == "Ready" and c["status"] == "True" for c in conditions)


def _json(api: Any, path: str, **query: str) -> Any:
    return json.loads(_ask(api, "GET", path, **query))


def _ask(api: Any, method: str, path: str, **query: str) -> str:
    return _answer(api, method, path, **query).text


def _answer(api: Any, method: str, path: str, body: Any = None, **query: str) -> Answer:
    answer = cluster_access.ask(api, method, path, body, query=query)
    if answer.status < 300:
        return answer
    raise AlertmanagerError(
        f"the API server answers {answer.status} ({answer.message}); use an account that may list pods, "
        "and get and create pods/proxy"
    )
