"""Pods against the nodes that the stack declares. Others may be there too: what is not known is no fault."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal, Self

from infra.checks.findings import Finding, Subject
from infra.checks.pods import Pods, Requirement, Workload
from infra.models import JobSpec, PoolSpec, Taint
from infra.models.base import Loc
from infra.models.quantities import amount
from infra.pod_resources import Quantities, shown
from infra.vocabulary import GPU_MODEL_LABEL, GPU_RESOURCE, POOL_LABEL


@dataclass(frozen=True, kw_only=True)
class Nodes:
    """What is known of the nodes of one pool."""

    name: str
    labels: Mapping[str, str]
    taints: tuple[Taint, ...]
    capacity: Quantities | None
    number: int | None
    """How many; None where a selector finds them."""
    gpu_model: str | None

    @classmethod
    def of(cls, pool: PoolSpec) -> Self:
        """A pool's nodes carry what selects them and what the stack puts on them."""
        model = {GPU_MODEL_LABEL: pool.gpu_model} if pool.gpu_model is not None else {}
        capacity = None
        if pool.capacity is not None:
            capacity = {
                "cpu": amount(pool.capacity.cpu),
                "memory": amount(pool.capacity.memory),
                GPU_RESOURCE: Decimal(pool.capacity.gpus),
            }
        return cls(
            name=pool.name,
            labels={POOL_LABEL: pool.name, **pool.selector, **model, **pool.labels},
            taints=(*pool.taints, *pool.foreign_taints),
            capacity=capacity,
            number=len(pool.nodes) or None,
            gpu_model=pool.gpu_model,
        )

    @property
    def may_have_gpus(self) -> bool:
        """Whether nothing says that they have none."""
        return self.capacity is None or self.capacity[GPU_RESOURCE] > 0

    def lacking(self, need: Quantities) -> Iterator[str]:
        """The resources of which one node has too little for a pod, as far as that is known."""
        capacity = self.capacity or {}
        for resource, value in need.items():
            if resource in capacity and value > capacity[resource]:
                yield resource

    def chosen(self, terms: Iterable[Iterable[Requirement]]) -> bool | None:
        """True: pods ask for these nodes. False: they shut them out. None: neither, as far as is known."""
        verdicts = [self._meets(term) for term in terms]
        if True in verdicts:
            return True
        return None if None in verdicts else False

    def refused(self, terms: Iterable[Iterable[Requirement]]) -> Iterator[Requirement]:
        """What the pods ask for and these nodes do not have."""
        for term in terms:
            yield from (wanted for wanted in term if self._holds(wanted) is False)

    def _meets(self, term: Iterable[Requirement]) -> bool | None:
        verdicts = [self._holds(wanted) for wanted in term]
        if False in verdicts:
            return False
        return True if True in verdicts else None

    def _holds(self, wanted: Requirement) -> bool | None:
        key, operator, values = wanted
        if key not in self.labels:
            return None  # a label that the stack does not know of may be there all the same
        if operator == "In":
            return self.labels[key] in values
        if operator == "Exists":
            return True
        # These keep nodes out, and ask for none in particular.
        if operator == "DoesNotExist" or (operator == "NotIn" and self.labels[key] in values):
            return False
        return None


def check(subject: Subject) -> Iterator[Finding]:
    """The pods of every job."""
    pools = tuple(Nodes.of(pool) for pool in subject.stack.pools)
    known = {nodes.name for nodes in pools}
    for workload in subject.workloads:
        if workload.job.pool is None or workload.job.pool in known:
            places = [(pods, [n for n in pools if n.chosen(pods.node_terms)]) for pods in workload.pods]
            for pods, chosen in places:
                yield from _pods(workload.job, pods, pools, chosen)
            yield from _whole(workload, places)


def _pods(job: JobSpec, pods: Pods, pools: tuple[Nodes, ...], chosen: list[Nodes]) -> Iterator[Finding]:
    if chosen:
        yield from _chosen(job, pods, chosen)
        return
    named = {values for term in pods.node_terms for key, _, values in term if key == POOL_LABEL}
    for nodes in pools:
        if (nodes.name,) in named:  # and still not chosen
            key, operator, values = next(nodes.refused(pods.node_terms))
            yield Finding(
                code="selector-contradicts-pool",
                place=(*pods.place[:2], *_asking(job, key)),
                message=f"the nodes of pool {nodes.name} have {key}={nodes.labels[key]}, and the pods "
                f"ask for {', '.join(values) if operator == 'In' else 'nodes without it'}",
                remedy="leave it out, or name another pool",
            )
            return
    yield from _anywhere(pods, pools)


