"""Cron texts and time zones as a CronJob takes them, each refused with the rule that it breaks.

Source of the rules: the CronJob controller reads cron texts with robfig/cron v3 (`ParseStandard`), and
the API server refuses a time zone inside the text.
"""

import re
import zoneinfo
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from difflib import get_close_matches
from functools import lru_cache
from typing import Annotated

from pydantic import AfterValidator, Field

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_SHORT = {
    "@annually": "0 0 1 1 *",
    "@daily": "0 0 * * *",
    "@hourly": "0 * * * *",
    "@midnight": "0 0 * * *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@yearly": "0 0 1 1 *",
}
_LOOKED_BACK = timedelta(days=7)
_STEP = re.compile(r"0{0,9}[1-9][0-9]{0,17}", re.ASCII)  # an integer of 64 bits
_LONGEST_MONTHS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


@dataclass(frozen=True)
class _Part:
    """One of the five fields: its name, its bounds, and the names that some of its numbers have."""

    name: str
    low: int
    high: int
    names: Mapping[str, int] = field(default_factory=dict)

    def values(self, text: str) -> set[int]:
        """The numbers that the field stands for."""
        return {value for item in text.split(",") for value in self._item(item)}

    def _item(self, item: str) -> range:
        span, slash, step = item.partition("/")
        first, dash, last = span.partition("-")
        if span in ("*", "?"):
            low, high = self.low, self.high
        else:
            low = self._number(first, item)
            high = self._number(last, item) if dash else self.high if slash else low
        if low > high:
            raise ValueError(f"{item!r} of the {self.name} ends before it begins; write the lower one first")
        if slash and not _STEP.fullmatch(step):
            raise ValueError(f"{item!r} of the {self.name} has no step; write one of 1 or more, such as */5")
        return range(low, high + 1, int(step) if slash else 1)

    def _number(self, text: str, item: str) -> int:
        if text.lower() in self.names:
            return self.names[text.lower()]
        if text.isdecimal() and text.isascii() and self.low <= int(text) <= self.high:
            return int(text)
        wanted = f"write {self.low} to {self.high}"
        if self.names:
            wanted += f", or {' to '.join((next(iter(self.names)), list(self.names)[-1]))}"
        if self.name == "day of week" and text == "7":
            wanted = "write 0 for Sunday"
        raise ValueError(f"{item!r} is not a {self.name}; {wanted}")


_PARTS = (
    _Part("minute", 0, 59),
    _Part("hour", 0, 23),
    _Part("day of month", 1, 31),
    _Part("month", 1, 12, {name: i for i, name in enumerate(_MONTHS, 1)}),
    _Part("day of week", 0, 6, {name: i for i, name in enumerate(_DAYS)}),
)


def _cron(value: str) -> str:
    text = value.strip()
    if text.upper().startswith(("TZ=", "CRON_TZ=")):
        zone = text.split()[0].partition("=")[2]
        raise ValueError(f"Kubernetes takes no time zone in the cron text; write time_zone: {zone}")
    if text.startswith("@"):
        return _short(text)
    fields = text.split()
    if len(fields) != len(_PARTS):
        names = ", ".join(part.name for part in _PARTS)
        raise ValueError(f"{value!r} has {len(fields)} fields; write five: {names}")
    _, _, days, months, _ = (part.values(given) for part, given in zip(_PARTS, fields, strict=True))
    # Where both kinds of day are restricted, either of them is enough.
    if _any_day(fields[4]) and min(days) > max(_LONGEST_MONTHS[month - 1] for month in months):
        raise ValueError(f"{value!r} names a day that none of its months has; write an earlier day")
    return " ".join(fields)


def _any_day(field: str) -> bool:
    """Whether the controller takes one of the two fields for any day; with a step it names some days."""
    parts = (item.partition("/") for item in field.split(","))
    return any(span in ("*", "?") and int(step or 1) == 1 for span, _, step in parts)


def _short(text: str) -> str:
    if text in _SHORT:
        return text
    if text.startswith("@every"):
        raise ValueError(
            f"{text!r} counts from a start that a CronJob has not; write fields, such as */30 * * * *"
        )
    [near] = get_close_matches(text, _SHORT, n=1) or ["@daily"]
    raise ValueError(f"{text!r} is not known; write {near}, or five fields such as 0 2 * * *")


def last_due(cron: str, zone: str, since: datetime, until: datetime) -> datetime | None:
    """The last minute after `since`, not after `until`, that a sound cron text means; None if none is.

    It looks back a week and no further, and knows nothing on a machine without the IANA database.
    """
    if zone not in _time_zones():
        return None
    fields = _SHORT.get(cron, cron).split()
    minutes, hours, days, months, weekdays = (
        part.values(given) for part, given in zip(_PARTS, fields, strict=True)
    )
    any_day = _any_day(fields[2]) or _any_day(fields[4])
    at = until.astimezone(zoneinfo.ZoneInfo(zone)).replace(second=0, microsecond=0)
    earliest = max(since, until - _LOOKED_BACK)
    while (moment := at.astimezone(UTC)) > earliest:
        of_days = at.day in days, at.isoweekday() % 7 in weekdays
        # Where both kinds of day are restricted, either of them is enough.
        on_day = all(of_days) if any_day else any(of_days)
        if at.minute in minutes and at.hour in hours and at.month in months and on_day:
            return moment
        at = (moment - timedelta(minutes=1)).astimezone(at.tzinfo)
    return None


def time_zone(value: str) -> str:
    """A name of the IANA database; raises ValueError."""
    known = _time_zones()
    if known and value not in known:  # empty on a machine without the database: then Kubernetes decides
        close = get_close_matches(value, known, n=1, cutoff=0.85)  # a slip, not another town
        remedy = f"write {close[0]}" if close else "write one such as Etc/UTC or Asia/Shanghai"
        raise ValueError(f"{value!r} is not a time zone of the IANA database; {remedy}")
    return value


@lru_cache
def _time_zones() -> frozenset[str]:
    # localtime: whatever the machine is set to; Kubernetes refuses it
    return frozenset(zoneinfo.available_timezones() - {"localtime"})


Cron = Annotated[str, AfterValidator(_cron), Field(min_length=1)]
"""Five fields with numbers, ranges, lists, steps, names of months and days; or @hourly, @daily, …"""
TimeZone = Annotated[str, AfterValidator(time_zone)]
"""A name of the IANA database."""
