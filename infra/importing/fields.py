"""Fields that the API does not know, and values of a kind that it does not take.

What it knows of pods is what the installed Kubernetes client knows.
"""

import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from functools import cache
from typing import Any

from infra.checks import Finding
from infra.importing.remarks import fault
from infra.kubernetes_fields import fields_of
from infra.models.base import Loc
from infra.source import path
from infra.yaml_marks import Unquoted

_Fields = Mapping[str, str]
_Parents = tuple[tuple[Loc, str], ...]
"""The objects above, each with its place and type, outermost first."""

# The operator's own part, pkg/apis/kubeflow.org/v1; the types are spelt as the client spells its own.
_OURS: Mapping[str, _Fields] = {
    "TFJob": {
        "apiVersion": "str",
        "kind": "str",
        "metadata": "V1ObjectMeta",
        "spec": "TFJobSpec",
        "status": "object",
    },
    "TFJobSpec": {
        "tfReplicaSpecs": "dict(str, ReplicaSpec)",
        "runPolicy": "RunPolicy",
        "successPolicy": "str",
        "enableDynamicWorker": "bool",
    },
    "ReplicaSpec": {"replicas": "int", "restartPolicy": "str", "template": "V1PodTemplateSpec"},
    "RunPolicy": {
        "cleanPodPolicy": "str",
        "ttlSecondsAfterFinished": "int",
        "activeDeadlineSeconds": "int",
        "backoffLimit": "int",
        "suspend": "bool",
        "managedBy": "str",
        "schedulingPolicy": "SchedulingPolicy",
    },
    "SchedulingPolicy": {
        "minAvailable": "int",
        "queue": "str",
        "minResources": "dict(str, quantity)",
        "priorityClass": "str",
        "scheduleTimeoutSeconds": "int",
    },
}
# The client calls quantities text, and the API takes whole numbers too.
_QUANTITIES = {
    ("V1ResourceRequirements", "limits"): "dict(str, quantity)",
    ("V1ResourceRequirements", "requests"): "dict(str, quantity)",
    ("V1EmptyDirVolumeSource", "sizeLimit"): "quantity",
    ("V1ResourceFieldSelector", "divisor"): "quantity",
}
_MANY = re.compile(r"(?P<kind>list|dict)[\[(](str, )?(?P<inner>.+)[\])]", re.IGNORECASE)
_SECRETIVE = {"env", "args", "command"}
"""What stands below may be a password, and is not repeated."""
_KINDS = {"str": "text", "int": "a whole number", "bool": "true or false", "datetime": "a time"}


def cleaned(manifest: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[Finding, ...]]:
    """The manifest without nulls and without what the API would refuse, and a fault for each of that."""
    cleaner = _Cleaner()
    data = cleaner.value(manifest, "TFJob", (), ())
    return data, tuple(cleaner.findings)


