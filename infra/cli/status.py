"""`colo status`: the jobs of a stack at a glance."""

import argparse
import sys
import time

from components.cluster_access import NoClusterError
from infra.cli import UnfitError
from infra.cli.stacks import add_stack, asked, chosen, unlike
from infra.cluster import state
from infra.cluster.api_server import ApiServer
from infra.cluster.overview import Measures, overview
from infra.cluster.prometheus import Prometheus, by_job
from infra.cluster.watching import PROXY
from infra.plan import Plan

_SECONDS = 2
_CLEAR = "\033[H\033[2J"
_BY_JOB = "max by (namespace, tfjob) ({})"  # one pod speaks for a job


def configure(parser: argparse.ArgumentParser) -> None:
    """Which stack, once or again and again."""
    parser.description = (
        "Show jobs with state, pods that are ready, nodes, age, restarts, progress and last loss (where "
        "Prometheus has them), and what each tenant uses of its quota. Exit code: 0, or 2 if there was "
        "no way to look."
    )
    add_stack(parser)
    parser.add_argument("--watch", action="store_true", help=f"again every {_SECONDS} seconds, until Ctrl-C")


def run(args: argparse.Namespace) -> int:
    """Print the overview; 2 if the stack or the cluster cannot be looked at."""
    try:
        name, ready = chosen(args, asked())
        while True:
            text = _overview(name, ready)
            print(f"{_CLEAR}{text}" if args.watch and sys.stdout.isatty() else text, flush=True)
            if not args.watch:
                return 0
            time.sleep(_SECONDS)
    except KeyboardInterrupt:
        if not args.watch:
            raise
        return 0
    except (NoClusterError, UnfitError) as fault:
        print(f"colo status: cannot look: {fault}", file=sys.stderr)
        return 2


def _overview(name: str, ready: Plan) -> str:
    server = asked()
    found = state.read(server, state.OVERVIEW, queues=ready.stack.queueing is not None)
    measures = _measures(server, ready)
    unread = "".join(
        f"\n{'Prometheus' if one.kind == PROXY else one.kind} could not be read ({one.reason})"
        for one in server.unread
    )
    other = unlike(name, server)
    warning = f"{other}\n" if other else ""
    return f"stack {name} at {server.address}\n{warning}\n{overview(ready.stack, found, measures)}{unread}"


def _measures(server: ApiServer, ready: Plan) -> Measures | None:
    if ready.stack.monitoring is None:
        return None
    prometheus = Prometheus(server, ready.stack.monitoring.namespace)
    epochs = prometheus.query(_BY_JOB.format("training_epoch"))
    if epochs is None:
        return None  # said once; the others would not be answered either
    steps = prometheus.query(_BY_JOB.format("training_step"))
    losses = prometheus.query(_BY_JOB.format("training_loss"))
    return Measures(*(by_job(found) for found in (epochs, steps, losses)))
