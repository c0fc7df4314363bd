"""What pydantic found, in words: what is wrong, and what to write instead."""

import types
import typing
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from infra.checks.findings import Finding
from infra.models import Model
from infra.models.base import Loc

# Keys that people bring from Kubernetes manifests or from the article's.
_ELSEWHERE = {
    "ttl_seconds_after_finished": "a ttl deletes the job, and the next run trains again; remove it",
    "clean_pod_policy": "it stands under run_policy; move it there",
    "backoff_limit": "it stands under run_policy; move it there",
    "suspend": "it stands under run_policy; move it there",
    "node_selector": "it follows from the pool; write pool: <name>",
    "tolerations": "they follow from the pool; write pool: <name>",
    "priority_class_name": "write priority: <name>",
    "namespace": "it follows from the tenant; write tenant: <name>",
    "nvidia.com/gpu": "write gpus: <number> beside requests and limits",
    "master": "the operator's old name of the chief; write chief",
}


def complaints(error: ValidationError, root: type[Model]) -> Iterator[Finding]:
    """Every fault with its place, relative to the root."""
    for found in error.errors(include_url=False):
        loc = tuple(part for part in found["loc"] if part != "[key]")
        if found["type"] == "faults":
            for below, sentence in found["ctx"]["faults"]:
                yield Finding.of(code="broken-rule", place=(*loc, *below), sentence=sentence)
        else:
            code = {"missing": "missing-key", "extra_forbidden": "unknown-key"}.get(
                found["type"], "bad-value"
            )
            yield Finding.of(code, loc, _words(found, loc, root))


def _words(found: ErrorDetails, loc: Loc, root: type[Model]) -> str:
    kind, given, limits = found["type"], found["input"], found.get("ctx", {})
    match kind:
        case "value_error":
            return str(limits["error"])
        case "missing":
            return f"is missing; add `{loc[-1]}:`"
        case "extra_forbidden":
            return _unknown(str(loc[-1]), _fields_at(root, loc[:-1]))
        case _ if given is None:
            return "has no value; write one, or remove the key"
        case "literal_error":
            expected = str(limits["expected"]).replace("'", "").replace(" or ", ", ")
            return f"{given!r} is not known; write one of {expected}{_near(given, expected)}"
        case "greater_than_equal":
            return f"{given} is too low; write {limits['ge']} or more"
        case "less_than_equal":
            return f"{given} is too high; write {limits['le']} or less"
    wanted = _WANTED.get(kind)
    if wanted is None:
        return f"{_shown(given)} is refused ({found['msg']}); see stacks/schema.json"
    return f"{_shown(given)} stands here; write {wanted}"


_WANTED = {
    "string_type": "text, in quotes if it looks like a number or a switch",
    "int_type": "a whole number in plain decimal digits, without quotes",
    "bool_type": "true or false, without quotes",
    "tuple_type": "a list, each item after '- '",
    "model_type": "`key: value` pairs",
    "mapping_type": "`key: value` pairs",
    "dict_type": "`key: value` pairs",
    "string_too_short": "some text",
    "string_pattern_mismatch": "lower-case letters and digits, as in registry.example/mirror",
}


def _shown(given: Any) -> str:
    if isinstance(given, list | tuple):
        return "a list"
    if isinstance(given, Mapping):
        return "a mapping"
    text = str(given).lower() if isinstance(given, bool) else repr(given)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _near(given: Any, expected: str) -> str:
    close = get_close_matches(str(given), expected.split(", "), n=1)
    return f" (did you mean {close[0]}?)" if close else ""


def _unknown(key: str, known: tuple[str, ...]) -> str:
    spelt = "".join(f"_{c.lower()}" if c.isupper() else c for c in key)
    close = get_close_matches(spelt, known, n=1, cutoff=0.6)
    if spelt in known or close:
        return f"is not a known key; write {spelt if spelt in known else close[0]}"
    if spelt in _ELSEWHERE:
        return f"is not a known key here; {_ELSEWHERE[spelt]}"
    return f"is not a known key; known here: {', '.join(known)}"


def _fields_at(root: type[Model], loc: Loc) -> tuple[str, ...]:
    """The keys that the model at a place knows."""
    model: Any = root
    for part in loc:
        if isinstance(part, str) and part in model.model_fields:
            model = _model_in(model.model_fields[part].annotation) or model
    return tuple(model.model_fields)


def _model_in(annotation: Any) -> type[Model] | None:
    """The model inside `Model | None`, `tuple[Model, ...]` and the like."""
    if isinstance(annotation, type) and not isinstance(annotation, types.GenericAlias):
        return annotation if issubclass(annotation, Model) else None
    found = (_model_in(inner) for inner in typing.get_args(annotation))
    return next((model for model in found if model is not None), None)
