"""A stack file becomes a Stack, or a finding for each thing that is wrong with it."""

from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from infra.checks.findings import Located
from infra.complaints import complaints
from infra.layers import layered
from infra.models import Stack
from infra.reading import UNREADABLE, StackFileError
from infra.salvage import Part, salvaged, whole
from infra.source import Source

__all__ = ["UNREADABLE", "Draft", "StackFileError", "load"]


@dataclass(frozen=True)
class Draft:
    """What a file says, whatever is wrong with it."""

    source: Source
    faults: tuple[Located, ...]
    part: Part
    """All of the stack, where nothing is wrong; else what can still be checked."""


def load(file: Path) -> Draft:
    """Read a stack file; raises StackFileError if it is no file that can be read."""
    layer = layered(file)
    source = layer.source
    try:
        return Draft(source, layer.faults, whole(Stack.model_validate(source.data)))
    except ValidationError as error:
        found = tuple(complaints(error, Stack))
    located = (source.locate(finding) for finding in found)
    part = salvaged(source.data, [finding.place for finding in found])
    return Draft(source, (*layer.faults, *located), part)
