"""Why a training job runs again."""

from collections.abc import Mapping
from typing import Any

from infra.review.preview import Change, as_mapping
from infra.vocabulary import GPU_RESOURCE, QUEUE_NAME_LABEL

_ROLES = "ReplicaSpecs"
_CAUSES = (
    # In the order in which people ask: the first that a path begins with is its cause.
    ("replicas", "its number of pods"),
    ("restartPolicy", "its restart policy"),
    ("template.spec.priorityClassName", "its priority"),
    ("template.spec.nodeSelector", "where it may run"),
    ("template.spec.tolerations", "where it may run"),
    ("template.spec.affinity", "where it may run"),
    ("template.spec.topologySpreadConstraints", "where it may run"),
    ("template.spec.volumes", "its volumes"),
    ("template.metadata", "its labels or annotations"),
)
_OF_JOB = {"spec.enableDynamicWorker": "how it replaces lost workers"}
_OF_CONTAINERS = (
    (".resources", "what it asks for"),
    (".env", "its variables"),
    (".command", "its command"),
    (".args", "its command"),
    (".volumeMounts", "its volumes"),
    (".ports", "its ports"),
)


def why(change: Change) -> str:
    """`its image changed from a to b, its variables and its ports changed`."""
    images = [pair for path, pair in change.fields.items() if path.endswith(".image")]
    said = [f"its image changed from {old} to {new}" for old, new in dict.fromkeys(images)]
    causes = [_cause(path, pair) for path, pair in change.fields.items()]
    named = list(dict.fromkeys(cause for cause in causes if cause is not None))
    if named:
        *first, last = named
        said.append(f"{', '.join(first)} and {last} changed" if first else f"{last} changed")
    return ", and ".join(said) or "it was asked for"


def _cause(path: str, pair: tuple[Any, Any]) -> str | None:
    head, found, rest = path.partition(f"{_ROLES}.")
    if path.startswith("metadata.labels") and QUEUE_NAME_LABEL in f"{path} {pair}":
        return "its queue"
    if path.endswith(".image") or not path.startswith("spec."):
        return None
    if not found:
        return "its run policy" if head.startswith("spec.runPolicy") else _OF_JOB.get(path, path[5:])
    _, _, within_role = rest.partition(".")
    if not within_role:
        return f"its roles ({rest} {'added' if pair[0] is None else 'removed'})"
    if within_role.endswith(".configMap.name") and "-script-" in f"{pair}":
        return "its script"
    return _named(within_role)


def _named(role: str) -> str:
    for start, cause in _CAUSES:
        if role.startswith(start):
            return cause
    if "ontainers[" in role:
        for part, cause in _OF_CONTAINERS:
            if part in role:
                return cause
        return "its containers"
    return role.removeprefix("template.spec.") or "its roles"


def size(job: Mapping[str, Any]) -> str:
    """`2 pods, 4 GPUs` of the inputs of a TFJob."""
    pods = gpus = 0
    for field, roles in as_mapping(job.get("spec")).items():
        if field.endswith(_ROLES):
            for replica in map(as_mapping, as_mapping(roles).values()):
                number = _whole(replica.get("replicas", 1))
                pods += number
                gpus += number * _gpus(replica)
    return f"{pods} pod{'' if pods == 1 else 's'}" + (
        f", {gpus} GPU{'' if gpus == 1 else 's'}" if gpus else ""
    )


def _gpus(replica: Mapping[str, Any]) -> int:
    pod = as_mapping(as_mapping(replica.get("template")).get("spec"))
    containers = pod.get("containers")
    found = map(as_mapping, containers if isinstance(containers, list) else ())
    limits = (as_mapping(as_mapping(one.get("resources")).get("limits")) for one in found)
    return sum(_whole(amounts.get(GPU_RESOURCE, 0)) for amounts in limits)


def _whole(value: Any) -> int:
    try:
        return int(value)
    except (TypeError, ValueError, OverflowError):
        return 0
