"""Durations as Prometheus writes them."""

import re
from typing import Annotated, Any

from pydantic import BeforeValidator, WithJsonSchema

_UNITS_SECONDS = {
    "y": 365 * 86400,
    "w": 7 * 86400,
    "d": 86400,
    "h": 3600,
    "m": 60,
    "s": 1,
}
_PATTERN = "".join(rf"((?P<{unit}>[0-9]{{1,9}}){unit})?" for unit in _UNITS_SECONDS)
_SYNTAX = re.compile(_PATTERN, re.ASCII)
_LONGEST_SECONDS = 100 * _UNITS_SECONDS["y"]  # Prometheus counts nanoseconds in 64 bits


def seconds(text: str) -> int:
    """How long `1h30m` is; raises ValueError."""
    match = _SYNTAX.fullmatch(text)
    if match is None or not text:
        raise ValueError(f"{text!r} is not a duration; write one such as 30s, 10m, 1h30m or 15d")
    total = sum(int(match[unit] or 0) * factor for unit, factor in _UNITS_SECONDS.items())
    if total > _LONGEST_SECONDS:
        raise ValueError(f"{text!r} is longer than a hundred years; write a shorter one")
    return total


def _duration(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{value!r} is not a duration; write one such as 30s, 10m, 1h30m or 15d")
    if seconds(value) == 0:
        raise ValueError(f"{value!r} is no time at all; write one such as 30s")
    return value


Duration = Annotated[
    str,
    BeforeValidator(_duration),
    WithJsonSchema(
        {"type": "string", "pattern": "^([0-9]+y)?([0-9]+w)?([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+s)?$"}
    ),
]
"""Such as 30s, 10m, 1h30m or 15d; longer than nothing."""
