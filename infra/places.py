"""Where the project keeps what the program reads."""

import os
from functools import lru_cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
STACKS = ROOT / "stacks"
PROJECT = "colocation"
"""Of Pulumi; keys of its config begin with it."""


def stack_file(stack: str) -> Path:
    """The file that describes a stack."""
    return STACKS / f"{stack}.yaml"


def shown(file: Path) -> str:
    """A path as people want to read it: from where they stand, if it is below."""
    return _shown(file, Path.cwd())


@lru_cache(maxsize=64)  # every finding names its file
def _shown(file: Path, here: Path) -> str:
    here = here.resolve()
    whole = Path(os.path.realpath(file))  # unlike `resolve` also of a link that leads to itself
    return str(whole.relative_to(here)) if whole.is_relative_to(here) else str(whole)