def _asking(job: JobSpec, key: str) -> Loc:
    """Where a job asks for a node label."""
    if key in job.node_selector:
        return ("node_selector", key)
    if key == GPU_MODEL_LABEL and job.gpu_model is not None:
        return ("gpu_model",)
    if any(term.key == key for term in job.affinity.node_affinity):
        return ("affinity", "node_affinity")
    return ("pod_overrides",) if job.pod_overrides else ("pool",)


def _chosen(job: JobSpec, pods: Pods, chosen: list[Nodes]) -> Iterator[Finding]:
    """Pods that ask for the nodes of certain pools: they go there or nowhere."""
    admitting = [nodes for nodes in chosen if pods.admitted(nodes.taints)]
    if not admitting:
        nodes = chosen[0]
        taint = next(pods.untolerated(nodes.taints))
        said = f"{taint.key}={taint.value}" if taint.value else taint.key
        key = next(key for term in pods.node_terms for key, _, _ in term if key in nodes.labels)
        yield Finding(
            code="untolerated-taint",
            place=(*pods.place[:2], *_asking(job, key)),
            message=f"the {pods.role} pods ask for the nodes of pool {nodes.name}, and do not tolerate "
            f"their taint {said}:{taint.effect}",
            remedy=f"write pool: {nodes.name}, which brings what its pods need"
            if job.pool != nodes.name
            else "leave the tolerations out of pod_overrides, and write them under tolerations",
            presumes="pools",
        )
    elif all(any(nodes.lacking(pods.requests)) for nodes in admitting):
        yield _too_large(pods, admitting, "fault")


def _anywhere(pods: Pods, pools: tuple[Nodes, ...]) -> Iterator[Finding]:
    """Pods that no pool is meant for: declared nodes that let them in, or others, take them."""
    open_to = [n for n in pools if n.chosen(pods.node_terms) is None and pods.admitted(n.taints)]
    gpus = pods.requests.get(GPU_RESOURCE)
    if gpus:
        having = [nodes.name for nodes in pools if nodes.may_have_gpus]
        if not having:
            yield Finding(
                code="no-gpus-declared",
                place=(*pods.place, "resources", "gpus"),
                message="GPUs are asked for, and no pool of the stack has nodes with GPUs",
                remedy="declare them as a pool, and name it in the job",
                presumes="pools",
            )
            return
        open_to = [nodes for nodes in open_to if nodes.may_have_gpus]
        if not open_to:
            yield Finding(
                severity="warning",
                code="gpus-without-pool",
                place=(*pods.place, "resources", "gpus"),
                message="GPUs are asked for and no pool, and no node with GPUs that the stack declares lets "
                "the pods in",
                remedy=f"name the pool that holds the GPUs: pool: {having[0]}",
                presumes="pools",
            )
    if open_to and all(nodes.capacity and any(nodes.lacking(pods.requests)) for nodes in open_to):
        yield _too_large(pods, open_to, "warning")


def _too_large(pods: Pods, pools: list[Nodes], severity: Literal["fault", "warning"]) -> Finding:
    lacking = list(dict.fromkeys(r for nodes in pools for r in nodes.lacking(pods.requests)))
    largest = max(pools, key=lambda nodes: [(nodes.capacity or {}).get(r, Decimal(0)) for r in lacking])
    need = _listed({r: pods.requests[r] for r in lacking})
    has = _listed({r: (largest.capacity or {})[r] for r in lacking})
    return Finding(
        severity=severity,
        code="pod-fits-no-node",
        place=(*pods.place, "resources"),
        message=f"a pod needs {need}, and the largest node that takes it, in pool {largest.name}, has {has}",
        remedy="ask for less in each pod, or declare larger nodes",
        presumes="pools",
    )


def _whole(workload: Workload, places: list[tuple[Pods, list[Nodes]]]) -> Iterator[Finding]:
    """All pods of a job that one pool is meant for run at once, or the job waits for ever."""
    meant: dict[str, list[Pods]] = {}
    for pods, chosen in places:
        if len(chosen) == 1 and not any(chosen[0].lacking(pods.requests)):
            meant.setdefault(chosen[0].name, []).append(pods)
    pools = {nodes.name: nodes for _, chosen in places for nodes in chosen}
    for name, groups in meant.items():
        number, capacity = pools[name].number, pools[name].capacity
        if number is None or capacity is None:
            continue
        for resource, of_one in capacity.items():
            need = sum((p.replicas * p.requests.get(resource, Decimal(0)) for p in groups), Decimal(0))
            if need > number * of_one:
                yield Finding(
                    code="job-exceeds-pool",
                    place=workload.place,
                    message=f"its pods together need {_listed({resource: need})}, and the {number} nodes of "
                    f"pool {name} have {_listed({resource: number * of_one})}",
                    remedy="lower replicas or amounts, or add nodes to the pool",
                )


def _listed(amounts: Quantities) -> str:
    return ", ".join(f"{shown(resource, value)} {resource}" for resource, value in amounts.items())
