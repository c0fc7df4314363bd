"""Asks a Prometheus of the cluster, through the API server: no port is opened, no other address is needed."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from infra.cluster.api_server import ApiServer, RefusedError
from infra.cluster.watching import PROXY, SERVICE, Alert, Course, Sample, Target, Watching

_PORT = 9090
_SECONDS = 5.0
_RANGE_SECONDS = 60.0  # a question about days reads much
_TIMES = (
    'label_replace(vector(time()), "of", "now", "", "") or '
    'label_replace(min(prometheus_tsdb_lowest_timestamp_seconds), "of", "since", "", "")'
)
_SINCE_PROGRESS = "time() - max by (namespace, tfjob) (training_last_progress_timestamp_seconds)"


class Prometheus:
    """The Prometheus of a namespace."""

    def __init__(self, server: ApiServer, namespace: str) -> None:
        self._server, self._namespace = server, namespace

    def query(self, expression: str) -> tuple[Sample, ...] | None:
        """The series that an instant query returns; None if there is no answer, and it is noted."""
        found = self._ask("query", query=expression)
        if found is None:
            return None
        return tuple(Sample(series["metric"], float(series["value"][1])) for series in found["result"])

    def watching(self) -> Watching | None:
        """What it scrapes, and which alerts fire; None if it does not answer, and it is noted."""
        targets = self._ask("targets", state="active")
        alerts = self._ask("alerts") if targets is not None else None
        if targets is None or alerts is None:
            return None
        idle = self.query(_SINCE_PROGRESS)
        times = {sample.labels.get("of"): sample.value for sample in self.query(_TIMES) or ()}
        return Watching(
            targets=tuple(
                Target(labels=t["labels"], up=t["health"] != "down", error=str(t.get("lastError") or ""))
                for t in targets["activeTargets"]
            ),
            alerts=tuple(
                Alert(labels=a["labels"], annotations=a.get("annotations") or {}, since=str(a["activeAt"]))
                for a in alerts["alerts"]
                if a.get("state") == "firing"
            ),
            idle_seconds=by_job(idle),
            now=_moment(times.get("now")),
            since=_moment(times.get("since")),
        )

    def course(
        self, expression: str, since: datetime, until: datetime, step_seconds: int
    ) -> tuple[Course, ...]:
        """The series that a range query returns, a value each step.

        Raises:
            RefusedError: it does not answer, or not this.
        """
        start, end = int(since.timestamp()), int(until.timestamp())
        query = {"query": expression, "start": str(start), "end": str(end), "step": str(step_seconds)}
        found = self._asked("query_range", _RANGE_SECONDS, **query)["result"]
        return tuple(Course(s["metric"], {int(at): float(v) for at, v in s["values"]}) for s in found)

    def at(self, expression: str, moment: datetime) -> tuple[Sample, ...]:
        """The series that an instant query returns of a moment.

        Raises:
            RefusedError: it does not answer, or not this.
        """
        query = {"query": expression, "time": str(int(moment.timestamp()))}
        found = self._asked("query", _RANGE_SECONDS, **query)["result"]
        return tuple(Sample(series["metric"], float(series["value"][1])) for series in found)

    def _ask(self, path: str, **query: str) -> Mapping[str, Any] | None:
        try:
            return self._asked(path, _SECONDS, **query)
        except RefusedError as fault:
            self._server.note(PROXY, fault)
        return None

    def _asked(self, path: str, seconds: float, **query: str) -> Mapping[str, Any]:
        proxied = f"/api/v1/namespaces/{self._namespace}/services/{SERVICE}:{_PORT}/proxy/api/v1/{path}"
        try:
            answer = self._server.text(proxied, seconds=seconds, **query)
        except RefusedError as fault:
            raise RefusedError(fault.status, _said(str(fault))) from None
        try:
            found: Mapping[str, Any] = json.loads(answer)["data"]
            return found
        except (ValueError, KeyError, TypeError):
            raise RefusedError(502, "the answer is not Prometheus's") from None


def _moment(seconds: float | None) -> datetime | None:
    """No sample at all is written as the last second that there is."""
    try:
        return None if seconds is None else datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, ValueError, OSError):
        return None


def _said(refusal: str) -> str:
    """What Prometheus says of a question that it refuses; other refusals are the API server's own."""
    try:
        return str(json.loads(refusal)["error"])
    except (ValueError, KeyError, TypeError):
        return refusal


def by_job(samples: tuple[Sample, ...] | None) -> Mapping[tuple[str, str], float]:
    """Values by namespace and name of the TFJob."""
    return {(s.labels.get("namespace", ""), s.labels.get("tfjob", "")): s.value for s in samples or ()}
