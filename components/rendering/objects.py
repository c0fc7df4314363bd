"""Parts of Kubernetes objects, as plain data."""

from collections.abc import Mapping
from typing import Any

Object = dict[str, Any]


def stated(fields: Mapping[str, Any]) -> Object:
    """The fields without those that say nothing: None, an empty list, an empty mapping."""
    return {key: value for key, value in fields.items() if not _says_nothing(value)}


def _says_nothing(value: Any) -> bool:
    return value is None or (isinstance(value, list | dict) and not value)
