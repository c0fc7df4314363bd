"""A key that no model knows: the one that was meant, and where it goes."""

import re
import types
import typing
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from functools import cache
from typing import Any

from pydantic.fields import FieldInfo

from infra.models import ROLES, Model
from infra.models.base import Loc

_ITEMS = {
    "pools": "pool",
    "priorities": "priority",
    "tenants": "tenant",
    "storage": "storage",
    "jobs": "job",
    "dashboards": "dashboard",
}

_MOST_PLACES = 3

_ROBOT = "a robot's URL is a secret; write url_secret: <name>, and `pulumi config set --secret <name>`"

# Words of Kubernetes manifests for which this project has others: (word, a key that is known
# beside it, what to write instead).
_OTHER_WORDS = (
    ("namespace", "tenant", "it follows from the tenant; write tenant: <name>"),
    ("namespace", "pod_security", "a tenant's name is its namespace; write name"),
    ("priority_class_name", "priority", "write priority: <name>"),
    ("priority_class", "priority", "write priority: <name>"),
    ("nvidia.com/gpu", "cpu", "write gpus: <number> beside requests and limits"),
    ("master", "chief", "the operator's old name of the chief; write chief"),
    ("tf_replica_specs", "chief", "write chief, worker, ps and evaluator"),
    ("template", "command", "pods are made from image, command, args and env; write those"),
    ("containers", "command", "pods are made from image, command, args and env; write those"),
    ("volume_mounts", "volumes", "write volumes: [{claim: <name>, mount_path: <path>}]"),
    ("security_context", "security", "write security"),
    ("parallelism", "replicas", "write replicas"),
    ("url", "at_mobiles", _ROBOT),
    ("url", "mentioned_users", _ROBOT),
)


def unknown_key(root: type[Model], loc: Loc) -> str:
    """What to say of a key that the model at `loc[:-1]` does not know: where its like is known."""
    key = str(loc[-1])
    spelt = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", key).lower()
    here, *around = reversed(list(_models_along(root, loc[:-1])))
    places = (here, *around) if len(loc) > 1 else ()  # of sections the nearest one is meant
    known = tuple(_keys(here[1]))
    for word, beside, remedy in _OTHER_WORDS:
        if spelt == word and beside in known:
            return f"is not a known key here; {remedy}"
    if spelt in known:
        return f"is not a known key; write {spelt}"
    if elsewhere := _elsewhere(places, spelt, cutoff=1):
        return elsewhere
    if close := get_close_matches(spelt, known, n=1, cutoff=0.7):
        return f"is not a known key; write {close[0]}"
    if elsewhere := _elsewhere(places, spelt, cutoff=0.8):
        return elsewhere
    return f"is not a known key; known here: {', '.join(known)}"


def _models_along(root: type[Model], loc: Loc) -> Iterator[tuple[Loc, type[Model]]]:
    """The models on the way to a place, but the stack itself: keys of other sections are no help."""
    if not loc:
        yield (), root
    model = root
    for i, part in enumerate(loc):
        inner = _model_in(model.model_fields[part].annotation) if part in model.model_fields else None
        model = inner or model
        whole_list = i == 0 and len(loc) > 1 and isinstance(loc[1], int)
        if not whole_list and (isinstance(part, int) or inner is not None):
            yield loc[: i + 1], model


@cache
def _below(model: type[Model]) -> Mapping[str, tuple[Loc, ...]]:
    """The shortest paths to each key that may stand in a model; of several roles the worker's."""
    found: dict[str, list[Loc]] = {}
    for path in sorted(_paths(model), key=len):
        known = found.setdefault(str(path[-1]), [])
        if path[0] in ROLES and path[0] != "worker":
            continue
        if not known or len(known[0]) == len(path):
            known.append(path)
    return {name: tuple(paths) for name, paths in found.items()}


def _paths(model: type[Model], within: tuple[type[Model], ...] = ()) -> Iterator[Loc]:
    for name, info in _keys(model).items():
        yield (name,)
        inner = _model_in(info.annotation)
        if inner is not None and inner not in within:
            item = (name, 0) if typing.get_origin(info.annotation) is tuple else (name,)
            yield from ((*item, *path) for path in _paths(inner, (*within, model)))


def _keys(model: type[Model]) -> Mapping[str, FieldInfo]:
    """As files write them: `for` is no name that Python could give a field."""
    return {info.alias or name: info for name, info in model.model_fields.items()}


def _elsewhere(models: Iterable[tuple[Loc, type[Model]]], key: str, cutoff: float) -> str | None:
    """Where a key belongs that is known below one of the models; the innermost counts."""
    inside = True
    for at, model in models:
        known = _below(model)
        name = key if key in known else next(iter(get_close_matches(key, known, 1, cutoff)), "")
        found = known.get(name, ())
        if 0 < len(found) <= _MOST_PLACES:
            places = " or ".join(_written(() if inside else at, path) for path in found)
            return f"is not a known key here; write it as {places}{'' if inside else _of_what(at)}"
        inside = False
    return None


def _written(at: Loc, path: Loc) -> str:
    inside_item = at[2:] if len(at) > 1 and isinstance(at[1], int) else at
    words = (f".{part}" if isinstance(part, str) else "[]" for part in (*inside_item, *path))
    return "".join(words).removeprefix(".")


def _of_what(at: Loc) -> str:
    kind = _ITEMS.get(str(at[0])) if at else None
    return f" of the {kind}" if kind else ""


def _model_in(annotation: Any) -> type[Model] | None:
    """The model inside `Model | None`, `tuple[Model, ...]` and the like."""
    if isinstance(annotation, type) and not isinstance(annotation, types.GenericAlias):
        return annotation if issubclass(annotation, Model) else None
    found = (_model_in(inner) for inner in typing.get_args(annotation))
    return next((model for model in found if model is not None), None)
