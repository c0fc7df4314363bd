"""Times as diagnoses write them."""

from datetime import UTC, datetime


def duration(seconds: float) -> str:
    """`90 s`, `12 min`, `3 h`, `4 d`: two of a unit at least."""
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"


def clock_time(at: datetime) -> str:
    """To the second, as the API writes times."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
