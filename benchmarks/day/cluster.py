"""The nodes of a size on the sandbox, an operator that keeps up, and nothing of it left behind."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from benchmarks.day import nodes
from benchmarks.day.api import STRATEGIC, Api, ApiError, Object
from benchmarks.day.workload import Amount
from infra.vocabulary import TRAINING_OPERATOR
from sandbox import control_plane
from sandbox.simulated_nodes import SimulatedNode, manifest

GONE_SECONDS = 400
MARK = {nodes.LABEL: nodes.VALUE}
"""On what is of the cluster and not of a namespace, so that a later run finds what a killed one left."""
HURRIED = (*control_plane.HURRIED, "--controller-threads=4")
"""Arguments of the operator for a compressed day: by default it asks 20 times a second."""
_NO_OPERATOR = "no training operator runs here (`colo sandbox deploy` brings one)"
_COLLECTIONS = (
    "/apis/kueue.x-k8s.io/v1beta2/clusterqueues",
    "/apis/kueue.x-k8s.io/v1beta2/resourceflavors",
    "/apis/scheduling.k8s.io/v1/priorityclasses",
    "/api/v1/persistentvolumes",
    "/api/v1/nodes",
)
"""Whose marked objects are the benchmark's."""


class BenchError(Exception):
    """Why the benchmark cannot go on."""


@dataclass(frozen=True)
class Bench:
    """A cluster of one size. `stop` is set by Ctrl-C."""

    api: Api
    nodes: tuple[SimulatedNode, ...]
    stop: threading.Event

    @property
    def workers(self) -> tuple[SimulatedNode, ...]:
        return tuple(node for node in self.nodes if node.labels[nodes.LABEL] == nodes.VALUE)

    @property
    def capacity(self) -> Amount:
        return sum(map(nodes.amount, self.workers), Amount(0, 0))

    def part(self, name: str) -> list[Amount]:
        """The nodes that separate pools give to services (online) or jobs (offline)."""
        return [nodes.amount(node) for node in self.workers if node.labels[nodes.PART_LABEL] == name]


@contextmanager
def simulated_cluster(count: int, stop: threading.Event) -> Iterator[Bench]:
    """The nodes of a size, ready; gone at the end, however that comes."""
    api = Api()
    until(lambda: _operator(api), 60, _NO_OPERATOR)
    clean(api)
    bench = Bench(api, tuple(nodes.topology(count)), stop)
    try:
        for node in bench.nodes:
            api.create(manifest(node))
        until(lambda: _ready(api) == count, 120, f"the {count} simulated nodes are not ready")
        yield bench
    finally:
        clean(api)


@contextmanager
def hurried_operator() -> Iterator[None]:
    """The operator may ask the API server as often as a compressed day needs; afterwards as before."""
    api = Api()
    until(lambda: _operator(api), 60, _NO_OPERATOR)
    [found] = _operators(api)
    path = api.path({"apiVersion": "apps/v1", "kind": "Deployment", **found})
    [container] = found["spec"]["template"]["spec"]["containers"]
    before = [argument for argument in container.get("args", []) if argument not in HURRIED]
    try:
        _restart_with(api, path, container["name"], [*before, *HURRIED])
        yield
    finally:
        _restart_with(api, path, container["name"], before)


def _restart_with(api: Api, path: str, container: str, arguments: Sequence[str]) -> None:
    patch = {"spec": {"template": {"spec": {"containers": [{"name": container, "args": list(arguments)}]}}}}
    api.call("PATCH", path, patch, content=STRATEGIC)

    def rolled_out() -> bool:
        found = api.call("GET", path)
        status = found["status"]
        counts = [status.get(key) for key in ("replicas", "updatedReplicas", "readyReplicas")]
        return status.get("observedGeneration") == found["metadata"]["generation"] and counts == [1, 1, 1]

    until(rolled_out, 120, "the training operator does not start anew")


def clean(api: Api) -> None:
    """Take away whatever the benchmark has put on the cluster, in this run or an earlier one."""
    clear(api)
    for collection in _COLLECTIONS:
        api.delete(collection, labelSelector=nodes.LABEL)


def clear(api: Api) -> None:
    """Take away the namespaces of a day with all that is in them: owners first, or they make pods anew."""
    names = _namespaces(api)

    def empty(kind: str, **query: str) -> None:
        paths = [kind.format(name) for name in names]

        def gone() -> bool:
            for path in paths:
                api.delete(path, **query)
            return not any(api.items(path, limit="1") for path in paths)

        until(gone, GONE_SECONDS, f"{kind.rpartition('/')[2]} of a day do not go away")

    empty("/apis/kubeflow.org/v1/namespaces/{}/tfjobs")
    empty("/apis/apps/v1/namespaces/{}/deployments")
    empty("/apis/apps/v1/namespaces/{}/replicasets")
    empty("/api/v1/namespaces/{}/pods", gracePeriodSeconds="0")
    for name in names:
        try:
            api.delete(f"/api/v1/namespaces/{name}")
        except ApiError as error:
            if error.status != 409:  # it is going already
                raise
    until(lambda: not _namespaces(api), GONE_SECONDS, "the namespaces of a day do not go away")


def _namespaces(api: Api) -> list[str]:
    return [found["metadata"]["name"] for found in api.items("/api/v1/namespaces", labelSelector=nodes.LABEL)]


def _operator(api: Api) -> bool:
    """Whether one takes TFJobs; it is whoever's that runs."""
    return any(deployment["status"].get("readyReplicas") for deployment in _operators(api))


def _operators(api: Api) -> list[Object]:
    return api.items("/apis/apps/v1/deployments", fieldSelector=f"metadata.name={TRAINING_OPERATOR}")


def _ready(api: Api) -> int:
    found = api.items("/api/v1/nodes", labelSelector=nodes.LABEL)
    return sum(
        any(c["type"] == "Ready" and c["status"] == "True" for c in node["status"].get("conditions", []))
        for node in found
    )


def until(true: Callable[[], bool], seconds: float, complaint: str) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        if time.monotonic() > deadline:
            raise BenchError(f"{complaint} after {seconds:.0f} s; see `kubectl get nodes,pods -A`")
        time.sleep(0.3)
