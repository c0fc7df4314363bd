"""Containers as the API serves them: whether they run, and how they ended. Pure."""

from dataclasses import dataclass
from datetime import datetime

from infra.cluster.objects import Object, moment


@dataclass(frozen=True)
class Ended:
    """How a container ended."""

    raw: Object

    @property
    def code(self) -> int:
        """Exit code; 128 and a signal's number where that ended it."""
        return int(self.raw.get("exitCode", 0))

    @property
    def reason(self) -> str:
        return str(self.raw.get("reason") or "")

    @property
    def message(self) -> str:
        """What the runtime said, or what the container wrote to its termination log."""
        return str(self.raw.get("message") or "").strip()

    @property
    def at(self) -> datetime | None:
        return moment(self.raw.get("finishedAt"))


@dataclass(frozen=True)
class Container:
    """A container's state."""

    raw: Object

    @property
    def name(self) -> str:
        return str(self.raw["name"])

    @property
    def restarts(self) -> int:
        return int(self.raw.get("restartCount") or 0)

    @property
    def running(self) -> bool:
        return "running" in (self.raw.get("state") or {})

    @property
    def waits(self) -> tuple[str, str] | None:
        """Reason and message of a container that does not run yet, or not again."""
        waiting = (self.raw.get("state") or {}).get("waiting")
        if waiting is None:
            return None
        return str(waiting.get("reason") or ""), str(waiting.get("message") or "")

    @property
    def ended(self) -> Ended | None:
        """How it ended, where it has."""
        found = (self.raw.get("state") or {}).get("terminated")
        return None if found is None else Ended(found)

    @property
    def ended_before(self) -> Ended | None:
        """How it ended the time before."""
        found = (self.raw.get("lastState") or {}).get("terminated")
        return None if found is None else Ended(found)
