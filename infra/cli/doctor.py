"""`colo doctor`: what is wrong with the jobs of a stack, and where the chain breaks."""

import argparse
import sys
from difflib import get_close_matches

from components.cluster_access import NoClusterError
from infra.cli import UnfitError
from infra.cli.findings import counted
from infra.cli.stacks import add_stack, asked, chosen
from infra.doctor import Case, diagnose, look
from infra.doctor.text import FORMATS, written


def configure(parser: argparse.ArgumentParser) -> None:
    """Which job, of which stack."""
    parser.description = (
        "Look at target state, current state, events and logs, in that order; say where the chain breaks, "
        "why, and what mends it. The cluster of KUBECONFIG is only read. Exit code: 0 without faults, 1 with "
        "faults, 2 if there was no way to look."
    )
    parser.epilog = "Every diagnosis has a code, which docs/doctor explains."
    parser.add_argument("job", nargs="?", metavar="JOB", help="only what concerns this job of the stack")
    add_stack(parser)
    parser.add_argument("--format", choices=FORMATS, default="text", help="default: %(default)s")


def run(args: argparse.Namespace) -> int:
    """Write the diagnoses; 2 if the stack or the cluster cannot be looked at, 1 if there is a fault."""
    try:
        server = asked()
        name, ready = chosen(args, server)
        case = look(server, ready, name)
        _known(case, args.job)
    except (NoClusterError, UnfitError) as fault:
        print(f"colo doctor: cannot look: {fault}", file=sys.stderr)
        return 2
    found = diagnose(case, ready, args.job)
    if lines := written(found, server.unread, args.format):
        print(lines, end="\n\n" if args.format == "text" else "\n")
    faults = sum(one.severity == "fault" for one in found)
    pods = sum(len(case.state.pods_of(job)) for job in case.jobs)
    looked_at = f"job {args.job}" if args.job else f"{counted(len(case.jobs), 'job')}, {counted(pods, 'pod')}"
    verdict = f"stack {name}: {counted(faults, 'fault') if faults else 'no faults'} ({looked_at} looked at)"
    print(verdict, file=sys.stdout if args.format == "text" else sys.stderr)
    return 1 if faults else 0


def _known(case: Case, job: str | None) -> None:
    names = [spec.name for spec in case.stack.jobs]
    if job is not None and job not in names and job not in {found.name for found in case.jobs}:
        near = get_close_matches(job, names, n=1)
        known = f"write {near[0]}" if near else f"its jobs are {', '.join(names[:8]) or 'none'}"
        raise UnfitError(f"stack {case.name} has no job {job}; {known}")
