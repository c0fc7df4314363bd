"""What has to change on a node so that it carries a pool's marks. Pure: JSON in, JSON out.

A node has many masters: the cordon, the cloud, the GPU driver. Labels are therefore owned through
server-side apply, one field manager for each pool of each stack. `spec.taints` is one list that has
one owner there, so taints are merged by key and effect, and an annotation on the node, written in the
same request, says which of them are ours. Whatever state is lost, the node itself knows what to give
back.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

from infra.vocabulary import DOMAIN, FIELD_MANAGER_PREFIX, POOL_LABEL, STACK_LABEL

OWN_TAINTS = f"{DOMAIN}/taints"
"""Annotation: the taints of a node that are its pool's, as `key:effect` with commas between."""

Node = dict[str, Any]
"""A Node as the API serves it."""


@dataclass(frozen=True, kw_only=True)
class Marks:
    """What a pool wants on each of its nodes; with nothing in it, what a node gives back."""

    stack: str
    """Empty: marked before nodes said which stack's pool they are in."""
    pool: str
    labels: Mapping[str, str]
    taints: Mapping[str, dict[str, str]]
    """By `key:effect`, which a node has once at most."""

    @classmethod
    def wanted(cls, props: Mapping[str, Any]) -> Self:
        """The marks that a NodeMarks resource declares, the labels of its claim among them."""
        stack, pool = str(props.get("stack", "")), str(props["pool"])
        claim = {POOL_LABEL: pool, **({STACK_LABEL: stack} if stack else {})}
        taints = {taint_id(t): t for t in props["taints"]}
        return cls(stack=stack, pool=pool, labels={**props["labels"], **claim}, taints=taints)

    def none(self) -> Self:
        """Of a node that leaves the pool."""
        return replace(self, labels={}, taints={})

    @property
    def manager(self) -> str:
        """Who owns the labels, in the eyes of the API server."""
        return FIELD_MANAGER_PREFIX + (f"{self.stack}/{self.pool}" if self.stack else self.pool)


def taint_id(taint: Mapping[str, Any]) -> str:
    """What tells one taint of a node from another."""
    return f"{taint['key']}:{taint['effect']}"


@dataclass(frozen=True, kw_only=True)
class Conflict:
    """What others put in the place of one of the marks."""

    field: Literal["labels", "taints"]
    key: str
    """The label's key, or the taint's `key:effect`."""
    message: str
    remedy: str


def faults(node: Node, marks: Marks) -> Iterator[str]:
    """Why the node cannot carry the marks, a sentence each."""
    for conflict in conflicts(node, marks):
        yield f"pool {marks.pool}: {conflict.message}; {conflict.remedy}"


def conflicts(node: Node, marks: Marks) -> Iterator[Conflict]:
    """Why the node cannot carry the marks: others put something different in their place."""
    where = f"node {node['metadata']['name']}"
    labels = node["metadata"].get("labels") or {}
    for key, value in marks.labels.items():
        # Another pool takes its labels along when it lets go of the node: see `claimant`.
        others = [m for m in _label_owners(node, key) if not m.startswith(FIELD_MANAGER_PREFIX)]
        if labels.get(key, value) == value or not others:
            continue
        yield Conflict(
            field="labels",
            key=key,
            message=f"{where} has the label {key}={labels[key]} from {' and '.join(others)}",
            remedy=f"remove it there, or declare that value instead of {value!r}",
        )
    pools = _annotated(node)
    for taint in _taints(node):
        wanted = marks.taints.get(taint_id(taint))
        if wanted and taint_id(taint) not in pools and not _same(taint, wanted):
            yield Conflict(
                field="taints",
                key=taint_id(taint),
                message=f"{where} has the taint {taint_text(taint)}, which is not this pool's",
                remedy=f"remove it there, or declare that value instead of {wanted.get('value', '')!r}",
            )