class _Cleaner:
    def __init__(self) -> None:
        self.findings: list[Finding] = []

    def value(self, value: Any, kind: str, at: Loc, parents: _Parents) -> Any:
        """A value of the kind, cleaned; None where it is of another."""
        many = _MANY.fullmatch(kind)
        if many and many["kind"].lower() == "list":
            return self._list(value, many["inner"], at, parents)
        if many:
            return self._dict(value, many["inner"], at, parents)
        if fields := _fields(kind):
            return self._object(value, kind, fields, at, parents)
        return self._plain(value, kind, at)

    def _list(self, value: Any, inner: str, at: Loc, parents: _Parents) -> Any:
        if not isinstance(value, list):
            return self._refused(at, value, "a list, each item after '- '")
        read = [self.value(item, inner, (*at, i), parents) for i, item in enumerate(value)]
        return [{} if item is None and _fields(inner) else item for item in read]

    def _dict(self, value: Any, inner: str, at: Loc, parents: _Parents) -> Any:
        if not isinstance(value, Mapping):
            return self._refused(at, value, "`key: value` pairs")
        read = {
            key: self.value(item, inner, (*at, key), parents)
            for key, item in value.items()
            if item is not None
        }
        return {key: item for key, item in read.items() if item is not None}

    def _object(self, value: Any, kind: str, fields: _Fields, at: Loc, parents: _Parents) -> Any:
        if not isinstance(value, Mapping):
            return self._refused(at, value, "`key: value` pairs")
        here = (*parents, (at, kind))
        read = {}
        for key, item in value.items():
            if key not in fields:
                self.findings.append(_unknown(key, (*at, key), here))
            elif item is not None:  # the API takes null for a field that is not there
                found = self.value(item, fields[key], (*at, key), here)
                if found is not None:
                    read[key] = found
        return read

    def _plain(self, value: Any, kind: str, at: Loc) -> Any:
        whole = isinstance(value, int) and not isinstance(value, bool)
        match kind:
            case "str" | "datetime":
                good = isinstance(value, str) and not isinstance(value, Unquoted)
            case "int":
                good = whole
            case "bool":
                good = isinstance(value, bool)
            case "quantity":
                good = whole or isinstance(value, str)
                if isinstance(value, Unquoted) and not value.is_decimal:
                    return self._refused(at, value, "it in plain decimal digits")
                if isinstance(value, float):
                    return self._refused(at, value, f'it in quotes, "{value}"')
            case _:
                return value
        if good:
            return str(value) if isinstance(value, str) else value
        wanted = "an amount" if kind == "quantity" else _KINDS[kind]
        if kind in ("str", "quantity") and isinstance(value, bool | int | float | Unquoted):
            wanted = "it in quotes" if _SECRETIVE & set(at) else f'"{_shown(value)}", in quotes'
        return self._refused(at, value, wanted)

    def _refused(self, at: Loc, value: Any, wanted: str) -> None:
        shown = _kind_of(value) if _SECRETIVE & set(at) else _shown(value)
        self.findings.append(
            fault("bad-value", at, f"{shown} stands here, and the API refuses it; write {wanted}")
        )


def _shown(value: Any) -> str:
    """In the words of YAML."""
    if value is None or isinstance(value, list | Mapping):
        return _kind_of(value)
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, Unquoted) else repr(value)


def _kind_of(value: Any) -> str:
    match value:
        case None:
            return "nothing"
        case bool():
            return "a switch"
        case Unquoted():
            return "a number or a switch"
        case int() | float():
            return "a number"
        case str():
            return "text"
    return "a list" if isinstance(value, list) else "a mapping"


@cache
def _fields(kind: str) -> _Fields:
    """The fields of an object with the type of each; none for a plain value."""
    if kind in _OURS:
        return _OURS[kind]
    if not kind.startswith("V1"):
        return {}
    return {name: _QUANTITIES.get((kind, name), of) for name, of in fields_of(kind).items()}


def _unknown(key: str, at: Loc, parents: _Parents) -> Finding:
    known = _fields(parents[-1][1])
    if home := next(_homes(key, parents), None):
        return fault("misplaced-key", at, f"the API ignores it here; move it to {home}")
    close = get_close_matches(key, known, n=1) or [k for k in known if k.lower() == key.lower()]
    if close:
        return fault("unknown-key", at, f"is not a field that the API knows; write {close[0]}")
    return fault("unknown-key", at, "is not a field that the API knows; remove it")


def _homes(key: str, parents: _Parents) -> Iterator[str]:
    """Where the key belongs: in an object right below or above, the nearest first."""
    for at, kind in reversed(parents):
        if key in _fields(kind) and (at, kind) != parents[-1]:
            yield path((*at, key))
        for name, inner in _fields(kind).items():
            many = _MANY.fullmatch(inner)
            if name != "metadata" and key in _fields(many["inner"] if many else inner):
                below = "" if many is None else "[]" if many["kind"].lower() == "list" else ".<role>"
                yield f"{path((*at, name))}{below}.{key}"
