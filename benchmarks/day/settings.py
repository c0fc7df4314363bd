"""The settings that are compared: what each puts on nodes, pods and namespaces.

`ours` is no list of objects: it is a stack file, and what this project's program makes of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from benchmarks.day import nodes
from benchmarks.day.api import Object
from benchmarks.day.manifests import (
    IMAGE,
    cores,
    deployment,
    memory,
    namespace,
    namespaces,
    offline,
    online,
    priority_class,
    tfjob,
)
from benchmarks.day.workload import Amount, Job, Service, Work
from benchmarks.rendered import objects, resources
from infra.rendered import Resource
from infra.vocabulary import GPU_RESOURCE, POOL_LABEL, TFJOB_KIND

NO_CLASS: Final = "bench-day-none"
"""Stands for no class at all: value 0, which Kubernetes gives where no class is the default. The sandbox's
own stack declares a default class, so a pod that names none would not get 0."""
ARTICLE_CLASS: Final = "bench-day-article"
ARTICLE_TAINT: Final = {"key": "gpu", "value": "reserved", "effect": "NoSchedule"}
ARTICLE_QUOTA: Final = Amount(200, 600)
ARTICLE_CORES: Final = 320
"""Of the six workers here; its quota grows with the nodes."""
CLAIM: Final = "checkpoints"


@dataclass(frozen=True)
class Setting:
    """What is put on the cluster, and how services and jobs look."""

    name: str
    title: str
    objects: tuple[Object, ...]
    """Namespaces first; removed at the end where they were not there before."""
    deployment: Callable[[Service], Object]
    tfjobs: Mapping[str, Object]
    node_taints: Mapping[str, Sequence[Mapping[str, str]]] = field(default_factory=dict)
    """Beside the benchmark's own, by kind of node."""
    node_labels: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """By kind of node."""

    @property
    def online(self) -> str:
        """The namespace of services."""
        return online(self.name)

    @property
    def offline(self) -> str:
        """The namespace of jobs."""
        return offline(self.name)


def separate_pools(work: Work, capacity: Amount, folder: Path) -> Setting:
    """Services and jobs each on nodes of their own, as before the article."""
    return Setting(
        "a",
        "separate pools",
        (*namespaces("a"), priority_class(NO_CLASS, 0)),
        lambda service: deployment("a", service, NO_CLASS, {nodes.PART_LABEL: "online"}),
        {job.name: tfjob("a", job, NO_CLASS, {nodes.PART_LABEL: "offline"}) for job in work.jobs},
    )


def one_pool(work: Work, capacity: Amount, folder: Path) -> Setting:
    """Everything anywhere, nothing set."""
    return Setting(
        "b",
        "one pool, no settings",
        (*namespaces("b"), priority_class(NO_CLASS, 0)),
        lambda service: deployment("b", service, NO_CLASS),
        {job.name: tfjob("b", job, NO_CLASS) for job in work.jobs},
    )


def article(work: Work, capacity: Amount, folder: Path) -> Setting:
    """To the letter: class offline-low of 1000, services without a class, GPU nodes tainted, a quota.

    Services that ask for GPUs tolerate the taint; they could not run anywhere else.
    """
    reserved = {"key": "gpu", "operator": "Equal", "value": "reserved", "effect": "NoSchedule"}
    share = capacity.cpu / ARTICLE_CORES
    hard = {
        "requests.cpu": str(round(ARTICLE_QUOTA.cpu * share)),
        "requests.memory": f"{round(ARTICLE_QUOTA.memory * share)}Gi",
    }
    quota = {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "training", "namespace": offline("c")},
        "spec": {"hard": hard},
    }
    return Setting(
        "c",
        "the article's settings",
        (*namespaces("c"), priority_class(NO_CLASS, 0), priority_class(ARTICLE_CLASS, 1000), quota),
        lambda service: deployment("c", service, NO_CLASS, {}, [reserved] if service.request.gpus else []),
        {job.name: tfjob("c", job, ARTICLE_CLASS, {}, [reserved]) for job in work.jobs},
        node_taints={"gpu": [ARTICLE_TAINT]},
        node_labels={"gpu": {"node-type": "gpu"}},
    )


