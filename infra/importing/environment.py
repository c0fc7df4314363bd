"""Environment variables of a container."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from infra.checks import Finding
from infra.importing.entry import Data
from infra.importing.remarks import fault, warning
from infra.models.base import Loc
from infra.vocabulary import HOME_ENV, JOB_ENV, NVIDIA_VISIBLE_DEVICES, THREADS_ENV

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_FIRST = (HOME_ENV, JOB_ENV, *THREADS_ENV, NVIDIA_VISIBLE_DEVICES)
"""What every container of a stack is told, in this order."""
_REFERENCE = re.compile(r"\$\(([^)]+)\)")


@dataclass(frozen=True)
class Environment:
    """Variables, by how an entry can say them."""

    plain: dict[str, str]
    value_from: dict[str, dict[str, Any]]
    raw: list[Data]
    """Those that no field says."""


def environment(container: Data) -> Environment:
    """The variables of a container.

    A variable may refer to those before it, and an entry keeps no order: where one does, all are raw.
    """
    variables = container.get("env", [])
    names = {variable.get("name") for variable in variables}
    references = {name for v in variables for name in _REFERENCE.findall(v.get("value", ""))}
    if references & names:
        return Environment({}, {}, list(variables))
    plain: dict[str, str] = {}
    value_from: dict[str, dict[str, Any]] = {}
    raw: list[Data] = []
    for variable in variables:
        name, source = variable.get("name", ""), _source(variable.get("valueFrom", {}))
        if not _NAME.fullmatch(name):
            raw.append(variable)
        elif "valueFrom" not in variable:
            plain[name] = variable.get("value", "")
        elif source is not None:
            value_from[name] = source
        else:
            raw.append(variable)
    return Environment(plain, value_from, raw)


def _source(source: Data) -> dict[str, Any] | None:
    """`env_value_from` of an entry, or None if it cannot say this."""
    if len(source) != 1:
        return None
    [(kind, found)] = source.items()
    if kind in ("secretKeyRef", "configMapKeyRef"):
        field = "secret" if kind == "secretKeyRef" else "config_map"
        optional = {"optional": True} if found.get("optional") else {}
        return {field: found.get("name"), "key": found.get("key"), **optional}
    if kind == "fieldRef" and found.get("apiVersion", "v1") == "v1":
        return {"field": found.get("fieldPath")}
    if kind == "resourceFieldRef" and set(found) == {"resource"}:
        return {"resource": found["resource"]}
    return None


def sources(container: Data) -> list[dict[str, Any]] | None:
    """`env_from` of an entry, or None if it cannot say this."""
    found = []
    for source in container.get("envFrom", []):
        kinds = [kind for kind in ("secretRef", "configMapRef") if kind in source]
        prefix = source.get("prefix", "")
        if len(kinds) != 1 or not (prefix == "" or _NAME.fullmatch(prefix)):
            return None
        [kind] = kinds
        item = {"secret" if kind == "secretRef" else "config_map": source[kind].get("name")}
        item |= {"prefix": prefix} if prefix else {}
        item |= {"optional": True} if source[kind].get("optional") else {}
        found.append(item)
    return found


def faults(container: Data, at: Loc) -> Iterator[Finding]:
    """Names that are missing or given twice, which the API refuses."""
    seen: set[str] = set()
    for i, variable in enumerate(container.get("env", [])):
        name = variable.get("name")
        if not name:
            yield fault("missing-key", (*at, "env", i), "the variable has no name; add `name:`")
        elif name in seen:
            text = f"{name} is given twice, and the API refuses it; keep one"
            yield fault("variable-twice", (*at, "env", i), text)
        if "value" in variable and "valueFrom" in variable:
            text = "value and valueFrom are both given, and the API refuses it; keep one"
            yield fault("two-values", (*at, "env", i), text)
        seen.add(name)
    yield from _out_of_order(container, at)


def _out_of_order(container: Data, at: Loc) -> Iterator[Finding]:
    """Variables that come first in an entry's pods, whatever they refer to."""
    names = {variable.get("name") for variable in container.get("env", [])}
    for i, variable in enumerate(container.get("env", [])):
        name = variable.get("name")
        if name not in _FIRST:
            continue
        for other in _REFERENCE.findall(variable.get("value", "")):
            if other in names and other not in _FIRST[: _FIRST.index(name)]:
                text = (
                    f"an entry's pods have {name} before {other}, so that $({other}) would stay as it is; "
                    f"write out what it stands for, or set {name} in the training"
                )
                yield warning("variable-out-of-order", (*at, "env", i), text)
