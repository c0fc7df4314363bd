"""What `pulumi preview --json` prints, as changes of objects."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

from infra.review.failures import explained

Op = Literal["create", "update", "replace", "delete"]
_KUBERNETES = "kubernetes:"
_MARKS = "NodeMarks"
_GROUPS = ("kubernetes:kustomize/", "kubernetes:yaml/")  # of objects that are there by themselves


class UnreadableError(Exception):
    """The text is no preview; the message says why and what to do."""


@dataclass(frozen=True, kw_only=True)
class Change:
    """One resource that an update would touch."""

    op: Op
    kind: str
    """Of Kubernetes, or NodeMarks."""
    resource: str
    """Pulumi's name of it."""
    old: Mapping[str, Any]
    """Its inputs in the state; empty if it is new."""
    new: Mapping[str, Any]
    """Its inputs in the program; empty if it goes."""
    retained: bool = False
    """Taken out of the state and left in the cluster."""

    @property
    def name(self) -> str:
        """As the cluster knows it."""
        props = self.new or self.old
        found = as_mapping(props.get("metadata")).get("name") or props.get("name") or props.get("pool")
        return found if isinstance(found, str) and found else self.resource

    @property
    def namespace(self) -> str | None:
        found = as_mapping((self.new or self.old).get("metadata")).get("namespace")
        return found if isinstance(found, str) else None

    @cached_property
    def fields(self) -> Mapping[str, tuple[Any, Any]]:
        """What differs: old and new value by path; None for what is not there."""
        return dict(_differing("", self.old, self.new))


@dataclass(frozen=True)
class Preview:
    """All changes, in the order of the preview, and the errors that it ended with, a line each."""

    changes: tuple[Change, ...]
    errors: tuple[str, ...]


def read(text: str) -> Preview:
    """Raises UnreadableError."""
    start = text.find("{")  # programs around Pulumi may have printed before it
    try:
        data = json.loads(text[start:]) if start >= 0 else None
    except (ValueError, RecursionError) as error:
        raise UnreadableError(
            f"this is no preview ({error}); give the output of `pulumi preview --json`"
        ) from None
    if not isinstance(data, dict) or not isinstance(data.get("steps", []), list):
        raise UnreadableError("this is no preview; give the output of `pulumi preview --json`")
    return Preview(tuple(_changes(data.get("steps", []))), tuple(dict.fromkeys(_errors(data))))


def _errors(data: Mapping[str, Any]) -> Iterator[str]:
    """What went wrong, in a line each; that something did goes without saying."""
    diagnostics = data.get("diagnostics")
    for line in map(as_mapping, diagnostics if isinstance(diagnostics, list) else ()):
        if line.get("severity") == "error":
            text = " ".join(str(line.get("message", "")).split())
            for prefix in ("error: ", "Preview failed: "):
                text = text.removeprefix(prefix)
            if text not in ("", "preview failed"):
                yield explained(text)


def _changes(steps: list[Any]) -> Iterator[Change]:
    for step in map(as_mapping, steps):
        op: Any = step.get("op")
        old, new = as_mapping(step.get("oldState")), as_mapping(step.get("newState"))
        kind = _kind(str((new or old).get("type", "")))
        if op in get_args(Op) and kind is not None:
            yield Change(
                op=op,
                kind=kind,
                resource=str(step.get("urn", "")).rpartition("::")[2],
                old=as_mapping(old.get("inputs")),
                new=as_mapping(new.get("inputs")),
                retained=bool(old.get("retainOnDelete")),
            )


def _kind(token: str) -> str | None:
    """None for what only groups others, and for providers."""
    kind = token.rpartition(":")[2]
    if token.startswith(_KUBERNETES) and not token.startswith(_GROUPS):
        return kind
    return kind if kind == _MARKS else None


def _differing(path: str, old: Any, new: Any) -> Iterator[tuple[str, tuple[Any, Any]]]:
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in dict.fromkeys((*old, *new)):
            if not str(key).startswith(("__", "pulumi.com/")):
                yield from _differing(f"{path}.{key}" if path else str(key), old.get(key), new.get(key))
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for i, (before, after) in enumerate(zip(old, new, strict=True)):
            yield from _differing(f"{path}[{i}]", before, after)
    elif old != new:
        yield path, (old, new)


def as_mapping(value: Any) -> Mapping[str, Any]:
    """The mapping, or an empty one."""
    return value if isinstance(value, Mapping) else {}
