"""The entry as it is written: its data, where each part of it comes from, and what was found on the way."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from components.rendering.overrides import merged
from infra.checks import Finding
from infra.models.base import Loc

Data = Mapping[str, Any]
"""A part of a manifest whose fields and types are known to be right."""


@dataclass(frozen=True)
class Piece:
    """One thing that a pod says, as a field of the job has it and as the API has it."""

    name: str
    """The job's field; where there is none, any name that tells pieces apart."""
    raw: Data
    """Of the pod's spec: for `pod_overrides`."""
    place: Loc
    typed: Any = None
    """Value of the job's field; None if no field says it."""
    places: Mapping[Loc, Loc] = field(default_factory=dict)
    """Where parts of `typed` come from, for those that do not stand in the same order below `place`."""


@dataclass
class Entry:
    """An entry in the making."""

    manifest: Data
    data: dict[str, Any] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    _places: dict[Loc, Loc] = field(default_factory=dict)

    def put(self, at: Loc, value: Any, place: Loc) -> None:
        """Write a value; one that is empty is not written, but its place is known."""
        self.comes_from(at, place)
        if value is None or value == {} or value == []:
            return
        data = self.data
        for key in at[:-1]:
            data = data.setdefault(str(key), {})
        data[str(at[-1])] = value

    def comes_from(self, at: Loc, place: Loc) -> None:
        """Remember where a part of the entry stands in the manifest."""
        self._places.setdefault(at, place)

    def override(self, at: Loc, raw: Data, place: Loc) -> None:
        """Merge raw fields of the pod's spec into the `pod_overrides` at a place."""
        if not raw:
            return
        target = self.data
        for key in at:
            target = target.setdefault(str(key), {})
        target["pod_overrides"] = merged(target.get("pod_overrides", {}), raw)
        self.comes_from((*at, "pod_overrides"), place)

    def place(self, loc: Loc) -> Loc:
        """A place in the entry as a place in the manifest: as precise as the two are alike."""
        known = next((loc[:n] for n in range(len(loc), -1, -1) if loc[:n] in self._places), ())
        place = self._places.get(known, ())
        value: Any = at(self.manifest, place)
        for part in loc[len(known) :]:
            for key in (part, _camel(part), str(part).replace("_", "-")):
                try:
                    value = value[key]
                except (KeyError, IndexError, TypeError):
                    continue
                place = (*place, key)
                break
            else:
                return place
        return place


def at(data: Any, place: Sequence[str | int]) -> Any:
    """What stands at a place, or None."""
    for part in place:
        try:
            data = data[part]
        except (KeyError, IndexError, TypeError):
            return None
    return data


def _camel(part: str | int) -> str:
    return re.sub(r"_([a-z])", lambda found: found[1].upper(), str(part))
