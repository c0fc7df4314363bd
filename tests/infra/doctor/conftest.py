"""A small cluster in which the small stack of tests/infra/conftest.py runs and is well."""

import copy
import dataclasses
from datetime import UTC, datetime, timedelta

import pytest

from infra.cluster.events import Event
from infra.cluster.jobs import TFJob
from infra.cluster.logs import Log, Source
from infra.cluster.pods import Pod
from infra.cluster.state import State
from infra.doctor import Case, diagnose
from infra.models import Stack
from infra.plan import plan
from tests.infra.live.conftest import HEALTHY

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)


def ago(seconds):
    return (NOW - timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")


def named(name, namespace="vision", *, age=3600, labels=None, **parts):
    metadata = {"name": name, "creationTimestamp": ago(age), "labels": labels or {}, "uid": f"{name}-uid"}
    return {"metadata": metadata | ({"namespace": namespace} if namespace else {}), **parts}


def tfjob(name="mnist", state="Running", *, since=60, replicas=None, message="", policy=None, labels=None):
    conditions = [{"type": "Created", "status": "True", "lastTransitionTime": ago(since)}]
    if state not in ("", "Created"):
        conditions[:] = [{"type": "Created", "status": "True"}]
        conditions.append(
            {"type": state, "status": "True", "lastTransitionTime": ago(since), "message": message}
        )
    specs = {role: {"replicas": n} for role, n in (replicas or {"Worker": 1}).items()}
    spec = {"tfReplicaSpecs": specs, "runPolicy": {"cleanPodPolicy": "Running"} | (policy or {})}
    return named(name, spec=spec, status={"conditions": conditions if state else []}, labels=labels)


def container(name="tensorflow", *, restarts=0, state=None, last=None):
    return {
        "name": name,
        "restartCount": restarts,
        "state": state or {"running": {"startedAt": ago(60)}},
        "lastState": {"terminated": last} if last else {},
    }


def waiting(reason, message=""):
    return {"waiting": {"reason": reason, "message": message}}


def ended(code, reason="Error", message=""):
    return {"exitCode": code, "reason": reason, "message": message}


def pod(
    name="mnist-worker-0",
    phase="Running",
    *,
    job="mnist",
    node="n1",
    statuses=None,
    spec=None,
    age=60,
    resources=None,
    env=(),
    **status,
):
    role, _, index = name.removeprefix(f"{job}-").rpartition("-")
    labels = {
        "training.kubeflow.org/job-name": job,
        "training.kubeflow.org/replica-type": role,
        "training.kubeflow.org/replica-index": index,
    }
    main = {
        "name": "tensorflow",
        "image": "registry.example/mnist:1.4",
        "command": ["train"],
        "env": list(env),
    }
    main["resources"] = resources or {"limits": {"memory": "1Gi", "nvidia.com/gpu": "1"}}
    plain = {"containers": [main], "nodeName": node}
    found = {"phase": phase, "containerStatuses": [container()] if statuses is None else statuses, **status}
    return named(name, labels=labels, spec=plain | (spec or {}), status=found, age=age)


def unscheduled(message="0/3 nodes are available", **change):
    conditions = [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message}]
    return pod(phase="Pending", node=None, statuses=[], conditions=conditions, **change)


def node(name, *, gpus="4", labels=None, taints=()):
    allocatable = {"cpu": "8", "memory": "32Gi"} | ({"nvidia.com/gpu": gpus} if gpus else {})
    return named(
        name, None, labels=labels, spec={"taints": list(taints)}, status={"allocatable": allocatable}
    )


def event(reason, message, about="mnist-worker-0", kind="Pod", *, warns=True, count=1, uid=None):
    return {
        "metadata": {"name": f"{about}.{reason}.{count}", "namespace": "vision"},
        "involvedObject": {"kind": kind, "namespace": "vision", "name": about, "uid": uid or f"{about}-uid"},
        "reason": reason,
        "message": message,
        "type": "Warning" if warns else "Normal",
        "count": count,
        "lastTimestamp": ago(5),
    }


def operator(ready=1, replicas=1):
    labels = {"control-plane": "kubeflow-training-operator"}
    spec = {"replicas": replicas, "selector": {"matchLabels": labels}}
    return named("training-operator", spec=spec, status={"readyReplicas": ready})


def operators_pod():
    labels = {"control-plane": "kubeflow-training-operator"}
    spec = {"containers": [{"name": "training-operator"}], "nodeName": "n1"}
    return named("training-operator-1", labels=labels, spec=spec, status={"phase": "Running"})


WELL = {
    "namespaces": [named("vision", None), named("kube-system", None)],
    "nodes": [node("n1"), node("n2"), node("other", gpus=None)],
    "services": [],
    "endpointslices": [],
    "persistentvolumeclaims": [named("data", status={"phase": "Bound"})],
    "resourcequotas": [],
    "limitranges": [],
    "deployments": [operator()],
    "cronjobs": [],
    "networkpolicies": [],
    "priorityclasses": [named("online-high", None), named("offline-low", None)],
}


class Clinic:
    """Changes the healthy case, and looks at what it has become."""

    def __init__(self, ready):
        self.ready = ready
        self.kinds = copy.deepcopy(WELL)
        self.jobs, self.pods, self.events = [tfjob()], [pod()], []
        self.logs, self.live, self.change = {}, {}, {}
        self.here = NOW

    def log(self, text, name="mnist-worker-0", container="tensorflow", *, before=False, last=None):
        self.logs[Source("vision", name, container, before)] = Log(tuple(text.splitlines()), last)

    def case(self):
        state = State(
            now=NOW,
            here=self.here,
            kinds=self.kinds,
            jobs=None if self.jobs is None else tuple(map(TFJob, self.jobs)),
            pods=None if self.pods is None else tuple(map(Pod, [*self.pods, operators_pod()])),
            events=tuple(map(Event, self.events)),
        )
        live = dataclasses.replace(HEALTHY, **self.live)
        return Case(stack=self.ready.stack, name="dev", state=state, live=live, logs=self.logs, **self.change)

    def found(self):
        return diagnose(self.case(), self.ready)

    def only(self, code=None):
        """The one diagnosis there is."""
        found = self.found()
        assert len(found) == 1, found
        assert code in (None, found[0].code), found
        return found[0]


@pytest.fixture
def clinic(stack_file, data):
    return Clinic(plan(stack_file(data)))


@pytest.fixture
def clinic_of(stack_file):
    """The same, of a changed stack."""
    return lambda data: Clinic(plan(stack_file(Stack.model_validate(data) and data)))
