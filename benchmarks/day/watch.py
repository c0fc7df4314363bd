"""Sees every pod of the benchmark through watches, and notes when what happened to it."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from benchmarks.day.api import Api, Object
from benchmarks.day.workload import Amount
from infra.models.quantities import amount
from infra.vocabulary import GPU_RESOURCE, JOB_NAME_LABEL

SERVICE_LABEL = "app"


@dataclass
class Pod:
    """A pod and its moments, in seconds of the observer's clock; None: not yet."""

    uid: str
    name: str
    online: bool
    owner: str
    """The service, or the TFJob."""
    request: Amount
    created: float
    bound: float | None = None
    running: float | None = None
    leaving: float | None = None
    """Told to end."""
    ended: float | None = None
    """Its place on the node is free again."""
    preempted: bool = False
    succeeded: bool = False

    @property
    def runs(self) -> bool:
        return self.running is not None and self.leaving is None and self.ended is None


@dataclass
class Observer:
    """Everything seen so far. Reading needs the lock."""

    api: Api
    online_namespace: str
    offline_namespace: str
    lock: threading.RLock = field(default_factory=threading.RLock)
    pods: dict[str, Pod] = field(default_factory=dict)
    jobs: dict[str, Mapping[str, str]] = field(default_factory=dict)
    """Conditions of TFJobs, by name."""
    worst_lag: float = 0.0
    """Seconds between a pod's creation by the server's clock, which has whole ones, and its event here."""
    _stop: threading.Event = field(default_factory=threading.Event)
    _threads: list[threading.Thread] = field(default_factory=list)

    def start(self) -> None:
        pods, jobs = "/api/v1/namespaces/{}/pods", "/apis/kubeflow.org/v1/namespaces/{}/tfjobs"
        for path in (
            pods.format(self.online_namespace),
            pods.format(self.offline_namespace),
            jobs.format(self.offline_namespace),
        ):
            thread = threading.Thread(target=self._follow, args=(path,), daemon=True)
            thread.start()
            self._threads.append(thread)

    def stop(self) -> None:
        """Take no further events; the threads end with their next one."""
        self._stop.set()

    def _follow(self, path: str) -> None:
        while not self._stop.is_set():
            try:
                version = self.api.call("GET", path, limit="1")["metadata"]["resourceVersion"]
                for event in self.api.watch(path, version):
                    if self._stop.is_set():
                        return
                    if event["type"] == "ERROR":
                        break
                    self.take(event["type"], event["object"], time.monotonic(), time.time())
            except Exception:
                if self._stop.wait(0.2):
                    return

    def take(self, kind: str, seen: Object, now: float, wall: float) -> None:
        """Note one event."""
        with self.lock:
            if seen["kind"] == "Pod":
                self._pod(kind, seen, now, wall)
            elif kind == "DELETED":
                self.jobs.pop(seen["metadata"]["name"], None)
            else:
                conditions = (seen.get("status") or {}).get("conditions") or []
                self.jobs[seen["metadata"]["name"]] = {
                    c["type"]: c.get("reason", "") for c in conditions if c["status"] == "True"
                }

    def _pod(self, kind: str, seen: Object, now: float, wall: float) -> None:
        uid = seen["metadata"]["uid"]
        pod = self.pods.get(uid)
        if pod is None:
            if kind == "DELETED":
                return
            pod = self.pods[uid] = _pod(seen, self.online_namespace, now)
            stamp = datetime.fromisoformat(seen["metadata"]["creationTimestamp"]).timestamp()
            self.worst_lag = max(self.worst_lag, wall - stamp - 1)
        status = seen.get("status") or {}
        phase = status.get("phase")
        conditions = status.get("conditions") or []
        if pod.bound is None and seen["spec"].get("nodeName"):
            pod.bound = now
        if pod.running is None and phase == "Running":
            pod.running = now
        if pod.leaving is None and seen["metadata"].get("deletionTimestamp"):
            pod.leaving = now
        if any(
            c["type"] == "DisruptionTarget" and c["reason"] == "PreemptionByScheduler" for c in conditions
        ):
            pod.preempted = True
        if phase == "Succeeded":
            pod.succeeded = True
        if pod.ended is None and (kind == "DELETED" or phase in ("Succeeded", "Failed")):
            pod.ended = now


def _pod(seen: Object, online_namespace: str, now: float) -> Pod:
    metadata = seen["metadata"]
    online = metadata["namespace"] == online_namespace
    label = SERVICE_LABEL if online else JOB_NAME_LABEL
    return Pod(
        uid=metadata["uid"],
        name=metadata["name"],
        online=online,
        owner=metadata.get("labels", {}).get(label, ""),
        request=requested(seen["spec"]),
        created=now,
    )


def requested(spec: Object) -> Amount:
    """By all containers of a pod."""
    total = Amount(0, 0)
    for container in spec["containers"]:
        requests = (container.get("resources") or {}).get("requests") or {}
        total += Amount(
            float(amount(requests.get("cpu", "0"))),
            float(amount(requests.get("memory", "0"))) / 2**30,
            int(requests.get(GPU_RESOURCE, 0)),
        )
    return total
