"""Writes into the record of a run what `colo report` says of its days: the cores that training requested.

Asks the sandbox's Prometheus, so it is run soon after the benchmark. It asks of days whose training has an
offline class of the deployed stack: those that the program has rendered. Run by `make bench-day`.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from benchmarks.day.page import offline_cpu, percent
from benchmarks.day.results import DayResult, SizeResult, read, write
from benchmarks.results import DAY, FOLDER
from infra import places
from infra.cluster.api_server import ApiServer
from infra.cluster.prometheus import Prometheus
from infra.plan import plan
from infra.report.figures import Report
from infra.report.reader import read as answers
from infra.report.remedies import NothingError
from infra.report.window import Window
from infra.report.work_out import work_out
from sandbox import paths, pulumi
from sandbox.monitoring.objects import NAMESPACE

RENDERED = ("d", "e")


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.day.agreement", description=__doc__)
    parser.add_argument("--results", type=Path, default=FOLDER / DAY)
    args = parser.parse_args(arguments)
    os.environ["KUBECONFIG"] = str(paths.kubeconfig())
    stack = plan(places.stack_file(pulumi.STACK)).stack
    prometheus = Prometheus(ApiServer(), NAMESPACE)

    def asked(size: SizeResult, day: DayResult) -> DayResult:
        if day.setting not in RENDERED:
            return day
        window = window_of(day)
        try:
            report = work_out(pulumi.STACK, window, answers(prometheus, stack, window))
        except NothingError as fault:
            print(f"{size.nodes} nodes, {day.setting}: {fault}")
            return day
        told = reported(size, day, report)
        said = told.reported_offline_cpu
        print(
            f"{size.nodes} nodes, {day.setting}: the observer saw training request "
            f"{percent(offline_cpu(day))} of the CPU, "
            f"and the report says {'nothing' if said is None else percent(said)}"
        )
        return told

    found = read(args.results)
    sizes = [replace(size, days=[asked(size, day) for day in size.days]) for size in found.sizes]
    write(args.results, replace(found, sizes=sizes))
    return 0


def window_of(day: DayResult) -> Window:
    return Window(datetime.fromisoformat(day.began), datetime.fromisoformat(day.ended))


def reported(size: SizeResult, day: DayResult, report: Report) -> DayResult:
    """The day, with what a report says of it, if it does: a busy Prometheus may know too little."""
    for use in report.uses:
        if (use.resource, use.basis) == ("cpu", "requested"):
            return replace(day, reported_offline_cpu=use.amounts["offline"] / size.capacity.cpu)
    return day


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
