"""Objects as the API serves them, and what is common to all of them. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

Object = Mapping[str, Any]
Key = tuple[str, str]
"""Namespace and name."""


@dataclass(frozen=True, kw_only=True)
class Unread:
    """A kind of object that could not be read."""

    kind: str
    """As RBAC names the resource: `nodes`."""
    reason: str


def name_of(item: Object) -> str:
    return str(item["metadata"]["name"])


def key_of(item: Object) -> Key:
    """An object of the cluster as a whole has no namespace."""
    return str(item["metadata"].get("namespace") or ""), name_of(item)


def labels_of(item: Object) -> Mapping[str, str]:
    return item["metadata"].get("labels") or {}


def created(item: Object) -> datetime | None:
    return moment(item["metadata"].get("creationTimestamp"))


def moment(text: Any) -> datetime | None:
    """A time as the API writes it, with or without parts of a second."""
    try:
        return datetime.fromisoformat(str(text)) if text else None
    except ValueError:
        return None


@dataclass(frozen=True)
class Found:
    """An object with what every object has."""

    raw: Object

    @property
    def namespace(self) -> str:
        return key_of(self.raw)[0]

    @property
    def name(self) -> str:
        return key_of(self.raw)[1]

    @property
    def uid(self) -> str:
        return str(self.raw["metadata"].get("uid") or "")

    @property
    def created(self) -> datetime | None:
        return created(self.raw)


def condition(item: Object, kind: str) -> Object:
    """A condition of the object's status; empty if there is none of that type."""
    found = (item.get("status") or {}).get("conditions") or ()
    return next((c for c in found if c.get("type") == kind), {})


def has_ready_endpoint(endpoint_slice: Object) -> bool:
    """An endpoint whose readiness is not stated counts as ready, as the API says."""
    return any(
        (endpoint.get("conditions") or {}).get("ready") is not False
        for endpoint in endpoint_slice.get("endpoints") or ()
    )


def selects(selector: Object | None, labels: Mapping[str, str]) -> bool:
    """Whether a label selector takes something with these labels. Empty takes all, None takes nothing."""
    if selector is None:
        return False
    wanted = selector.get("matchLabels") or {}
    return wanted.items() <= labels.items() and meets(selector.get("matchExpressions") or (), labels)


def meets(expressions: Iterable[Object], labels: Mapping[str, str]) -> bool:
    """Whether each requirement holds, those of node affinity included."""
    return all(_holds(expression, labels) for expression in expressions)


def _holds(wanted: Object, labels: Mapping[str, str]) -> bool:
    value, operator, values = labels.get(wanted["key"]), wanted["operator"], wanted.get("values") or ()
    if operator == "Exists":
        return value is not None
    if operator == "DoesNotExist":
        return value is None
    if operator == "In":
        return value in values
    if operator == "NotIn":
        return value not in values
    try:  # Gt, Lt
        number, bound = int(str(value)), int(str(next(iter(values))))
    except (ValueError, StopIteration):
        return False
    return number > bound if operator == "Gt" else number < bound
