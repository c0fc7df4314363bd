"""Pools: one pool a node, and marks that do not contradict each other."""

from collections.abc import Iterator

from infra.checks.findings import Finding, Subject
from infra.checks.selectors import of_kubernetes
from infra.models import PoolSpec
from infra.vocabulary import DOMAIN

_OF_KUBELET = {
    f"{prefix}kubernetes.io/{name}" for prefix in ("", "beta.") for name in ("arch", "hostname", "os")
}
_FOR_ADMINISTRATORS = ("kubelet", "node", "node-restriction", "node-role", "topology")
"""Of the prefixes that Kubernetes reserves, those whose labels people put on nodes:
https://kubernetes.io/docs/reference/labels-annotations-taints/"""
_OF_CONTROLLERS = ("node.kubernetes.io", "node.cloudprovider.kubernetes.io")


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
        if key in _OF_KUBELET:
            yield Finding(
                code="label-of-kubelet",
                place=("pools", i, "labels", key),
                message="the kubelet writes this label, and writes it again at each start",
                remedy="use a label of your own",
            )
        elif of_kubernetes(key) and not _for_administrators(key):
            yield Finding(
                severity="warning",
                code="label-of-kubernetes",
                place=("pools", i, "labels", key),
                message="the prefixes kubernetes.io and k8s.io belong to Kubernetes",
                remedy="use a prefix of your own, or none",
            )
        if pool.selector.get(key, value) != value:
            yield Finding(
                code="label-undoes-selector",
                place=("pools", i, "labels", key),
                message=f"nodes are selected by {key}={pool.selector[key]} and then lose it",
                remedy="use another label",
            )


def _for_administrators(key: str) -> bool:
    prefix = key.rpartition("/")[0]
    domains = [f"{name}.kubernetes.io" for name in _FOR_ADMINISTRATORS]
    return any(prefix == domain or prefix.endswith(f".{domain}") for domain in domains)


def _taints(i: int, pool: PoolSpec) -> Iterator[Finding]:
    for j, taint in enumerate(pool.taints):
        if taint.key.rpartition("/")[0] in _OF_CONTROLLERS:
            yield Finding(
                code="taint-of-kubernetes",
                place=("pools", i, "taints", j),
                message=f"Kubernetes puts {taint.key} on nodes and takes it away by what it sees there",
                remedy="use a key of your own",
            )
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
