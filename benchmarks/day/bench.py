"""Plays a day under a setting: puts it on the cluster, measures, and takes it away again."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from benchmarks.day import measure, nodes, scheduler_metrics
from benchmarks.day.api import MERGE, Api, ApiError, Object
from benchmarks.day.cluster import MARK, Bench, BenchError, clear, until
from benchmarks.day.driver import Day
from benchmarks.day.results import DayResult, Offline
from benchmarks.day.settings import Setting
from benchmarks.day.watch import Observer
from benchmarks.day.workload import Work
from sandbox.simulated_nodes import manifest

BINS = 48
WARM_UP_SECONDS = 12.0


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
    until(
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
    clear(bench.api)  # or the next day would be played beside what is left to delete of this one
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


def results_folder(base: Path) -> Path:
    """Where results and rendered stacks are written."""
    folder = base / ".colocation" / "bench-day"
    folder.mkdir(parents=True, exist_ok=True)
    return folder
