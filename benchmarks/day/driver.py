"""Plays a day: services scale, jobs arrive, run, give way, come back and end.

The simulated kubelet starts pods; this ends those of a job once all its workers together have run for as long
as the job takes. A worker that waits for its peers holds its place and makes no progress.
"""

from __future__ import annotations

import copy
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from benchmarks.day.api import MERGE, Api, ApiError, Object
from benchmarks.day.settings import Setting
from benchmarks.day.watch import Observer, Pod
from benchmarks.day.workload import Job, Service, Work
from infra.vocabulary import CHECKPOINT_PATH_ENV, TENSORFLOW_CONTAINER

TICK_SECONDS = 0.2
PATIENCE_HOURS = 3.0
"""A job some of whose workers have held places for so long while others wait is given up by its owner, and
begins anew at the end of the queue: what people do by hand where nothing else resolves it."""
CHECKPOINT_HOURS = 0.5
"""How often a training that has a place for checkpoints writes one."""
ENDING_SECONDS = 5.0
"""After which pods that still run are ended once more: one may have been replaced meanwhile."""
WRITERS = 8


@dataclass
class Run:
    """A job of the day, through all its attempts."""

    job: Job
    manifest: Object
    keeps: bool
    """Whether it begins again where its last checkpoint was."""
    attempt: int = 0
    submitted: bool = False
    ending_since: float | None = None
    done: bool = False
    progress: float = 0.0
    """Hours of training that are not lost."""
    stuck_since: float | None = None
    lost_pod_hours: float = 0.0
    interruptions: int = 0
    deadlocks: int = 0
    failures: int = 0
    """Attempts that the operator declared failed."""
    advanced: bool = False

    @property
    def name(self) -> str:
        """Of the TFJob of this attempt."""
        return self.job.name if self.attempt == 0 else f"{self.job.name}-{self.attempt}"

    @property
    def names(self) -> list[str]:
        """Of all its TFJobs so far."""
        return [self.job.name, *(f"{self.job.name}-{i}" for i in range(1, self.attempt + 1))]

    def interrupted(self) -> None:
        """Progress falls back to what is kept."""
        kept = self.progress // CHECKPOINT_HOURS * CHECKPOINT_HOURS if self.keeps else 0.0
        self.lost_pod_hours += (self.progress - kept) * self.job.workers
        self.progress = kept
        self.interruptions += 1

    def again(self) -> None:
        """A new TFJob, as its owner would submit it."""
        self.attempt += 1
        self.submitted = False
        self.stuck_since = None
        self.ending_since = None
        self.advanced = False


