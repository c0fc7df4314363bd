"""What a cluster holds at one moment, as far as training and what it stands on are concerned.

A list is None where it may not be read: nothing is concluded of it.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from infra.cluster.api_server import ApiServer
from infra.cluster.events import Event
from infra.cluster.jobs import TFJob
from infra.cluster.objects import Key, Object, Unread, created, key_of, name_of
from infra.cluster.pods import Pod
from infra.vocabulary import MONITORING_API_VERSION, QUEUE_API_VERSION, TRAINING_API_VERSION

_PATHS = {
    "namespaces": "/api/v1/namespaces",
    "nodes": "/api/v1/nodes",
    "pods": "/api/v1/pods",
    "services": "/api/v1/services",
    "endpointslices": "/apis/discovery.k8s.io/v1/endpointslices",
    "persistentvolumeclaims": "/api/v1/persistentvolumeclaims",
    "resourcequotas": "/api/v1/resourcequotas",
    "limitranges": "/api/v1/limitranges",
    "deployments": "/apis/apps/v1/deployments",
    "cronjobs": "/apis/batch/v1/cronjobs",
    "networkpolicies": "/apis/networking.k8s.io/v1/networkpolicies",
    "priorityclasses": "/apis/scheduling.k8s.io/v1/priorityclasses",
}
OVERVIEW = ("pods", "resourcequotas")
"""What an overview of jobs needs beside them."""
_JOBS = f"/apis/{TRAINING_API_VERSION}/tfjobs"
_MONITORING = {
    kind: f"/apis/{MONITORING_API_VERSION}/{kind}"
    for kind in ("prometheuses", "podmonitors", "servicemonitors")
}
"""Kinds that a cluster may not know."""
_QUEUES = {
    kind: f"/apis/{QUEUE_API_VERSION}/{kind}" for kind in ("clusterqueues", "localqueues", "workloads")
}
"""Kinds that a cluster may not know, of stacks with queues."""
_EVENTS = (
    # Of the many that go well only those that tell one pod from another of its name.
    "type=Warning",
    "reason=SuccessfulCreatePod",
    "reason=Killing",
    "reason=Preempted",
    "reason=TaintManagerEviction",
)


@dataclass(frozen=True, kw_only=True)
class State:
    """Objects by kind, as RBAC names kinds; jobs, pods and events with names for their parts."""

    now: datetime
    """By the cluster's clock."""
    here: datetime
    """The same moment by the clock of this machine."""
    kinds: Mapping[str, Sequence[Object] | None]
    jobs: tuple[TFJob, ...] | None
    pods: tuple[Pod, ...] | None
    events: tuple[Event, ...] | None
    unread: tuple[Unread, ...] = ()

    def of(self, kind: str) -> Sequence[Object]:
        """All objects of a kind; none where they may not be read."""
        return self.kinds.get(kind) or ()

    def readable(self, kind: str) -> bool:
        return self.kinds.get(kind) is not None

    def find(self, kind: str, namespace: str, name: str) -> Object | None:
        """One object, by name."""
        return self._by_key[kind].get((namespace, name))

    def pods_of(self, job: TFJob) -> Sequence[Pod]:
        """The pods of a job, in the order of their names."""
        return self._pods_by_job.get((job.namespace, job.name), ())

    def about(self, kind: str, namespace: str, name: str, uid: str = "") -> Sequence[Event]:
        """The events about an object, the newest last; with a uid, not those about one before it."""
        found = self._events_by_object.get((kind, namespace, name), ())
        return [event for event in found if not uid or event.uid in ("", uid)]

    def job(self, namespace: str, name: str) -> TFJob | None:
        return self._jobs_by_key.get((namespace, name))

    def seconds_since(self, time: datetime | None) -> float:
        """Age of something; none where the time is not known."""
        return 0.0 if time is None else (self.now - time).total_seconds()

    def seconds_since_created(self, item: Object) -> float:
        """Age of an object."""
        return self.seconds_since(created(item))

    @cached_property
    def _by_key(self) -> Mapping[str, Mapping[Key, Object]]:
        return {kind: {key_of(item): item for item in self.of(kind)} for kind in self.kinds}

    @cached_property
    def _jobs_by_key(self) -> Mapping[Key, TFJob]:
        return {(job.namespace, job.name): job for job in self.jobs or ()}

    @cached_property
    def _pods_by_job(self) -> Mapping[Key, Sequence[Pod]]:
        found: dict[Key, list[Pod]] = defaultdict(list)
        for pod in sorted(self.pods or (), key=lambda pod: (pod.role, pod.index)):
            if pod.job is not None:
                found[pod.namespace, pod.job].append(pod)
        return found

    @cached_property
    def _events_by_object(self) -> Mapping[tuple[str, str, str], Sequence[Event]]:
        found: dict[tuple[str, str, str], list[Event]] = defaultdict(list)
        for event in sorted(
            self.events or (), key=lambda event: (event.at is not None, event.at or self.now)
        ):
            found[event.about].append(event)
        return found


def read(server: ApiServer, wanted: Collection[str] | None = None, *, queues: bool = False) -> State:
    """One look at the cluster: a list for each kind, nothing for each object.

    `wanted`: TFJobs and these kinds alone. `queues`: and how jobs stand in their queues.
    """
    kinds = {kind: server.items(path) for kind, path in _PATHS.items() if wanted is None or kind in wanted}
    if wanted is None:
        kinds |= {k: server.items(path, absent_is_empty=True) for k, path in _MONITORING.items()}
    if queues:
        kinds |= {k: server.items(path, absent_is_empty=True) for k, path in _QUEUES.items()}
    jobs = _tfjobs(server)
    pods = kinds.get("pods")
    return State(
        now=server.now,
        here=server.here,
        kinds=kinds,
        jobs=None if jobs is None else tuple(map(TFJob, jobs)),
        pods=None if pods is None else tuple(map(Pod, pods)),
        events=_events(server) if wanted is None else None,
        unread=server.unread,
    )


def _tfjobs(server: ApiServer) -> Sequence[Object] | None:
    """A server without the definition has none of them, and that is no refusal."""
    return server.items(_JOBS, absent_is_empty=True)


def _events(server: ApiServer) -> tuple[Event, ...] | None:
    found: dict[str, Event] = {}
    for selector in _EVENTS:
        items = server.items("/api/v1/events", fieldSelector=selector)
        if items is None:
            return None
        found |= {f"{item['metadata'].get('namespace')}/{name_of(item)}": Event(item) for item in items}
    return tuple(found.values())
