"""`colo check`: everything that is wrong with a stack file, before anything is applied."""

import argparse
import sys
from pathlib import Path

from infra.load import StackFileError
from infra.places import shown, stack_file
from infra.plan import Plan, plan


def configure(parser: argparse.ArgumentParser) -> None:
    """Which file to check."""
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--stack", metavar="NAME", help="the stack: stacks/NAME.yaml is checked")
    which.add_argument("--file", metavar="FILE", type=Path, help="a stack file anywhere")


def run(args: argparse.Namespace) -> int:
    """Print a line for each finding; 1 if one of them is a fault."""
    file: Path = args.file or stack_file(args.stack)
    try:
        ready = plan(file)
    except StackFileError as error:
        for found in error.findings:
            print(found)
        faults = sum(found.severity == "fault" for found in error.findings)
        print(f"{shown(file)}: {_count(faults, 'fault')}", file=sys.stderr)
        return 1
    for found in ready.findings:
        print(found)
    print(f"{shown(file)}: no faults ({_contents(ready)})")
    return 0


def _contents(ready: Plan) -> str:
    stack = ready.stack
    return ", ".join(
        (
            _count(len(stack.pools), "pool"),
            _count(len(stack.tenants), "tenant"),
            _count(len(stack.jobs), "job"),
            _count(sum(found.severity == "warning" for found in ready.findings), "warning"),
        )
    )


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
