"""Findings as text for people, as JSON for programs, and as annotations of a pull request on GitHub."""

import dataclasses
import json
from collections.abc import Sequence
from typing import get_args

from infra.checks import Located, Severity

FORMATS = ("text", "json", "github")
_LEVELS: dict[Severity, str] = {"fault": "error", "warning": "warning", "advice": "notice"}


def written(findings: Sequence[Located], form: str) -> str:
    """The findings in one of FORMATS, without a newline at the end."""
    if form == "json":
        return _json(findings)
    return "\n".join(_annotation(found) if form == "github" else str(found) for found in findings)


def _json(findings: Sequence[Located]) -> str:
    """One object: `findings` in order, and `counts` by severity."""
    counts = {severity: sum(f.severity == severity for f in findings) for severity in get_args(Severity)}
    return json.dumps({"findings": [dataclasses.asdict(f) for f in findings], "counts": counts}, indent=2)


def _annotation(found: Located) -> str:
    """A workflow command, as GitHub's runner reads it from any step's output."""
    where = f"file={_property(found.file)},line={found.line},title={_property(found.code)}"
    text = f"{found.path}: {found.sentence}" if found.path else found.sentence
    return f"::{_LEVELS[found.severity]} {where}::{_escaped(text)}"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")


def counted(number: int, what: str) -> str:
    """`1 job`, `2 jobs`."""
    return f"{number} {what}{'' if number == 1 else 's'}"
