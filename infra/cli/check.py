"""`colo check`: everything that is wrong with stack files, before anything is applied."""

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

from infra import places
from infra.checks import Located
from infra.cli import UnfitError
from infra.cli.findings import FORMATS, counted, written
from infra.load import UNREADABLE, StackFileError
from infra.models import Stack
from infra.plan import plan


def configure(parser: argparse.ArgumentParser) -> None:
    """Which files to check, and how to say what was found."""
    parser.description = (
        "Find everything that is wrong with stack files; without --stack or --file, with every one of "
        "stacks/*.yaml. Exit code: 0 without faults, 1 with faults, 2 if a file cannot be read."
    )
    parser.epilog = "Every finding ends with a code, which docs/checks explains."
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--stack", metavar="NAME", help="only this stack: stacks/NAME.yaml")
    which.add_argument("--file", metavar="FILE", type=Path, help="a stack file anywhere")
    parser.add_argument("--format", choices=FORMATS, default="text", help="default: %(default)s")
    parser.add_argument(
        "--live",
        action="store_true",
        help="compare a sound stack with the cluster of KUBECONFIG too, which is only read",
    )


@dataclass(frozen=True)
class Checked:
    """What one file holds, and what was found in it."""

    file: Path
    findings: tuple[Located, ...]
    stack: Stack | None
    """None where there are faults."""


def run(args: argparse.Namespace) -> int:
    """Write what was found; 2 if a file cannot be read, 1 if there is a fault."""
    reports = [_checked(file, args.live) for file in _files(args)]
    findings = [found for report in reports for found in report.findings]
    if lines := written(findings, args.format):
        print(lines)
    for report in reports:
        # Whoever reads the other forms by program finds nothing else on stdout.
        good = report.stack is not None and args.format == "text"
        print(_summary(report), file=sys.stdout if good else sys.stderr)
    if any(found.code == UNREADABLE for found in findings):
        return 2
    return 1 if any(found.severity == "fault" for found in findings) else 0


def _files(args: argparse.Namespace) -> list[Path]:
    if args.file is not None or args.stack is not None:
        return [args.file or places.stack_file(args.stack)]
    if args.live:
        raise UnfitError("--live compares one stack with the one cluster of KUBECONFIG; name it by --stack")
    files = sorted(places.STACKS.glob("*.yaml"))
    if not files:
        raise UnfitError(
            f"no stack file is in {places.shown(places.STACKS)}; write one, or name it by --file"
        )
    return files


def _checked(file: Path, live: bool) -> Checked:
    try:
        ready = plan(file)
    except StackFileError as error:
        return Checked(file, error.findings, None)
    if not live:
        return Checked(file, ready.findings, ready.stack)
    from infra.live import examine  # not before: it loads the cluster's client

    findings = tuple(sorted({*ready.findings, *map(ready.source.locate, examine(ready.stack, file.stem))}))
    faulty = any(found.severity == "fault" for found in findings)
    return Checked(file, findings, None if faulty else ready.stack)


def _summary(report: Checked) -> str:
    name, stack = places.shown(report.file), report.stack
    number = {s: sum(f.severity == s for f in report.findings) for s in ("fault", "warning")}
    if stack is None:
        return f"{name}: {counted(number['fault'], 'fault')}"
    contents = (
        counted(len(stack.pools), "pool"),
        counted(len(stack.tenants), "tenant"),
        counted(len(stack.jobs), "job"),
        counted(number["warning"], "warning"),
    )
    return f"{name}: no faults ({', '.join(contents)})"
