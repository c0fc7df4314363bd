"""A report as text for people, at most 80 columns wide, and as JSON for programs."""

import json
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict

from infra.report.figures import Report
from infra.report.words import Gap, Row, sections, warnings, window_of

FORMATS = ("text", "json")
WIDTH = 80


def written(report: Report, form: str) -> str:
    """In one of FORMATS, without a newline at the end."""
    return json.dumps(as_data(report), indent=2) if form == "json" else "\n".join(_lines(report))


def as_data(report: Report) -> Mapping[str, object]:
    """Everything but the courses in time. Amounts are in cores, bytes and GPUs."""
    return {
        "stack": report.stack,
        "from": report.start.isoformat(),
        "to": report.end.isoformat(),
        "step_seconds": report.step_seconds,
        "covered_percent": report.covered_percent,
        "utilisation": [
            {
                **asdict(use),
                "total": use.total,
                "idle": use.idle,
                "percent": {kind: use.percent(amount) for kind, amount in use.amounts.items()},
                "r1_percent": use.r1_percent,
                "r2_percent": use.r2_percent,
                "machines_saved": use.machines_saved,
            }
            for use in report.uses
        ],
        "demand": [{**asdict(one), "used_percent": one.used_percent} for one in report.demands],
        "harm": [asdict(harm) for harm in report.harms],
        "scheduler_victims": report.victims,
        "jobs": asdict(report.jobs) if report.jobs else None,
        "missing": [asdict(one) for one in report.missing],
    }


def _lines(report: Report) -> Iterator[str]:
    yield f"stack {report.stack}"
    yield window_of(report)
    for warning in warnings(report):
        yield from _wrapped(f"warning: {warning}")
    for section in sections(report):
        yield ""
        yield section.title
        yield from _wrapped(section.about, "  ")
        yield from _table(section.head, section.rows)


def _wrapped(text: str, first: str = "") -> list[str]:
    """Behind a beginning. Names of files and labels stay whole."""
    below = " " * len(first)
    return textwrap.wrap(text, WIDTH, initial_indent=first, subsequent_indent=below, break_on_hyphens=False)


def _table(head: Sequence[str], rows: Sequence[Row]) -> Iterator[str]:
    known = [tuple(head), *(row for row in rows if not isinstance(row, Gap))]
    names = [row.name if isinstance(row, Gap) else row[0] for row in rows]
    widths = [max(len(row[i]) for row in known) for i in range(len(head))]
    widths[0] = max(map(len, names), default=0)
    worded = head[-1] == ""
    if len(known) > 1:
        yield _line(head, widths, worded)
    for row in rows:
        if isinstance(row, Gap):
            first = f"  {row.name.ljust(widths[0])}  "
            yield from _wrapped(row.text, first)
        else:
            yield _line(row, widths, worded)


def _line(row: Sequence[str], widths: Sequence[int], worded: bool) -> str:
    """Numbers end, and words begin, at the same place."""
    words = {0, len(row) - 1} if worded else {0}
    sized = enumerate(zip(row, widths, strict=True))
    cells = [text.ljust(width) if i in words else text.rjust(width) for i, (text, width) in sized]
    return f"  {'  '.join(cells)}".rstrip()
