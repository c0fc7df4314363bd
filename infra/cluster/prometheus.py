"""Asks a Prometheus of the cluster, through the API server: no port is opened, no other address is needed."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from components.cluster_access import in_a_line
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
        try:
            return self._samples(_SECONDS, query=expression)
        except RefusedError as fault:
            self._server.note(PROXY, fault)
        return None

    def watching(self) -> Watching | None:
        """What it scrapes, and which alerts fire; None if it does not answer, and it is noted."""
        try:
            targets, alerts = self._targets(), self._firing()
        except RefusedError as fault:
            self._server.note(PROXY, fault)
            return None
        idle = self.query(_SINCE_PROGRESS)
        times = {sample.labels.get("of"): sample.value for sample in self.query(_TIMES) or ()}
        return Watching(
            targets=targets,
            alerts=alerts,
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
        found = self._asked("query_range", _RANGE_SECONDS, **query)
        with _of_its_form():
            series = found["result"]
            return tuple(Course(s["metric"], {int(at): float(v) for at, v in s["values"]}) for s in series)

    def at(self, expression: str, moment: datetime) -> tuple[Sample, ...]:
        """The series that an instant query returns of a moment.

        Raises:
            RefusedError: it does not answer, or not this.
        """
        return self._samples(_RANGE_SECONDS, query=expression, time=str(int(moment.timestamp())))

    def _samples(self, seconds: float, **query: str) -> tuple[Sample, ...]:
        found = self._asked("query", seconds, **query)
        with _of_its_form():
            return tuple(Sample(s["metric"], float(s["value"][1])) for s in found["result"])

    def _targets(self) -> tuple[Target, ...]:
        found = self._asked("targets", _SECONDS, state="active")
        with _of_its_form():
            return tuple(
                Target(labels=t["labels"], up=t["health"] != "down", error=str(t.get("lastError") or ""))
                for t in found["activeTargets"]
            )

    def _firing(self) -> tuple[Alert, ...]:
        found = self._asked("alerts", _SECONDS)
        with _of_its_form():
            return tuple(
                Alert(labels=a["labels"], annotations=a.get("annotations") or {}, since=str(a["activeAt"]))
                for a in found["alerts"]
                if a.get("state") == "firing"
            )

    def _asked(self, path: str, seconds: float, **query: str) -> Mapping[str, Any]:
        proxied = f"/api/v1/namespaces/{self._namespace}/services/{SERVICE}:{_PORT}/proxy/api/v1/{path}"
        try:
            answer = self._server.text(proxied, seconds=seconds, **query)
        except RefusedError as fault:
            raise RefusedError(fault.status, _said(str(fault))) from None
        with _of_its_form():
            found: Mapping[str, Any] = json.loads(answer)["data"]
            return found


@contextmanager
def _of_its_form() -> Iterator[None]:
    """Whatever else answers in its place answers in another; raises RefusedError."""
    try:
        yield
    except (ValueError, LookupError, TypeError, AttributeError, OverflowError, RecursionError):
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
        return in_a_line(str(json.loads(refusal)["error"]))
    except (ValueError, KeyError, TypeError):
        return refusal


def by_job(samples: tuple[Sample, ...] | None) -> Mapping[tuple[str, str], float]:
    """Values by namespace and name of the TFJob."""
    return {(s.labels.get("namespace", ""), s.labels.get("tfjob", "")): s.value for s in samples or ()}
