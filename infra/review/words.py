"""Changes in a reviewer's words: what is in danger, what runs again, what is more or less than before."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from infra.review import alert_rules
from infra.review.jobs import size, why
from infra.review.preview import Change, Preview
from infra.vocabulary import ALERTMANAGER_CONFIG_SECRET, TFJOB_KIND

Weight = Literal["danger", "run", "change", "count"]
"""danger: data or other people's objects would be gone. run: training starts anew."""
WEIGHTS: Final[tuple[Weight, ...]] = ("danger", "run", "change", "count")
_DATA = {
    "PersistentVolumeClaim": "claim",
    "PersistentVolume": "volume",
    "Namespace": "namespace",
    "CustomResourceDefinition": "definition",
}
_LOST = {
    "PersistentVolumeClaim": "its data",
    "PersistentVolume": "the way to its data",
    "Namespace": "everything in it",
    "CustomResourceDefinition": "every object of its kind (those of others too)",
}
_RESOURCES = {
    "requests.cpu": "CPU",
    "cpu": "CPU",
    "requests.memory": "memory",
    "memory": "memory",
    "requests.nvidia.com/gpu": "GPUs",
    "limits.cpu": "CPU limit",
    "limits.memory": "memory limit",
}
_SHOWN = 6  # names or fields in a sentence
_SEE_RENDER = "a preview keeps how to itself, and `colo render` of both branches shows it"
_UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"  # how Pulumi writes what only an update will know


@dataclass(frozen=True)
class Remark:
    """One sentence about an update."""

    weight: Weight
    text: str


def remarks(preview: Preview) -> list[Remark]:
    """Everything worth saying, the weightiest first."""
    said: list[Remark] = []
    counted: dict[tuple[str, str], list[str]] = defaultdict(list)
    for change in preview.changes:
        if _is_script(change) and change.op != "update":
            continue  # the job that it comes, goes or changes with says so
        if (danger := _danger(change)) is not None:
            said.append(danger)
        elif change.op in ("create", "delete"):
            counted[change.op, change.kind].append(_listed(change))
        else:
            said.extend(_changed(change))
    said += [Remark("count", _count(op, kind, names)) for (op, kind), names in sorted(counted.items())]
    return sorted(said, key=lambda remark: WEIGHTS.index(remark.weight))


def _danger(change: Change) -> Remark | None:
    what = _DATA.get(change.kind)
    if what is None or change.op not in ("delete", "replace"):
        return None
    if change.op == "delete" and change.retained:
        return Remark("change", f"{what} {_path(change)} is given up, and stays in the cluster")
    verb = "deleted" if change.op == "delete" else f"replaced ({_fields(change)})"
    return Remark("danger", f"{what} {_path(change)} would be {verb}, and {_LOST[change.kind]} with it")


def _changed(change: Change) -> Iterator[Remark]:
    if change.kind == TFJOB_KIND and change.op == "replace":
        yield Remark("run", f"job {_path(change)} runs again because {why(change)}")
    elif change.kind == "CronJob":
        yield Remark("change", f"scheduled job {_path(change)} changes: {_fields(change)}")
    elif change.kind == "ResourceQuota":
        yield from _quota(change)
    elif change.kind == "PriorityClass":
        yield Remark("change", f"priority {change.name}: {_fields(change)}")
    elif change.kind == "NodeMarks":
        yield Remark("change", f"pool {change.name}: {'; '.join(_pool(change))}")
    elif change.kind == "PrometheusRule" and change.op == "update":
        told = [*alert_rules.changes(change, _field)]
        told += [_field(path, pair) for path, pair in alert_rules.others(change).items()]
        how = _some(told, "; ") or "the order or the groups of its rules"
        yield Remark("change", f"alert rules {_path(change)}: {how}")
    elif change.kind == "Secret" and change.name == ALERTMANAGER_CONFIG_SECRET:
        yield Remark("change", f"whom Alertmanager tells changes; {_SEE_RENDER}")
    elif change.kind == "Release":
        yield Remark("change", f"release {_path(change)}: {_fields(change)}")
    else:
        verb = "is made anew" if change.op == "replace" else "changes"
        # Pulumi writes every secret as the same word, before and after.
        secret = change.kind == "Secret" or not change.fields
        how = _fields_of_secret(change) if secret else _fields(change)
        yield Remark("change", f"{change.kind} {_path(change)} {verb}: {how}")


def _quota(change: Change) -> Iterator[Remark]:
    """`quota of kubeflow: 8 -> 12 GPUs, CPU 100 -> 200`."""
    said = []
    for path, (old, new) in change.fields.items():
        key = path.removeprefix("spec.hard.")
        if key == path:
            said.append(_field(path, (old, new)))
        elif _RESOURCES.get(key) == "GPUs":
            said.append(f"{_value(old)} -> {_value(new)} GPUs")
        else:
            said.append(f"{_RESOURCES.get(key, key)} {_value(old)} -> {_value(new)}")
    if said:
        yield Remark("change", f"quota of {change.namespace}: {', '.join(said)}")


def _pool(change: Change) -> Iterator[str]:
    """Nodes that come and go, and what else is put on them."""
    old, new = (
        set(map(str, nodes if isinstance(nodes := side.get("nodes"), list) else ()))
        for side in (change.old, change.new)
    )
    if new - old:
        yield f"+{len(new - old)} node{'s' * (len(new - old) > 1)} ({', '.join(sorted(new - old))})"
    if old - new:
        yield f"-{len(old - new)} node{'s' * (len(old - new) > 1)} ({', '.join(sorted(old - new))})"
    rest = {p: pair for p, pair in change.fields.items() if not p.startswith(("nodes", "marked"))}
    if rest:
        yield _some([_field(path, pair) for path, pair in rest.items()])
    elif old == new:
        yield "nodes that lack its labels or taints get them"


def _count(op: str, kind: str, names: list[str]) -> str:
    return f"{'+' if op == 'create' else '-'}{len(names)} {kind}: {_some(sorted(names))}"


def _listed(change: Change) -> str:
    if change.kind == TFJOB_KIND and change.op == "create":
        return f"{change.name} ({size(change.new)})"
    if change.kind == "PrometheusRule" and (rules := alert_rules.names(change.new or change.old)):
        return f"{change.name} ({_some(rules)})"
    return change.name


def _is_script(change: Change) -> bool:
    return change.kind == "ConfigMap" and change.resource.endswith("-script")


def _path(change: Change) -> str:
    return f"{change.namespace}/{change.name}" if change.namespace else change.name


def _fields(change: Change) -> str:
    return _some([_field(path, pair) for path, pair in change.fields.items()]) or "nothing that can be shown"


def _fields_of_secret(change: Change) -> str:
    """Keys alone: with `--show-secrets` a preview holds the values."""
    return _some([f"{path} changed" for path in change.fields]) or "in what a preview keeps secret"


def _field(path: str, pair: tuple[Any, Any]) -> str:
    old, new = pair
    if all(_is_short(value) for value in pair):
        return f"{path.removeprefix('spec.')} {_value(old)} -> {_value(new)}"
    verb = "added" if old is None else "removed" if new is None else "changed"
    return f"{path.removeprefix('spec.')} {verb}"


def _is_short(value: Any) -> bool:
    if isinstance(value, str):
        return len(value) <= 60 and "\n" not in value
    return value is None or isinstance(value, int | float)


def _value(value: Any) -> str:
    if value is None:
        return "none"
    if value == _UNKNOWN:
        return "(known after the update)"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _some(items: Sequence[str], between: str = ", ") -> str:
    more = len(items) - _SHOWN
    return between.join(items[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
