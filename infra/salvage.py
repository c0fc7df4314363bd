"""What of a faulty stack file can still be checked, so that one run finds all that is wrong."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from infra.checks.findings import EVERY_LIST
from infra.models import Stack
from infra.models.base import Loc
from infra.models.stack import NAMED_LISTS


@dataclass(frozen=True)
class Part:
    """A stack without the items that are not valid by themselves."""

    stack: Stack
    positions: Mapping[str, tuple[int, ...]]
    """Where in the file the items of each list stand."""
    incomplete: frozenset[str]
    """The lists that have lost an item: what seems missing there may only be faulty."""

    def allows(self, presumed: str | None) -> bool:
        """Whether what a finding presumes to be complete is so."""
        return not self.incomplete if presumed == EVERY_LIST else presumed not in self.incomplete

    def place(self, loc: Loc) -> Loc:
        """A place in `stack` as a place in the file."""
        kept = self.positions.get(str(loc[0])) if loc else None
        if kept is None or len(loc) == 1:
            return loc
        return (loc[0], kept[int(loc[1])], *loc[2:])


def whole(stack: Stack) -> Part:
    """Nothing is wrong with it."""
    return Part(stack, {}, frozenset())


def salvaged(data: Mapping[str, Any], faulty: Iterable[Loc]) -> Part:
    """The stack without everything that stands above one of the faulty places."""
    marks = {loc[:2] for loc in faulty}
    kept: dict[str, Any] = {}
    positions: dict[str, tuple[int, ...]] = {}
    incomplete = set()
    for kind, value in data.items():
        if kind in NAMED_LISTS and isinstance(value, list):
            good = tuple(i for i in range(len(value)) if (kind, i) not in marks)
            kept[kind], positions[kind] = [value[i] for i in good], good
            if len(good) < len(value):
                incomplete.add(kind)
        elif any(mark[:1] == (kind,) for mark in marks):
            incomplete.add(kind)
        else:
            kept[kind] = value
    try:
        return Part(Stack.model_validate(kept), positions, frozenset(incomplete))
    except ValidationError:  # a fault that belongs to no item: then nothing is checked further
        return Part(Stack(), {}, frozenset(NAMED_LISTS))
