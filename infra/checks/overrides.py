"""`pod_overrides`: fields that a pod has, of the right kind, and none that undoes what the stack is for."""

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any

from infra.checks.findings import Finding, Subject
from infra.kubernetes_fields import fields_of
from infra.models import RoleName
from infra.models.base import Loc

_QUANTITIES = ("requests", "limits", "overhead", "sizeLimit", "divisor")
"""Fields that the client calls text, and that the API server takes as numbers too."""
_SCALARS: Mapping[str, tuple[type, str]] = {
    "str": (str, "text, in quotes if it looks like a number or a switch"),
    "int": (int, "a whole number, without quotes"),
    "bool": (bool, "true or false, without quotes"),
}

_ONE_OF: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("V1PodSpec", "dnsPolicy"): ("ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"),
    ("V1PodSpec", "preemptionPolicy"): ("Never", "PreemptLowerPriority"),
    ("V1Container", "imagePullPolicy"): ("Always", "IfNotPresent", "Never"),
    ("V1Container", "terminationMessagePolicy"): ("FallbackToLogsOnError", "File"),
    ("V1ContainerPort", "protocol"): ("SCTP", "TCP", "UDP"),
    ("V1Toleration", "operator"): ("Equal", "Exists"),
    ("V1Toleration", "effect"): ("NoExecute", "NoSchedule", "PreferNoSchedule"),
    ("V1NodeSelectorRequirement", "operator"): ("DoesNotExist", "Exists", "Gt", "In", "Lt", "NotIn"),
    ("V1LabelSelectorRequirement", "operator"): ("DoesNotExist", "Exists", "In", "NotIn"),
    ("V1TopologySpreadConstraint", "whenUnsatisfiable"): ("DoNotSchedule", "ScheduleAnyway"),
}
"""The client's models do not say which words a field takes."""


def check(subject: Subject) -> Iterator[Finding]:
    """The overrides of every job and of each of its roles."""
    for i, job in enumerate(subject.stack.jobs):
        leading, _ = next(job.roles())
        yield from _found(("jobs", i, "pod_overrides"), job.pod_overrides, leading)
        for role, spec in job.roles():
            yield from _found(("jobs", i, role, "pod_overrides"), spec.pod_overrides, role)


def _found(at: Loc, overrides: Mapping[str, Any], role: RoleName) -> Iterator[Finding]:
    if overrides:
        yield from _fields(at, dict(overrides), "V1PodSpec")
        yield from _undone(at, overrides, role)


def _undone(at: Loc, overrides: Mapping[str, Any], role: RoleName) -> Iterator[Finding]:
    if "restartPolicy" in overrides:  # bug case A5
        yield Finding(
            code="override-of-restart-policy",
            place=(*at, "restartPolicy"),
            message="the operator puts the role's own restart policy over it",
            remedy=f"write {role}.restart_policy",
        )
    for field in ("priorityClassName", "priority"):
        if field in overrides:
            yield Finding(
                code="override-of-priority",
                place=(*at, field),
                message="the pods would no longer rank as the job says",
                remedy="write priority: <one of the stack's> beside pod_overrides",
            )
    if overrides.get("nodeName"):
        yield Finding(
            severity="warning",
            code="scheduler-bypassed",
            place=(*at, "nodeName"),
            message="pods go to this node without the scheduler, full or not",
            remedy="write pool or node_selector",
        )


def _fields(at: Loc, value: Any, kind: str, key: str = "") -> Iterator[Finding]:
    """Every field below a value that its kind does not know, and every value of another kind."""
    if value is None:
        return  # takes the field away
    container, _, item = kind.partition("[")
    item = item.rstrip("]").rpartition(" ")[2]
    if container == "List":
        if isinstance(value, list):
            for j, entry in enumerate(value):
                yield from _fields((*at, j), entry, item, key)
        else:
            yield _wrong_kind(at, "a list, each item after '- '")
    elif container == "Dict" or kind.startswith(("V1", "CoreV1")):
        if not isinstance(value, Mapping):
            yield _wrong_kind(at, "`key: value` pairs")
            return
        known = None if container == "Dict" else fields_of(kind)
        for name, below in value.items():
            if known is None:
                yield from _fields((*at, name), below, item, key)
            elif name in known:
                yield from _fields((*at, name), below, known[name], name)
                yield from _one_of((*at, name), below, _ONE_OF.get((kind, name)))
            else:
                yield _unknown((*at, name), name, kind, known)
    elif kind in _SCALARS and key not in _QUANTITIES:
        wanted, words = _SCALARS[kind]
        if not isinstance(value, wanted) or (isinstance(value, bool) and wanted is int):
            yield _wrong_kind(at, words)


def _one_of(at: Loc, value: Any, known: tuple[str, ...] | None) -> Iterator[Finding]:
    if known is not None and isinstance(value, str) and value not in known:
        close = get_close_matches(value, known, n=1)
        yield Finding(
            code="override-of-unknown-value",
            place=at,
            message=f"{value} is none of {', '.join(known)}",
            remedy=f"write {close[0] if close else 'one of them'}",
        )


def _wrong_kind(at: Loc, wanted: str) -> Finding:
    return Finding(
        code="override-of-wrong-kind",
        place=at,
        message="the API server refuses this kind of value here",
        remedy=f"write {wanted}",
    )


def _unknown(at: Loc, name: str, kind: str, known: Mapping[str, str]) -> Finding:
    head, *rest = name.split("_")
    spelt = head + "".join(word.capitalize() for word in rest)
    close = [spelt] if spelt in known else get_close_matches(spelt, known, n=1, cutoff=0.6)
    return Finding(
        code="override-of-unknown-field",
        place=at,
        message=f"{name} is no field of a {kind.partition('V1')[2]}",
        remedy=f"write {close[0]}" if close else "remove it; Kubernetes' API reference lists the fields",
    )
