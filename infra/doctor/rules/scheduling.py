"""Pods that no node takes: why, by the nodes as they are, beside what the scheduler says."""

from collections.abc import Iterator, Sequence
from decimal import Decimal

from infra.cluster.objects import Object, labels_of, meets, name_of
from infra.cluster.pods import Pod
from infra.doctor.case import MOMENTS_SECONDS, Case
from infra.doctor.rules.faults import PodFault, evidence, role_place, said
from infra.models import Taint
from infra.models.quantities import amount
from infra.pod_resources import shown
from infra.vocabulary import GPU_RESOURCE

_OF_KUBERNETES = "node.kubernetes.io/"
_DEVICE_PLUGIN = (
    "kubectl get pods -A | grep device-plugin: see that it runs on the GPU nodes, with the driver"
)


def of(case: Case, pod: Pod) -> PodFault | None:
    """What keeps a pod from a node."""
    scheduled = pod.condition("PodScheduled")
    if pod.node is not None or pod.phase != "Pending":
        return None
    message = str(scheduled.get("message") or "")
    current = f"{pod.name} is Pending, on no node"
    if scheduled.get("reason") == "SchedulingGated":
        return PodFault(
            severity="warning",
            code="scheduling-gated",
            breaks_at="current",
            cause="something holds its pods back until it lets them be scheduled",
            fix=f"look at spec.schedulingGates: kubectl get pod -n {pod.namespace} {pod.name} -o yaml",
            evidence=evidence(current),
        )
    if scheduled.get("status") != "False":
        if case.state.seconds_since(pod.created) < MOMENTS_SECONDS:
            return None
        return PodFault(
            code="not-scheduled",
            breaks_at="current",
            cause="the scheduler has not looked at its pods",
            fix="see that the scheduler runs: kubectl get pods -n kube-system; "
            f"pods ask for {pod.spec.get('schedulerName', 'default-scheduler')}",
            evidence=evidence(current),
        )
    found = _claims(case, pod, message) or (_nodes(case, pod) if case.state.readable("nodes") else None)
    code, cause, fix = found or ("unschedulable", "no node takes its pods", "see what the scheduler says")
    event = said(case, pod, "FailedScheduling") or f"FailedScheduling: {message}"
    return PodFault(
        severity="warning" if code == "no-room" else "fault",
        code=code,
        breaks_at="events",
        cause=cause,
        fix=fix,
        evidence=evidence(current, event),
    )


_Verdict = tuple[str, str, str]
"""Code, cause, fix."""


def _claims(case: Case, pod: Pod, message: str) -> _Verdict | None:
    for name in pod.claims:
        claim = case.state.find("persistentvolumeclaims", pod.namespace, name)
        phase = ((claim or {}).get("status") or {}).get("phase")
        if phase == "Bound" or not case.state.readable("persistentvolumeclaims"):
            continue
        if claim is None:
            return (
                "claim-absent",
                f"the claim {name} that it mounts is not there",
                f"declare it under storage, or write existing_claim of one that is there; then {case.update}",
            )
        storage_class = (claim.get("spec") or {}).get("storageClassName") or "none"
        told = case.state.about("PersistentVolumeClaim", pod.namespace, name)
        why = f": {told[-1].message}" if told else f" of StorageClass {storage_class}"
        if "immediate" in message or phase == "Lost":
            return (
                "claim-unbound",
                f"the claim {name} is {phase or 'Pending'}, without a volume{why}",
                f"kubectl describe pvc -n {pod.namespace} {name}; write a storage_class that makes volumes, "
                "or have a volume made for it",
            )
    return None


def _nodes(case: Case, pod: Pod) -> _Verdict | None:
    """The first of what all nodes lack, in the order in which it has to be mended."""
    nodes = [node for node in case.state.of("nodes") if _chosen(pod, node)]
    place = role_place(case, pod)
    if not nodes:
        wanted = ",".join(f"{k}={v}" for k, v in (pod.spec.get("nodeSelector") or {}).items())
        asked = f"carries {wanted}" if wanted else "is what its affinity asks for"
        return (
            "no-node-matches",
            f"no node of the cluster {asked}",
            f"label nodes, or change node_selector and affinity of {place.partition('.')[0]}; "
            "see kubectl get nodes --show-labels",
        )
    for resource, asked_for in pod.requests.items():
        largest = max(_allocatable(node, resource) for node in nodes)
        if asked_for > largest:
            return _too_large(resource, asked_for, largest, len(nodes), place)
    roomy = [node for node in nodes if all(v <= _allocatable(node, r) for r, v in pod.requests.items())]
    kept_off = [pod.untolerated(_taints(node)) for node in roomy]
    if roomy and all(kept_off):
        return _tainted(roomy, kept_off, place)
    busy = ", ".join(f"{shown(r, v)} of {r}" for r, v in pod.requests.items()) or "a place"
    return (
        "no-room",
        f"the nodes that it may run on are full: a pod asks for {busy}",
        f"wait for others to end (kubectl get pods -A -o wide), add nodes, or ask for less in {place}",
    )


def _too_large(resource: str, asked: Decimal, largest: Decimal, nodes: int, place: str) -> _Verdict:
    if resource == GPU_RESOURCE and not largest:
        return (
            "gpus-not-allocatable",
            f"a pod asks for {asked:f} {GPU_RESOURCE}, and none of the {nodes} nodes for it offers any",
            _DEVICE_PLUGIN,
        )
    return (
        "larger-than-any-node",
        f"a pod asks for {shown(resource, asked)} of {resource}, "
        f"and the largest node that it may run on has {shown(resource, largest)}",
        f"ask for less in {place}.resources, and for more pods if need be",
    )


def _tainted(nodes: Sequence[Object], kept_off: Sequence[tuple[Taint, ...]], place: str) -> _Verdict:
    taints = {
        f"{t.key}={t.value}:{t.effect}" if t.value else f"{t.key}:{t.effect}": t
        for ts in kept_off
        for t in ts
    }
    listed = ", ".join(sorted(taints))
    names = ", ".join(sorted(map(name_of, nodes))[:4])
    if all(any(t.key.startswith(_OF_KUBERNETES) for t in ts) for ts in kept_off):
        return (
            "nodes-closed",
            f"the nodes that have room for it are cordoned or not ready: {names}",
            f"kubectl uncordon {min(map(name_of, nodes))}, or see why it is not ready: kubectl get nodes",
        )
    return (
        "taint-not-tolerated",
        f"it does not tolerate the taints of the nodes that have room for it: {listed}",
        f"write pool or tolerations in {place.partition('.')[0]}, or the taint in foreign_taints of its pool",
    )


def _chosen(pod: Pod, node: Object) -> bool:
    """Whether node selector and required affinity take the node."""
    labels = {"metadata.name": name_of(node), **labels_of(node)}
    selector = pod.spec.get("nodeSelector") or {}
    affinity = ((pod.spec.get("affinity") or {}).get("nodeAffinity") or {}).get(
        "requiredDuringSchedulingIgnoredDuringExecution"
    ) or {}
    terms = affinity.get("nodeSelectorTerms") or [{}]
    return selector.items() <= labels.items() and any(
        meets((*(term.get("matchExpressions") or ()), *(term.get("matchFields") or ())), labels)
        for term in terms
    )


def _allocatable(node: Object, resource: str) -> Decimal:
    return amount(str(((node.get("status") or {}).get("allocatable") or {}).get(resource, "0")))


def _taints(node: Object) -> Iterator[Taint]:
    for raw in (node.get("spec") or {}).get("taints") or ():
        yield Taint.model_construct(key=raw["key"], value=raw.get("value") or "", effect=raw["effect"])
