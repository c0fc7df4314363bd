"""The time that a report is about, and the moments at which it looks."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from infra.models.durations import seconds

SHORTEST_SECONDS = 60
MOST_POINTS = 288
"""Of a course in time: enough for a picture. Prometheus itself answers with 11,000 at most."""
_DAY = 86400
_STEPS_SECONDS = (15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200)


class WindowError(ValueError):
    """What was asked for is no window: one sentence, with the remedy."""


@dataclass(frozen=True)
class Window:
    """From a moment to another, both in UTC and whole seconds."""

    start: datetime
    end: datetime

    @property
    def seconds(self) -> int:
        return int((self.end - self.start).total_seconds())

    @property
    def step_seconds(self) -> int:
        """Between two moments at which it is looked."""
        finest = self.seconds / MOST_POINTS
        fitting = (step for step in _STEPS_SECONDS if step >= finest)
        return next(fitting, _DAY * -(-self.seconds // (MOST_POINTS * _DAY)))

    @property
    def moments(self) -> tuple[datetime, ...]:
        """The ends of the steps, the last of which is the end of the window."""
        step = self.step_seconds
        return tuple(self.end - timedelta(seconds=step * i) for i in reversed(range(self.seconds // step)))

    def __str__(self) -> str:
        return f"{written(self.start)} to {written(self.end)} UTC"


def back_from(now: datetime, length: str) -> Window:
    """A duration such as 1d or 12h, until now; raises WindowError."""
    try:
        lasting = seconds(length)
    except ValueError as fault:
        raise WindowError(str(fault)) from None
    try:
        return _window(now - timedelta(seconds=lasting), now)
    except OverflowError:
        raise WindowError(f"{length} ago there was no calendar; write a shorter time") from None


def between(now: datetime, start: str, end: str | None) -> Window:
    """Between two moments as RFC 3339 writes them; without an end until now. Raises WindowError."""
    begin, until = _moment(start), _moment(end) if end is not None else now
    for given, moment, side in ((end, until, "end"), (start, begin, "beginning")):
        if moment > now:
            raise WindowError(
                f"{given} is yet to come: it is {written(now)} UTC in the cluster; write an earlier {side}"
            )
    return _window(begin, until)


def _window(start: datetime, end: datetime) -> Window:
    window = Window(_whole(start), _whole(end))
    if window.seconds < SHORTEST_SECONDS:
        order = "ends before it begins" if window.seconds < 0 else f"lasts {window.seconds} s"
        raise WindowError(f"the window {order}; write one of {SHORTEST_SECONDS} s at least")
    return window


def _moment(text: str) -> datetime:
    example = "write one such as 2026-03-01T08:00:00Z"
    try:
        found = datetime.fromisoformat(text)
        if found.tzinfo is None:
            raise WindowError(f"{text!r} does not say in which time zone; {example}")
        return found.astimezone(UTC)
    except WindowError:
        raise
    except (ValueError, OverflowError):
        raise WindowError(f"{text!r} is no moment as RFC 3339 writes them; {example}") from None


def _whole(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(microsecond=0)


def written(moment: datetime) -> str:
    """As `2026-03-01 08:00`, with seconds only where there are some."""
    return moment.strftime("%Y-%m-%d %H:%M:%S" if moment.second else "%Y-%m-%d %H:%M")
