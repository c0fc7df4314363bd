"""What a Prometheus says, as plain data."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

SERVICE = "prometheus-operated"
"""That the Prometheus Operator makes for every Prometheus."""

PROXY = "services/proxy"
"""The resource of RBAC by which it is asked."""


@dataclass(frozen=True)
class Sample:
    """One series of an answer, and its value now."""

    labels: Mapping[str, str]
    value: float


@dataclass(frozen=True)
class Course:
    """One series of an answer, in time."""

    labels: Mapping[str, str]
    values: Mapping[int, float]
    """By seconds since 1970; moments without a value are left out."""


@dataclass(frozen=True, kw_only=True)
class Target:
    """Something that is scraped."""

    labels: Mapping[str, str]
    up: bool
    """Also before the first scrape."""
    error: str = ""
    """Of the last scrape."""


@dataclass(frozen=True, kw_only=True)
class Alert:
    """An alert that fires."""

    labels: Mapping[str, str]
    annotations: Mapping[str, str]
    since: str

    @property
    def name(self) -> str:
        return self.labels.get("alertname", "")


@dataclass(frozen=True, kw_only=True)
class Watching:
    """One look at a Prometheus."""

    targets: tuple[Target, ...] = ()
    alerts: tuple[Alert, ...] = ()
    idle_seconds: Mapping[tuple[str, str], float] = field(default_factory=dict)
    """Since a job last got on, by namespace and name, as its own metrics say."""
    now: datetime | None = None
    """By its clock; None where it does not say."""
    since: datetime | None = None
    """Of its oldest sample; None where it does not scrape itself."""