@dataclass
class Day:
    """One day under one setting; `hour_seconds` is how long an hour of it takes."""

    api: Api
    observer: Observer
    setting: Setting
    work: Work
    hour_seconds: float
    stop: threading.Event
    runs: list[Run] = field(default_factory=list)
    began: float = 0.0
    refused: int = 0
    slowest_tick: float = 0.0
    _replicas: dict[str, int] = field(default_factory=dict)
    _writers: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(WRITERS))
    _pending: list[Future[None]] = field(default_factory=list)

    def play(self, hours: float, warm_up_seconds: float) -> tuple[float, float]:
        """Through the day; returns begin and end of what counts, by the observer's clock.

        `warm_up_seconds`: time before the day, in which services and the jobs that are queued start.
        """
        for job in self.work.jobs:
            sent = self.setting.tfjobs[job.name]
            self.runs.append(Run(job, sent, keeps_checkpoints(sent)))
        for service in self.work.services:
            self._write(self.api.create, self.setting.deployment(service))
        self._drain()
        self.began = time.monotonic() + warm_up_seconds
        previous = time.monotonic()
        while (now := time.monotonic()) < self.began + hours * self.hour_seconds:
            if self.stop.is_set():
                raise KeyboardInterrupt
            hour = (now - self.began) / self.hour_seconds
            self._scale(max(hour, 0.0))
            self._train(hour, (now - previous) / self.hour_seconds)
            self._drain(wait=False)
            previous = now
            took = time.monotonic() - now
            self.slowest_tick = max(self.slowest_tick, took)
            time.sleep(max(0.0, TICK_SECONDS - took))
        self._drain()
        return self.began, time.monotonic()

    def shut(self) -> None:
        """Send nothing more."""
        self._writers.shutdown(cancel_futures=True)

    def _scale(self, hour: float) -> None:
        for service in self.work.services:
            wanted = service.wanted(hour)
            if self._replicas.get(service.name) != wanted:
                self._replicas[service.name] = wanted
                self._write(self._scale_to, service, wanted)

    def _train(self, hour: float, passed: float) -> None:
        with self.observer.lock:
            pods: dict[str, list[Pod]] = defaultdict(list)
            for pod in self.observer.pods.values():
                if not pod.online and pod.ended is None:
                    pods[pod.owner].append(pod)
            states = dict(self.observer.jobs)
        for run in self.runs:
            if run.done:
                continue
            if not run.submitted:
                if run.job.arrives <= max(hour, 0.0):
                    run.submitted = True
                    self._write(self.api.create, self._manifest(run))
                continue
            self._look(run, pods.get(run.name, []), states.get(run.name, {}), hour, passed)

    def _look(self, run: Run, pods: list[Pod], state: Iterable[str], hour: float, passed: float) -> None:
        if "Succeeded" in state:
            run.done = True
            self._write(self._remove, run.name)
        elif "Failed" in state:
            if run.advanced:
                run.interrupted()
            run.failures += 1
            self._write(self._remove, run.name)
            run.again()
        elif run.ending_since is not None:
            if time.monotonic() - run.ending_since > ENDING_SECONDS:
                self._end(run, pods)
        else:
            running = sum(pod.runs for pod in pods)
            if running == run.job.workers:
                run.progress += passed
                run.advanced, run.stuck_since = True, None
                if run.progress >= run.job.hours:
                    self._end(run, pods)
                return
            if run.advanced:
                run.interrupted()
                run.advanced = False
            if running == 0:
                run.stuck_since = None
            elif run.stuck_since is None:
                run.stuck_since = hour
            elif hour - run.stuck_since > PATIENCE_HOURS:
                run.deadlocks += 1
                self._write(self._remove, run.name)
                run.again()

    def _end(self, run: Run, pods: Iterable[Pod]) -> None:
        run.ending_since = time.monotonic()
        for pod in pods:
            if pod.runs:
                self._write(self._succeed, pod.name)

    def _manifest(self, run: Run) -> Object:
        sent = copy.deepcopy(run.manifest)
        sent["metadata"]["name"] = run.name
        return sent

    def _scale_to(self, service: Service, wanted: int) -> None:
        path = f"/apis/apps/v1/namespaces/{self.setting.online}/deployments/{service.name}/scale"
        self.api.call("PATCH", path, {"spec": {"replicas": wanted}}, content=MERGE)

    def _remove(self, name: str) -> None:
        path = f"/apis/kubeflow.org/v1/namespaces/{self.setting.offline}/tfjobs/{name}"
        self.api.delete(path, propagationPolicy="Background")

    def _succeed(self, name: str) -> None:
        """What a kubelet says when the training has ended well."""
        path = f"/api/v1/namespaces/{self.setting.offline}/pods/{name}"
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        ended = {"terminated": {"exitCode": 0, "reason": "Completed", "startedAt": now, "finishedAt": now}}
        container = {
            "name": TENSORFLOW_CONTAINER,
            "image": "",
            "imageID": "",
            "ready": False,
            "restartCount": 0,
            "state": ended,
        }
        status = {"phase": "Succeeded", "containerStatuses": [container]}
        self.api.call("PATCH", f"{path}/status", {"status": status}, content=MERGE)

    def _write(self, call: Callable[..., None], *args: Any, **kwargs: Any) -> None:
        self._pending.append(self._writers.submit(call, *args, **kwargs))

    def _drain(self, *, wait: bool = True) -> None:
        """What became of what was written; a pod that is gone meanwhile is no fault."""
        ready = [future for future in self._pending if wait or future.done()]
        self._pending = [future for future in self._pending if future not in ready]
        for future in ready:
            try:
                future.result()
            except ApiError as error:
                if error.status not in (404, 409):
                    raise
                self.refused += 1


def keeps_checkpoints(manifest: Object) -> bool:
    """Whether the training is told where to keep checkpoints."""
    [role] = manifest["spec"]["tfReplicaSpecs"].values()
    variables = role["template"]["spec"]["containers"][0].get("env", [])
    return any(variable["name"] == CHECKPOINT_PATH_ENV for variable in variables)
