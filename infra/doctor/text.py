"""Diagnoses as text for people, and as JSON for programs."""

import dataclasses
import json
from collections.abc import Sequence
from typing import get_args

from infra.checks import Severity
from infra.cluster.objects import Unread
from infra.cluster.watching import PROXY
from infra.doctor.chain import Diagnosis

FORMATS = ("text", "json")
_CONTROLS = dict.fromkeys((*range(ord("\n")), *range(ord("\n") + 1, 32), *range(127, 160)), " ")
"""Characters of logs that would move a terminal's cursor, or have it do more."""


def written(found: Sequence[Diagnosis], unread: Sequence[Unread], form: str) -> str:
    """In one of FORMATS, without a newline at the end."""
    if form == "json":
        return _json(found, unread)
    return "\n\n".join((*map(_text, found), *map(_unread, unread))).translate(_CONTROLS)


def _json(found: Sequence[Diagnosis], unread: Sequence[Unread]) -> str:
    """One object: `diagnoses` in order, what could not be read, and `counts` by severity."""
    counts = {severity: sum(d.severity == severity for d in found) for severity in get_args(Severity)}
    return json.dumps(
        {
            "diagnoses": [dataclasses.asdict(one) for one in found],
            "unread": [dataclasses.asdict(one) for one in unread],
            "counts": counts,
        },
        indent=2,
    )


def _text(found: Diagnosis) -> str:
    """The cause, then what was seen at each step; `>` stands where the chain breaks."""
    lines = [f"{found.severity}: {found.object}: {found.cause} [{found.code}]"]
    for step, text in found.shown():
        mark = ">" if step == found.breaks_at else " "
        lines.append(f"  {mark} {step:<8} {text}")
    others = [name for name in found.affects if not found.object.endswith(f"/{name}")]
    if others:
        lines.append(
            f"    stops    {', '.join(others[:8])}" + (f" and {len(others) - 8} more" if others[8:] else "")
        )
    lines.append(f"    fix      {found.fix}")
    return "\n".join(lines)


def _unread(one: Unread) -> str:
    if one.kind == PROXY:
        return (
            f"advice: Prometheus could not be asked: nothing is said of metrics and alerts ({one.reason})\n"
            "    fix      if rights are missing: an account as in rbac/metrics-reader.yaml"
        )
    return (
        f"advice: {one.kind} could not be read, so nothing is said of them ({one.reason})\n"
        "    fix      if rights are missing: an account as in rbac/reader.yaml"
    )
