"""Pools and the nodes that they meet: there, free to be marked, and in one pool."""

from collections.abc import Iterator
from difflib import get_close_matches

from components.node_plan import Marks, Node, claimant, conflicts, taint_id
from components.rendering.node_marks import node_marks
from infra.checks.findings import Finding
from infra.live.snapshot import Snapshot
from infra.models import PoolSpec, Stack
from infra.models.base import Loc
from infra.vocabulary import POOL_LABEL, STACK_LABEL

_CLAIM = (POOL_LABEL, STACK_LABEL)


def check(stack: Stack, stack_name: str, snapshot: Snapshot) -> Iterator[Finding]:
    """The nodes of each pool, and what others put on them, pools of other stacks included."""
    if snapshot.nodes is None:
        return
    held: dict[str, str] = {}
    for i, pool in enumerate(stack.pools):
        found = members(pool, snapshot.nodes)
        yield from _absent(i, pool, snapshot.nodes)
        if pool.selector and not found:
            yield _idle_selector(i, pool)
        for node in found:
            name = node_name(node)
            owner = held.setdefault(name, pool.name)
            if owner != pool.name:
                yield _twice(i, pool, name, owner)
            else:
                yield from _marks(stack, stack_name, i, pool, node)


def members(pool: PoolSpec, nodes: tuple[Node, ...]) -> tuple[Node, ...]:
    """The nodes that a pool meets in the cluster."""
    if pool.selector:
        wanted = pool.selector.items()
        return tuple(node for node in nodes if wanted <= (node["metadata"].get("labels") or {}).items())
    return tuple(node for node in nodes if node_name(node) in pool.nodes)


def node_name(node: Node) -> str:
    return str(node["metadata"]["name"])


def member_place(i: int, pool: PoolSpec, name: str) -> Loc:
    """What in the pool names the node."""
    return ("pools", i, "nodes", pool.nodes.index(name)) if pool.nodes else ("pools", i, "selector")


def _absent(i: int, pool: PoolSpec, nodes: tuple[Node, ...]) -> Iterator[Finding]:
    there = [node_name(node) for node in nodes]
    for name in pool.nodes:
        if name not in there:
            others = [other for other in there if other not in pool.nodes]
            near = get_close_matches(name, others, n=1, cutoff=0.8)
            yield Finding(
                code="node-absent",
                place=member_place(i, pool, name),
                message=f"the cluster has no node {name}",
                remedy=f"write {near[0]}, or let it join"
                if near
                else "let it join, or take it out of the pool",
            )


def _idle_selector(i: int, pool: PoolSpec) -> Finding:
    wanted = ",".join(f"{key}={value}" for key, value in pool.selector.items())
    return Finding(
        severity="warning",
        code="selector-selects-nothing",
        place=("pools", i, "selector"),
        message=f"no node of the cluster carries {wanted}, so jobs of the pool would wait",
        remedy="select by labels that nodes carry (kubectl get nodes --show-labels)",
    )


def _twice(i: int, pool: PoolSpec, name: str, owner: str) -> Finding:
    return Finding(
        code="node-selected-twice",
        place=member_place(i, pool, name),
        message=f"node {name} is in pool {owner} too",
        remedy="select so that each node is in one pool",
    )


def _marks(stack: Stack, stack_name: str, i: int, pool: PoolSpec, node: Node) -> Iterator[Finding]:
    marks = Marks.wanted(node_marks(pool, stack_name))
    in_the_way = list(conflicts(node, marks))
    for conflict in in_the_way:
        place = _label_place(i, pool, conflict.key, node)
        if conflict.field == "taints":
            declared = [taint_id(taint.model_dump()) for taint in pool.taints]
            place = ("pools", i, "taints", declared.index(conflict.key))
        yield Finding(
            code="node-label-of-others" if conflict.field == "labels" else "node-taint-of-others",
            place=place,
            message=conflict.message,
            remedy=conflict.remedy,
        )
    other = claimant(node, marks)
    # A pool of this stack that no longer holds the node lets it go in the same update.
    if (
        other
        and other not in {p.name for p in stack.pools}
        and not any(conflict.key in _CLAIM for conflict in in_the_way)
    ):
        yield Finding(
            code="node-claimed",
            place=member_place(i, pool, node_name(node)),
            message=f"node {node_name(node)} is held by pool {other}, which is not of this stack",
            remedy="leave it to that pool; of a renamed pool or stack, take away the old one first",
        )


def _label_place(i: int, pool: PoolSpec, key: str, node: Node) -> Loc:
    return ("pools", i, "labels", key) if key in pool.labels else member_place(i, pool, node_name(node))
