"""Node labels and tolerations that jobs write by hand: they name something that is there."""

from collections.abc import Iterator, Mapping
from difflib import get_close_matches

from infra.checks.findings import Finding, Subject
from infra.checks.nodes import Nodes
from infra.checks.parts import mapping, mappings, overrides
from infra.checks.pods import Toleration, Workload
from infra.models import Taint
from infra.models.base import Loc
from infra.vocabulary import GPU_MODEL_LABEL

_KUBERNETES = ("kubernetes.io", "k8s.io")


def check(subject: Subject) -> Iterator[Finding]:
    """Labels that jobs select by, then taints that they tolerate."""
    pools = [Nodes.of(pool) for pool in subject.stack.pools]
    carried = {(key, value) for nodes in pools for key, value in nodes.labels.items()}
    taints = {taint: nodes.name for nodes in pools for taint in nodes.taints}
    for workload in subject.workloads:
        for place, key, value in _selected(workload):
            if (key, value) not in carried and not of_kubernetes(key):
                yield _unknown_label(place, key, value, carried)
        for place, raw in _tolerated(workload):
            yield from _toleration(place, raw, taints)


def of_kubernetes(key: str) -> bool:
    """Whether a label or taint has a prefix that Kubernetes keeps for itself."""
    prefix = key.rpartition("/")[0]
    return any(prefix == domain or prefix.endswith(f".{domain}") for domain in _KUBERNETES)


def _selected(workload: Workload) -> Iterator[tuple[Loc, str, str]]:
    job = workload.job
    for key, value in job.node_selector.items():
        yield (*workload.place, "node_selector", key), key, value
    if job.gpu_model is not None:
        yield (*workload.place, "gpu_model"), GPU_MODEL_LABEL, job.gpu_model
    for place, raws in overrides(workload.place, job):
        for key, raw in mapping(raws.get("nodeSelector")).items():
            if isinstance(raw, str):
                yield (*place, "nodeSelector", key), key, raw


def _unknown_label(place: Loc, key: str, value: str, carried: set[tuple[str, str]]) -> Finding:
    of_key = sorted(v for k, v in carried if k == key)
    close = get_close_matches(value, of_key, n=1)
    if of_key:
        remedy = f"write {close[0]}" if close else f"write one of {', '.join(of_key)}"
    elif key == GPU_MODEL_LABEL:
        remedy = "write gpu_model at the pool that has it"
    else:
        remedy = "declare it among the labels of a pool, or leave it out"
    return Finding(
        severity="warning",
        code="unknown-node-label",
        presumes="pools",
        place=place,
        message=f"no pool of the stack has nodes with {key}={value}",
        remedy=remedy,
    )


def _tolerated(workload: Workload) -> Iterator[tuple[Loc, Mapping[str, object]]]:
    for j, toleration in enumerate(workload.job.tolerations):
        seconds = {"tolerationSeconds": toleration.toleration_seconds}
        yield (
            (*workload.place, "tolerations", j),
            toleration.model_dump(exclude={"toleration_seconds"}) | seconds,
        )
    for place, raws in overrides(workload.place, workload.job):
        yield from mappings((*place, "tolerations"), raws.get("tolerations"))


def _toleration(place: Loc, raw: Mapping[str, object], taints: Mapping[Taint, str]) -> Iterator[Finding]:
    """What the API server refuses (its validation of tolerations), then what does nothing."""
    toleration = Toleration.of(raw)
    refused = None
    if toleration.operator == "Exists" and toleration.value:
        refused = "exists-with-value", "Exists takes any value, and one is given", "remove it, or write Equal"
    elif toleration.operator == "Equal" and not toleration.key:
        refused = "equal-without-key", "Equal compares a key, and none is given", "add key, or write Exists"
    elif raw.get("tolerationSeconds") is not None and toleration.effect != "NoExecute":
        refused = (
            "seconds-without-no-execute",
            "a time to stay belongs to the effect NoExecute",
            "write effect: NoExecute, or leave the time out",
        )
    if refused is not None:
        code, message, remedy = refused
        yield Finding(code=code, place=place, message=message, remedy=remedy)
        return
    if not taints or of_kubernetes(toleration.key) or any(map(toleration.tolerates, taints)):
        return
    same_key = [taint for taint in taints if taint.key == toleration.key]
    if toleration.operator == "Equal" and not toleration.value and same_key:
        said, pool = same_key[0].value, taints[same_key[0]]
        yield Finding(
            severity="warning",
            code="equal-without-value",
            presumes="pools",
            place=place,
            message=f"without a value it tolerates no taint but {toleration.key} without one, and on pool "
            f"{pool} that has the value {said}",
            remedy=f"write value: {said}, or operator: Exists",
        )
        return
    known = sorted({f"{t.key}={t.value}:{t.effect}" for t in (same_key or taints)})
    yield Finding(
        severity="warning",
        code="toleration-without-taint",
        presumes="pools",
        place=place,
        message="it tolerates no taint of any pool",
        remedy=f"leave it out, or make it match one of {', '.join(known)}",
    )
