"""The folder of dashboards beside a stack file, of which only those are read that the stack names."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from infra.plain_files import UnusableError, text_of


@dataclass(frozen=True)
class DashboardFiles:
    """What the folder holds."""

    texts: Mapping[str, str] = field(default_factory=dict)
    """Of the dashboards that the stack names."""
    unusable: Mapping[str, str] = field(default_factory=dict)
    """Those that it names and that are there, but no text: `<what is wrong>; <what to do>`."""
    others: tuple[str, ...] = ()
    """Names of the rest."""


def dashboard_files(folder: Path, named: Collection[str]) -> DashboardFiles:
    """Read the dashboards that the stack names."""
    texts, unusable, others = {}, {}, []
    for file in sorted(folder.glob("*.json")):
        if file.name not in named:
            others.append(file.name)
            continue
        try:
            texts[file.name] = text_of(file, "split it into several")
        except UnusableError as error:
            unusable[file.name] = str(error)
    return DashboardFiles(texts, unusable, tuple(others))
