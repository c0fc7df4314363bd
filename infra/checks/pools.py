"""Pools: one pool a node, and marks that do not contradict each other."""

from collections.abc import Iterator

from infra.checks.findings import Finding, Subject
from infra.models import PoolSpec
from infra.vocabulary import DOMAIN


def check(subject: Subject) -> Iterator[Finding]:
    """Nodes that two pools claim, then each pool's labels and taints."""
    yield from _shared_nodes(subject.stack.pools)
    yield from _shared_selectors(subject.stack.pools)
    for i, pool in enumerate(subject.stack.pools):
        yield from _labels(i, pool)
        yield from _taints(i, pool)


def _shared_nodes(pools: tuple[PoolSpec, ...]) -> Iterator[Finding]:
    owners: dict[str, str] = {}
    for i, pool in enumerate(pools):
        for j, node in enumerate(pool.nodes):
            owner = owners.setdefault(node, pool.name)
            if owner != pool.name:
                yield Finding(
                    code="node-in-two-pools",
                    place=("pools", i, "nodes", j),
                    message=f"{node} is in pool {owner} already",
                    remedy="leave it in one of the two",
                )


def _shared_selectors(pools: tuple[PoolSpec, ...]) -> Iterator[Finding]:
    for i, pool in enumerate(pools):
        for other in pools[:i]:
            if pool.selector and pool.selector == other.selector:
                yield Finding(
                    code="node-in-two-pools",
                    place=("pools", i, "selector"),
                    message=f"it selects the very nodes of pool {other.name}",
                    remedy="select others, or make one pool of the two",
                )


def _labels(i: int, pool: PoolSpec) -> Iterator[Finding]:
    for key, value in pool.labels.items():
        if key.partition("/")[0] == DOMAIN:
            yield Finding(
                code="label-reserved",
                place=("pools", i, "labels", key),
                message=f"labels of {DOMAIN} are set by this project itself",
                remedy="use a prefix of your own",
            )
        if pool.selector.get(key, value) != value:
            yield Finding(
                code="label-undoes-selector",
                place=("pools", i, "labels", key),
                message=f"nodes are selected by {key}={pool.selector[key]} and then lose it",
                remedy="use another label",
            )


def _taints(i: int, pool: PoolSpec) -> Iterator[Finding]:
    seen: dict[tuple[str, str], str] = {}
    for field in ("taints", "foreign_taints"):
        for j, taint in enumerate(getattr(pool, field)):
            identity = (taint.key, taint.effect)
            if identity in seen:
                yield Finding(
                    code="taint-twice",
                    place=("pools", i, field, j),
                    message=f"{taint.key}:{taint.effect} is in {seen[identity]} already, "
                    "and a node holds one value of it",
                    remedy="keep one",
                )
            seen.setdefault(identity, field)
