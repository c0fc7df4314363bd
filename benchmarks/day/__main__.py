"""Plays a day under each setting, on clusters of several sizes; see docs/results.md. Run by `make bench-day`.

Needs the sandbox with its training operator (`colo sandbox deploy`). Nodes, namespaces and classes of its own
are removed at the end, also after Ctrl-C.
"""

from __future__ import annotations

import argparse
import os
import platform
import signal
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.day import bench, results
from benchmarks.day.api import ApiError
from benchmarks.day.cluster import BenchError, hurried_operator, simulated_cluster
from benchmarks.day.page import percent
from benchmarks.day.results import DayResult, Results, SizeResult
from benchmarks.day.settings import SETTINGS
from benchmarks.day.workload import DAY_HOURS, TRACE_FILE, Mix, draw, small_mix, trace_mix
from infra import versions
from sandbox import cluster, gomod, paths, programs, queueing
from sandbox.errors import SandboxError
from sandbox.progress import Progress

TRACE_VARIABLE = "COLOCATION_TRACE"
SEED = 7


@dataclass(frozen=True)
class Size:
    """How a cluster's day is played: of larger ones half a day, from the trough to the peak, and slower.

    The control plane has one machine, whatever the size: an hour has to last as much longer as more happens
    in it, or it is the machine that is measured.
    """

    nodes: int
    hours: float
    hour_seconds: float
    warm_up_seconds: float = bench.WARM_UP_SECONDS
    """In which the API server takes the jobs that are queued already."""


@dataclass
class Queues:
    """Kueue on the sandbox, for the setting that has queues; it goes again if it was not there before."""

    wanted: bool
    brought: bool = False

    def ensure(self) -> None:
        if self.wanted:
            self.brought = queueing.ensure(Progress())

    def remove(self) -> None:
        if self.brought:
            queueing.remove(Progress())


SIZES = (Size(9, DAY_HOURS, 4.0), Size(50, DAY_HOURS / 2, 16.0, 30.0), Size(200, DAY_HOURS / 2, 20.0, 90.0))


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.day", description=__doc__)
    parser.add_argument("sizes", nargs="*", type=int, help="numbers of nodes; unset: 9, 50 and 200")
    parser.add_argument(
        "--trace",
        type=Path,
        metavar="FOLDER",
        default=os.environ.get(TRACE_VARIABLE),
        help=f"holds {TRACE_FILE}; unset: the variable {TRACE_VARIABLE}, else a small mix of our own",
    )
    parser.add_argument("--settings", default="".join(SETTINGS), help="letters, such as ad")
    parser.add_argument("--hours", type=float, help="only the first hours of the day")
    parser.add_argument("--hour-seconds", type=float, help="how long an hour of the day takes")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument(
        "--out",
        type=Path,
        help="file of the results, whose other sizes stay; unset: .colocation/bench-day/results.json",
    )
    args = parser.parse_args(arguments)
    if not cluster.status().up:
        print("the sandbox is down: run `make up` first", file=sys.stderr)
        return 1
    folder = bench.results_folder(paths.CHECKOUT)
    file: Path = args.out or folder / "results.json"
    mix = _mix(args.trace)
    print(f"sizes and lifetimes from the {mix.source}", flush=True)
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    signal.signal(signal.SIGINT, lambda *_: stop.set())
    known = {size.nodes: size for size in SIZES}
    sizes = [known.get(n, Size(n, DAY_HOURS, 5.0)) for n in args.sizes] or list(SIZES)
    done: list[SizeResult] = []
    queues = Queues("e" in args.settings)
    try:
        queues.ensure()
        with hurried_operator():
            for size in sizes:
                chosen = replace(
                    size,
                    hours=args.hours or size.hours,
                    hour_seconds=args.hour_seconds or size.hour_seconds,
                )
                done.append(_size(chosen, mix, args.settings, args.seed, stop, folder))
                played = Results(mix.source, args.seed, _machine(), _versions(), done)
                results.write(file, results.joined(file, played))
    except (BenchError, ApiError, SandboxError) as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("stopped; everything that the benchmark made is removed", file=sys.stderr)
        return 130
    finally:
        queues.remove()
    print(f"results: {file}")
    return 0


def _size(size: Size, mix: Mix, settings: str, seed: int, stop: threading.Event, folder: Path) -> SizeResult:
    days: list[DayResult] = []
    with simulated_cluster(size.nodes, stop) as ready:
        work = draw(mix, ready.part("online"), ready.part("offline"), seed, size.hours)
        print(f"{size.nodes} nodes: {len(work.services)} services, {len(work.jobs)} jobs", flush=True)
        for letter in settings:
            setting = SETTINGS[letter](work, ready.capacity, folder)
            day = bench.play(
                ready,
                setting,
                work,
                hour_seconds=size.hour_seconds,
                hours=size.hours,
                seed=seed,
                warm_up_seconds=size.warm_up_seconds,
            )
            days.append(day)
            print(_line(day), flush=True)
    return SizeResult(
        nodes=size.nodes,
        capacity=ready.capacity,
        hours=size.hours,
        hour_seconds=size.hour_seconds,
        services=len(work.services),
        jobs=len(work.jobs),
        days=days,
    )


def _line(day: DayResult) -> str:
    return (
        f"  {day.setting} {day.title}: requested {percent(day.requested.cpu)} CPU, "
        f"{percent(day.requested.memory)} memory, {percent(day.requested.gpus)} GPUs; "
        f"used {percent(day.used.cpu)} CPU, {percent(day.used.gpus)} GPUs; "
        f"stalled {percent(day.stalled.cpu)} CPU, {percent(day.stalled.gpus)} GPUs; "
        f"online waits {day.waits.p50:.2f}/{day.waits.p99:.2f}/{day.waits.worst:.2f} s of {day.waits.pods}, "
        f"{day.waits.never_ran} never ran, served {percent(day.online_served)}; {day.offline}; {day.pace}; "
        f"lag {day.observer_lag_seconds:.1f} s, tick {day.slowest_tick_seconds:.2f} s"
    )


def _mix(folder: Path | None) -> Mix:
    if folder is None:
        return small_mix()
    folder = Path(folder)
    if not (folder / TRACE_FILE).is_file():
        print(f"{folder} has no {TRACE_FILE}, so the small mix is taken", file=sys.stderr)
        return small_mix()
    return trace_mix(folder)


def _machine() -> str:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{os.cpu_count()} cores, {memory:.0f} GiB, {platform.system()} {platform.release().split('-')[0]}"


def _versions() -> dict[str, str]:
    return {
        "Kubernetes": gomod.version("kubernetes", programs.KUBERNETES),
        "training-operator": versions.TRAINING_OPERATOR,
        "Kueue": f"v{versions.KUEUE}",
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
