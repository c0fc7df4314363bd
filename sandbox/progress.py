"""What the user sees while something takes long: what is being done, how far it is, how long it took."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TextIO

HEARTBEAT_SECONDS = 15.0


@dataclass(frozen=True)
class Phase:
    """A finished phase and what it took."""

    name: str
    seconds: float


class Step:
    """A phase that lasts; `detail` is asked at every reminder how far it is."""

    def __init__(self) -> None:
        self.detail: Callable[[], str] = lambda: ""


class Progress:
    """Prints lines, never rewrites them: readable on a terminal, in a file and in CI alike.

    `phases` holds the outermost finished phases in order, for a summary.
    """

    def __init__(self, out: TextIO | None = None, *, heartbeat_seconds: float = HEARTBEAT_SECONDS) -> None:
        self.phases: list[Phase] = []
        self._out = out
        self._heartbeat_seconds = heartbeat_seconds
        self._depth = 0

    def say(self, text: str) -> None:
        """One line, indented below the phase it belongs to."""
        print("  " * self._depth + text, file=self._out or sys.stderr, flush=True)

    @contextmanager
    def phase(self, name: str) -> Iterator[Step]:
        """Announce, remind every few seconds while it lasts, and say how long it took."""
        self.say(f"{name} ...")
        self._depth += 1
        started = time.monotonic()
        step = Step()
        finished = threading.Event()
        reminder = threading.Thread(target=self._remind, args=(name, step, finished), daemon=True)
        reminder.start()
        try:
            yield step
        finally:
            finished.set()
            reminder.join()
            self._depth -= 1
            seconds = time.monotonic() - started
            if self._depth == 0:
                self.phases.append(Phase(name, seconds))
        self.say(f"{name}: done in {duration(seconds)}")

    def _remind(self, name: str, step: Step, finished: threading.Event) -> None:
        started = time.monotonic()
        depth = self._depth
        while not finished.wait(self._heartbeat_seconds):
            if depth == self._depth:  # else an inner phase speaks
                detail = step.detail()
                elapsed = duration(time.monotonic() - started)
                self.say(f"{name}: {elapsed}" + (f", {detail}" if detail else ""))


def duration(seconds: float) -> str:
    """Seconds as people say them: `0.4 s`, `12 s`, `3 min 05 s`."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"
