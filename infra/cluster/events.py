"""Events: what a controller said about an object, an hour long. Pure."""

from dataclasses import dataclass
from datetime import datetime

from infra.cluster.objects import Object, moment


@dataclass(frozen=True)
class Event:
    """A sentence about an object."""

    raw: Object

    @property
    def about(self) -> tuple[str, str, str]:
        """Kind, namespace and name of the object."""
        found = self.raw.get("involvedObject") or {}
        return str(found.get("kind") or ""), str(found.get("namespace") or ""), str(found.get("name") or "")

    @property
    def uid(self) -> str:
        """Of the object: another one may bear its name by now."""
        return str((self.raw.get("involvedObject") or {}).get("uid") or "")

    @property
    def reason(self) -> str:
        return str(self.raw.get("reason") or "")

    @property
    def warns(self) -> bool:
        return self.raw.get("type") == "Warning"

    @property
    def message(self) -> str:
        """In one line."""
        return " ".join(str(self.raw.get("message") or "").split())

    @property
    def count(self) -> int:
        """How often it was said, word for word."""
        return int(self.raw.get("count") or 1)

    @property
    def at(self) -> datetime | None:
        """When it was last said."""
        series = self.raw.get("series") or {}
        stated = (series.get("lastObservedTime"), self.raw.get("lastTimestamp"), self.raw.get("eventTime"))
        return moment(next((time for time in stated if time), None))

    def __str__(self) -> str:
        return f"{self.reason}: {self.message}"
