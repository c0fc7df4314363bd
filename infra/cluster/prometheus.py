"""Asks a Prometheus of the cluster, through the API server: no port is opened, no other address is needed."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from infra.cluster.api_server import ApiServer, RefusedError

SERVICE = "prometheus-operated:9090"
"""The Service that the Prometheus Operator makes for every Prometheus."""
_SECONDS = 5.0


@dataclass(frozen=True)
class Sample:
    """One series of an answer, and its value now."""

    labels: Mapping[str, str]
    value: float


def by_job(samples: tuple[Sample, ...] | None) -> Mapping[tuple[str, str], float]:
    """Values by namespace and name of the TFJob."""
    return {(s.labels.get("namespace", ""), s.labels.get("tfjob", "")): s.value for s in samples or ()}


class Prometheus:
    """The Prometheus of a namespace."""

    def __init__(self, server: ApiServer, namespace: str) -> None:
        self._server, self._namespace = server, namespace

    def query(self, expression: str) -> tuple[Sample, ...] | None:
        """The series that an instant query returns; None if there is no answer, and it is noted."""
        path = f"/api/v1/namespaces/{self._namespace}/services/{SERVICE}/proxy/api/v1/query"
        try:
            answer = self._server.text(path, seconds=_SECONDS, query=expression)
            result = json.loads(answer)["data"]["result"]
            return tuple(Sample(series["metric"], float(series["value"][1])) for series in result)
        except RefusedError as fault:
            self._server.note("services/proxy", fault)
        except (ValueError, KeyError, TypeError, IndexError):
            self._server.note("services/proxy", RefusedError(502, "the answer is not Prometheus's"))
        return None