def claimant(node: Node, marks: Marks) -> str | None:
    """The other pool that holds the node, if one does; with its stack, if that is another."""
    labels = node["metadata"].get("labels") or {}
    pool = str(labels.get(POOL_LABEL, marks.pool))
    stack = str(labels.get(STACK_LABEL, marks.stack))
    if stack != marks.stack:
        return f"{pool} of stack {stack}"
    return None if pool == marks.pool else pool


def labels_settled(node: Node, marks: Marks) -> bool:
    """Whether the pool owns its labels on the node, with the right values, and no other label."""
    labels = node["metadata"].get("labels") or {}
    ours = {key for key in labels if marks.manager in _label_owners(node, key)}
    return ours == set(marks.labels) and all(labels[k] == v for k, v in marks.labels.items())


def label_patch(node: Node, marks: Marks) -> dict[str, Any]:
    """To be applied under the pool's manager: labels left out are given up.

    The uid keeps the server from making a node anew that went away in between.
    """
    identity = {"name": node["metadata"]["name"], "uid": node["metadata"]["uid"]}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": identity | ({"labels": dict(marks.labels)} if marks.labels else {}),
    }


def taint_patch(node: Node, marks: Marks) -> dict[str, Any] | None:
    """A merge patch for this version of the node; None when its taints are right."""
    own, old = _own_taints(node, marks), _taints(node)
    foreign = {taint_id(t) for t in old} - own
    new = [t for t in old if taint_id(t) in foreign]
    for taint_key, wanted in marks.taints.items():
        if taint_key not in foreign:
            kept = next((t for t in old if taint_id(t) == taint_key and _same(t, wanted)), None)
            new.append(kept or dict(wanted))  # kept: the server adds timeAdded
    ours = set(marks.taints) - foreign
    if ours == own and _by_id(new) == _by_id(old):
        return None
    return {
        "metadata": {
            "resourceVersion": node["metadata"]["resourceVersion"],
            "annotations": {OWN_TAINTS: ",".join(sorted(ours)) or None},
        },
        "spec": {"taints": new},
    }


def settled(node: Node, marks: Marks) -> bool:
    """Whether nothing has to change on the node."""
    return labels_settled(node, marks) and taint_patch(node, marks) is None


def carried(node: Node, marks: Marks) -> dict[str, Any]:
    """Which of the marks the node carries now, for the state and for whoever reads it."""
    labels = node["metadata"].get("labels") or {}
    taints = [t for t in _taints(node) if taint_id(t) in marks.taints]
    return marks_text({k: labels[k] for k in marks.labels if k in labels}, taints)


def marks_text(labels: Mapping[str, str], taints: list[dict[str, str]]) -> dict[str, Any]:
    """Labels and taints as `carried` spells them."""
    return {"labels": dict(labels), "taints": sorted(map(taint_text, taints))}


def taint_text(taint: Mapping[str, Any]) -> str:
    """As kubectl spells a taint."""
    value = f"={taint['value']}" if taint.get("value") else ""
    return f"{taint['key']}{value}:{taint['effect']}"


def _own_taints(node: Node, marks: Marks) -> set[str]:
    """The taints that this pool put there, by `key:effect`."""
    return set() if claimant(node, marks) else _annotated(node)


def _annotated(node: Node) -> set[str]:
    annotations = node["metadata"].get("annotations") or {}
    return set(filter(None, annotations.get(OWN_TAINTS, "").split(",")))


def _taints(node: Node) -> list[dict[str, Any]]:
    return list(node["spec"].get("taints") or ())


def _by_id(taints: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {taint_id(taint): taint for taint in taints}


def _same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return bool(one.get("value", "") == other.get("value", ""))


def _label_owners(node: Node, key: str) -> list[str]:
    """The managers of a label: those who applied it, and those who wrote it some other way."""
    return sorted(
        {
            entry.get("manager", "someone")
            for entry in node["metadata"].get("managedFields") or ()
            if f"f:{key}" in entry.get("fieldsV1", {}).get("f:metadata", {}).get("f:labels", {})
        }
    )