def ours(work: Work, capacity: Amount, folder: Path) -> Setting:
    """A stack file, rendered by the program; services say nothing and get the default class."""
    return rendered("d", "this project's stack", stack("d", work, capacity), folder)


def queued(work: Work, capacity: Amount, folder: Path) -> Setting:
    """The same stack with queues: jobs wait whole until they fit into what services leave at their peak."""
    content = stack("e", work, capacity.less(work.peak, 1)) | {"queueing": {"install": False}}
    return rendered("e", "this project's stack with queueing", content, folder)


SETTINGS: Final[Mapping[str, Callable[[Work, Amount, Path], Setting]]] = {
    "a": separate_pools,
    "b": one_pool,
    "c": article,
    "d": ours,
    "e": queued,
}


def stack(name: str, work: Work, quota: Amount) -> dict[str, Any]:
    """The stack file of `ours`; its tenant is of the setting of that name."""
    return {
        "production": True,
        "priorities": [
            {"name": "online-high", "value": 100000, "kind": "online", "global_default": True},
            {"name": "offline-low", "value": 1000, "kind": "offline"},
        ],
        "pools": [_pool("cpu", nodes.CPU_NODE), _pool("gpu", nodes.GPU_NODE)],
        "tenants": [
            {
                "name": offline(name),
                "quota": {
                    "requests.cpu": str(int(quota.cpu)),
                    "requests.memory": f"{int(quota.memory)}Gi",
                    f"requests.{GPU_RESOURCE}": str(quota.gpus),
                },
            }
        ],
        "training_operator": {"install": False},
        "storage": [
            {
                "name": CLAIM,
                "tenant": offline(name),
                "size": "1Ti",
                "nfs": {"server": "nfs.example.org", "path": "/checkpoints"},
            }
        ],
        "jobs": [_job(offline(name), job) for job in work.jobs],
    }


def rendered(name: str, title: str, content: Mapping[str, Any], folder: Path) -> Setting:
    """The setting that a stack makes: what the program declares for it, as `colo render` finds it."""
    found = resources(content, folder, name)
    sent = objects(found)
    return Setting(
        name,
        title,
        (namespace(online(name)), *(one for one in sent if one["kind"] != TFJOB_KIND)),
        lambda service: deployment(name, service, None),
        {one["metadata"]["name"]: one for one in sent if one["kind"] == TFJOB_KIND},
        node_labels=_marks(found),
    )


def _marks(found: Sequence[Resource]) -> dict[str, dict[str, str]]:
    """The labels that pools put on nodes, by the kind that a pool selects."""
    pools = [resource.props for resource in found if resource.type.endswith(":NodeMarks")]
    return {
        props["selector"][nodes.KIND_LABEL]: {POOL_LABEL: props["pool"], **props["labels"]} for props in pools
    }


def _pool(kind: str, size: Amount) -> dict[str, Any]:
    return {
        "name": f"bench-{kind}",
        "selector": {nodes.KIND_LABEL: kind},
        "labels": {nodes.LABEL: nodes.VALUE},
        "capacity": {"cpu": int(size.cpu), "memory": f"{int(size.memory)}Gi", "gpus": size.gpus},
        "foreign_taints": [dict(taint) for taint in nodes.TAINTS],
    }


def _job(tenant: str, job: Job) -> dict[str, Any]:
    amounts = {"cpu": cores(job.request), "memory": memory(job.request)}
    return {
        "name": job.name,
        "tenant": tenant,
        "priority": "offline-low",
        **({"pool": "bench-gpu"} if job.request.gpus else {}),
        "image": IMAGE,
        "command": ["train"],
        "volumes": [{"claim": CLAIM, "mount_path": "/checkpoints"}],
        "checkpoint_path": f"/checkpoints/{job.name}",
        "node_selector": {nodes.LABEL: nodes.VALUE},
        "tolerations": [] if job.request.gpus else [dict(toleration) for toleration in nodes.TOLERATIONS],
        "worker": {
            "replicas": job.workers,
            "resources": {"requests": amounts, "limits": amounts, "gpus": job.request.gpus},
        },
    }
