"""Whether `colo report` says of a day what the observer saw: the cores that training requested.

Asks the sandbox's Prometheus, so it is run soon after the benchmark. It compares days whose training has an
offline class of the deployed stack: those that the program has rendered.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from benchmarks.day.results import DayResult, SizeResult, read
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
    for size in read(args.results).sizes:
        for day in size.days:
            if day.setting in RENDERED:
                window = window_of(day)
                try:
                    report = work_out(pulumi.STACK, window, answers(prometheus, stack, window))
                except NothingError as fault:
                    print(f"{size.nodes} nodes, {day.setting}: {fault}")
                    continue
                print(f"{size.nodes} nodes, {day.setting}: {compared(size, day, report)}")
    return 0


def window_of(day: DayResult) -> Window:
    return Window(datetime.fromisoformat(day.began), datetime.fromisoformat(day.ended))


def compared(size: SizeResult, day: DayResult, report: Report) -> str:
    """Both figures, and by how much the report's is larger."""
    seen = (day.requested.cpu - day.online_requested.cpu) * size.capacity.cpu
    [use] = [use for use in report.uses if (use.resource, use.basis) == ("cpu", "requested")]
    told = use.amounts["offline"]
    return (
        f"the observer saw training request {seen:.1f} cores, the report says {told:.1f} "
        f"({100 * (told / seen - 1):+.0f} %)"
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
