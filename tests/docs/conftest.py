"""The project's own pages, as a test reads them."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
_FENCE = re.compile(r"^[ ]*```(\w*)\n(.*?)^[ ]*```", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Page:
    """A Markdown file."""

    file: Path

    @property
    def text(self) -> str:
        return self.file.read_text("utf-8")

    def blocks(self, language: str) -> list[str]:
        """The contents of the fenced blocks of one language."""
        return [content for found, content in _FENCE.findall(self.text) if found == language]

    def spans(self) -> list[str]:
        """What stands between backticks outside of blocks."""
        return re.findall(r"`([^`\n]+)`", _FENCE.sub("", self.text))

    def commands(self) -> list[str]:
        """Everything that a reader may type: lines of shell blocks, and spans."""
        lines = [
            line.partition(" #")[0].strip() for block in self.blocks("sh") for line in block.splitlines()
        ]
        return [line for line in [*lines, *self.spans()] if line]

    def section(self, heading: str) -> str:
        """What stands below a `##` heading, up to the next one."""
        [found] = re.findall(
            rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", self.text, re.MULTILINE | re.DOTALL
        )
        return str(found)

    def typed(self, heading: str) -> list[str]:
        """The lines of the shell blocks of a section, as they are typed."""
        blocks = [content for found, content in _FENCE.findall(self.section(heading)) if found == "sh"]
        return [line.strip() for block in blocks for line in block.splitlines()]

    def links(self) -> list[str]:
        """Targets of links."""
        return re.findall(r"\]\(([^)\s]+)\)", _FENCE.sub("", self.text))


def committed_files() -> list[Path]:
    """Files of the project that Git keeps or would keep."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout.decode()
    files = [ROOT / name for name in listed.split("\0") if name]
    return sorted(file for file in files if file.is_file())


def pages() -> list[Path]:
    return [file for file in committed_files() if file.suffix == ".md"]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that asks for a `page` runs once for each."""
    if "page" in metafunc.fixturenames:
        found = [Page(file) for file in pages()]
        metafunc.parametrize("page", found, ids=[str(page.file.relative_to(ROOT)) for page in found])


@pytest.fixture
def root() -> Path:
    return ROOT


@pytest.fixture
def committed() -> list[Path]:
    return committed_files()
