"""Where the project keeps what the program reads."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
STACKS = ROOT / "stacks"


def stack_file(stack: str) -> Path:
    """The file that describes a stack."""
    return STACKS / f"{stack}.yaml"


def shown(file: Path) -> str:
    """A path as people want to read it: from where they stand, if it is below."""
    here = Path.cwd().resolve()
    whole = file.resolve()
    return str(whole.relative_to(here)) if whole.is_relative_to(here) else str(whole)
