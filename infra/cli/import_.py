"""`colo import`: TFJob manifests, as people have them, become entries of a stack file."""

import argparse
import io
import sys
from dataclasses import replace
from pathlib import Path

from infra.checks import Finding, Located
from infra.importing import imported, manifests_of
from infra.importing.documents import MOST_BYTES, STDIN, Reading
from infra.importing.text import written
from infra.reading import UNREADABLE, UnreadableError
from infra.source import Source


def configure(parser: argparse.ArgumentParser) -> None:
    """Which manifests to read."""
    parser.description = (
        "Print an entry for `jobs:` of a stack file, one YAML document for each TFJob without faults. "
        "Findings go to stderr, a line each. Exit code: 0 without faults, 1 with faults, 2 if a file "
        "cannot be read."
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="a YAML file with TFJobs; - for stdin")


def run(args: argparse.Namespace) -> int:
    """Print the entries, and say what was found; 2 if a file cannot be read, 1 if there is a fault."""
    findings: list[Located] = []
    entries: list[str] = []
    for name in args.files:
        reading = _read(name)
        findings += reading.findings
        for manifest in reading.manifests:
            result = imported(manifest.data)
            findings += map(manifest.located, result.findings)
            if result.entry is not None and not manifest.ambiguous:
                entries.append(written(dict(result.entry)))
    for found in sorted(findings):
        print(line(found), file=sys.stderr)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")  # as a stack file is read, whatever the terminal knows
    print("---\n".join(entries), end="")
    if any(found.code == UNREADABLE for found in findings):
        return 2
    return 1 if any(found.severity == "fault" for found in findings) else 0


def line(found: Located) -> str:
    """Severity, place, what is wrong, what to write instead, and what to look up."""
    about = f"{found.code}, {found.object}" if found.object else found.code
    return f"{found.severity} {found.place}: {found.sentence} [{about}]"


def _read(name: str) -> Reading:
    file = STDIN if name == "-" else Path(name)
    try:
        return manifests_of(file, sys.stdin.buffer.read(MOST_BYTES + 1) if name == "-" else None)
    except UnreadableError as error:
        unread = Source.of(file, None, {}).locate(Finding.of(UNREADABLE, (), str(error)))
        return Reading((), (replace(unread, path=""),))
