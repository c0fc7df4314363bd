"""Puts nodes, namespaces and settings on the sandbox, plays the days, and takes everything away again."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from benchmarks.day import measure, nodes, scheduler_metrics
from benchmarks.day.api import MERGE, STRATEGIC, Api, ApiError, Object
from benchmarks.day.driver import Day
from benchmarks.day.results import DayResult, Offline
from benchmarks.day.settings import Setting
from benchmarks.day.watch import Observer
from benchmarks.day.workload import Amount, Work
from infra.vocabulary import TRAINING_OPERATOR
from sandbox import control_plane
from sandbox.simulated_nodes import SimulatedNode, manifest

GONE_SECONDS = 400
MARK = {nodes.LABEL: nodes.VALUE}
"""On what is of the cluster and not of a namespace, so that a later run finds what a killed one left."""
BINS = 48
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
WARM_UP_SECONDS = 12.0


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
def cluster(count: int, stop: threading.Event) -> Iterator[Bench]:
    """The nodes of a size, ready; gone at the end, however that comes."""
    api = Api()
    _until(lambda: _operator(api), 60, _NO_OPERATOR)
    clean(api)
    bench = Bench(api, tuple(nodes.topology(count)), stop)
    try:
        for node in bench.nodes:
            api.create(manifest(node))
        _until(lambda: _ready(api) == count, 120, f"the {count} simulated nodes are not ready")
        yield bench
    finally:
        clean(api)


@contextmanager
def hurried_operator() -> Iterator[None]:
    """The operator may ask the API server as often as a compressed day needs; afterwards as before."""
    api = Api()
    _until(lambda: _operator(api), 60, _NO_OPERATOR)
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

    _until(rolled_out, 120, "the training operator does not start anew")


def clean(api: Api) -> None:
    """Take away whatever the benchmark has put on the cluster, in this run or an earlier one."""
    _remove_namespaces(api)
    _until(lambda: not _namespaces(api), GONE_SECONDS, "the namespaces of a day do not go away")
    for collection in _COLLECTIONS:
        api.delete(collection, labelSelector=nodes.LABEL)


def play(
    bench: Bench,
    setting: Setting,
    work: Work,
    *,
    hour_seconds: float,
    hours: float,
    seed: int,
    warm_up_seconds: float = WARM_UP_SECONDS,
) -> DayResult:
    """A day under a setting."""
    api = bench.api
    observer = Observer(api, setting.online, setting.offline)
    day = Day(api, observer, setting, work, hour_seconds, bench.stop)
    made: list[Object] = []
    try:
        _install(bench, setting, made)
        observer.start()
        time.sleep(0.5)  # the watches have begun
        before = scheduler_metrics.totals(api)
        window = day.play(hours, warm_up_seconds)
        until_time = datetime.now(UTC)
        after = scheduler_metrics.totals(api)
        observer.stop()
        with observer.lock:
            pods = list(observer.pods.values())
    finally:
        observer.stop()
        day.shut()
        _uninstall(bench, setting, made)
    from_time = until_time - timedelta(seconds=window[1] - window[0])
    workers = {name: run.job.workers for run in day.runs for name in run.names}
    online = [pod for pod in pods if pod.online]
    runs = [run for run in day.runs if run.submitted or run.attempt]
    parts = measure.bins(window, BINS)
    return DayResult(
        setting=setting.name,
        title=setting.title,
        began=from_time.isoformat(timespec="seconds"),
        ended=until_time.isoformat(timespec="seconds"),
        requested=measure.requested(pods, window, bench.capacity),
        used=measure.used(pods, workers, window, bench.capacity, seed),
        stalled=measure.stalled(pods, workers, window, bench.capacity),
        online_requested=measure.requested(online, window, bench.capacity),
        waits=measure.waits(online, window),
        online_served=measure.served(online, work.services, window, hours),
        online_preempted=sum(pod.preempted for pod in online),
        offline=Offline(
            preemptions=sum(pod.preempted for pod in pods if not pod.online),
            lost_pod_hours=sum(run.lost_pod_hours for run in runs),
            lost_core_hours=sum(run.lost_pod_hours * run.job.request.cpu for run in runs),
            finished=sum(run.done for run in runs),
            submitted=len(runs),
            finished_job_hours=sum(run.job.hours for run in runs if run.done),
            core_hours=sum(run.progress * run.job.workers * run.job.request.cpu for run in runs),
            failures=sum(run.failures for run in runs),
            deadlocks=sum(run.deadlocks for run in runs),
        ),
        pace=scheduler_metrics.between(before, after),
        observer_lag_seconds=observer.worst_lag,
        slowest_tick_seconds=day.slowest_tick,
        cpu_requested_over_day=[measure.requested(pods, part, bench.capacity).cpu for part in parts],
        cpu_online_over_day=[measure.requested(online, part, bench.capacity).cpu for part in parts],
    )


def _install(bench: Bench, setting: Setting, made: list[Object]) -> None:
    """Marks of nodes, namespaces, objects; what was not there before is noted in `made`."""
    api = bench.api
    for node in bench.workers:
        kind = node.labels[nodes.KIND_LABEL]
        extra = setting.node_taints.get(kind, ())
        taints = [*manifest(node)["spec"]["taints"], *map(dict, extra)]
        labels = dict(setting.node_labels.get(kind, {}))
        body = {"metadata": {"labels": labels}, "spec": {"taints": taints}}
        api.call("PATCH", f"/api/v1/nodes/{node.name}", body, content=MERGE)
    for sent in setting.objects:
        if "namespace" in sent["metadata"]:
            api.apply(sent)
        elif (there := _there(api, sent)) is None:
            marked = {**sent["metadata"], "labels": {**sent["metadata"].get("labels", {}), **MARK}}
            made.append(sent)
            api.apply({**sent, "metadata": marked})
        elif differing := _differing(sent, there):
            raise BenchError(
                f"the cluster has a {sent['kind']} {sent['metadata']['name']} of another {differing}; "
                "destroy the stack that declares it, or run on a sandbox of `colo sandbox deploy`"
            )
    claims = f"/api/v1/namespaces/{setting.offline}/persistentvolumeclaims"
    _until(
        lambda: all(claim["status"].get("phase") == "Bound" for claim in api.items(claims)),
        60,
        "the claim for checkpoints is not bound",  # pods cannot be scheduled before, and wait long after
    )


def _there(api: Api, sent: Object) -> Object | None:
    try:
        return api.call("GET", api.path(sent))
    except ApiError as error:
        if error.status == 404:
            return None
        raise


def _differing(sent: Object, there: Object) -> str | None:
    """A field in which an object that is there already is not as it is wanted."""
    for key, value in sent.items():
        # The server leaves out what is false or empty.
        if key != "metadata" and (there.get(key) or None) != (value or None):
            return key
    return None


def _uninstall(bench: Bench, setting: Setting, made: Sequence[Object]) -> None:
    _remove_namespaces(bench.api)
    for sent in made:
        if sent["kind"] != "Namespace":
            bench.api.delete(bench.api.path(sent))
    for node in bench.workers:
        kind = node.labels[nodes.KIND_LABEL]
        gone = dict.fromkeys(key for key in setting.node_labels.get(kind, {}) if key not in node.labels)
        if gone:
            bench.api.call(
                "PATCH", f"/api/v1/nodes/{node.name}", {"metadata": {"labels": gone}}, content=MERGE
            )


def _remove_namespaces(api: Api) -> None:
    """Empty them of pods and tell them to go: owners first, for they would make pods anew."""
    names = _namespaces(api)

    def empty(kind: str, **query: str) -> None:
        paths = [kind.format(name) for name in names]

        def gone() -> bool:
            for path in paths:
                api.delete(path, **query)
            return not any(api.items(path, limit="1") for path in paths)

        _until(gone, GONE_SECONDS, f"{kind.rpartition('/')[2]} of a day do not go away")

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


def _until(true: Callable[[], bool], seconds: float, complaint: str) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        if time.monotonic() > deadline:
            raise BenchError(f"{complaint} after {seconds:.0f} s; see `kubectl get nodes,pods -A`")
        time.sleep(0.3)


def results_folder(base: Path) -> Path:
    """Where results and rendered stacks are written."""
    folder = base / ".colocation" / "bench-day"
    folder.mkdir(parents=True, exist_ok=True)
    return folder
