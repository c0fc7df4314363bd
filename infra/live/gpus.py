"""GPUs: what jobs ask for is what nodes offer; a node offers none until its device plugin runs."""

from collections.abc import Iterator

from components.node_plan import Node
from infra.checks.findings import Finding
from infra.live.nodes import members, node_name
from infra.live.snapshot import Snapshot
from infra.models import JobSpec, Stack
from infra.models.quantities import amount
from infra.vocabulary import GPU_RESOURCE

_PLUGIN = (
    "run NVIDIA's device plugin there (or the GPU operator), with the driver, and let it tolerate the taints"
)


def check(stack: Stack, snapshot: Snapshot) -> Iterator[Finding]:
    """Pools whose jobs ask for GPUs, then each job against the nodes that it may run on."""
    if snapshot.nodes is None:
        return
    for i, pool in enumerate(stack.pools):
        if any(job.pool == pool.name and _most(job) for job in stack.jobs):
            yield from _idle(i, members(pool, snapshot.nodes))
    for i, job in enumerate(stack.jobs):
        yield from _too_many(stack, snapshot.nodes, i, job)


def offered(node: Node) -> int:
    """GPUs that a node's pods can have together."""
    return int(amount(str((node.get("status") or {}).get("allocatable", {}).get(GPU_RESOURCE, "0"))))


def _idle(i: int, nodes: tuple[Node, ...]) -> Iterator[Finding]:
    without = [node_name(node) for node in nodes if not offered(node)]
    if without:
        none = len(without) == len(nodes)
        count = "no node of it offers" if none else f"{len(without)} of its {len(nodes)} nodes do not offer"
        yield Finding(
            severity="fault" if none else "warning",
            code="gpus-not-allocatable",
            place=("pools", i),
            message=f"jobs of the pool ask for {GPU_RESOURCE}, and {count} it: {', '.join(without)}",
            remedy=_PLUGIN,
        )


def _most(job: JobSpec) -> int:
    """The most GPUs that a pod of the job asks for."""
    return max(spec.resources.gpus for _, spec in job.roles())


def _too_many(stack: Stack, nodes: tuple[Node, ...], i: int, job: JobSpec) -> Iterator[Finding]:
    pool = next((pool for pool in stack.pools if pool.name == job.pool), None)
    where = f"pool {pool.name}" if pool else "the cluster"
    offers = [offered(node) for node in (members(pool, nodes) if pool else nodes)]
    largest = max(offers, default=0)
    if pool and not largest:
        return  # said of the pool's nodes already
    for role, spec in job.roles():
        if spec.resources.gpus > largest:
            most = f"the most that a node of {where} offers is {largest}" if largest else "no node offers any"
            yield Finding(
                code="gpus-not-allocatable",
                place=("jobs", i, role, "resources", "gpus"),
                message=f"a pod asks for {spec.resources.gpus} of {GPU_RESOURCE}, and {most}",
                remedy="ask for fewer a pod, and for more pods" if largest else _PLUGIN,
            )
