"""The day's part of docs/results.md, and its pictures, from the record of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

from benchmarks.day import driver, measure, nodes, settings, workload
from benchmarks.day.results import DayResult, Results, SizeResult

PICTURES = "results"
"""Folder of the pictures, beside the page."""
Row = tuple[str, Callable[[DayResult], str]]
_ABOUT = """\
Run of {date} on {machine}; {versions}; seed {seed}. Sizes and lifetimes are from the {source}.

Scheduler, controllers, API server and training operator are the real programs of the sandbox; nodes and the
running of pods are simulated. In each setting the same nodes get the same services and the same jobs.

- Nodes: {masters} masters, which take no work and are not counted. Of the others {with_gpus} have
  {gpu.cpu:g} cores, {gpu.memory:g} GiB and {gpu.gpus} GPUs, the rest {cpu.cpu:g} cores and {cpu.memory:g}
  GiB. Separate pools give {training} of those with GPUs to jobs, and all else to services.
- Settings. a: pools of nodes for services and for jobs, and nothing else. b: all nodes for both, and
  nothing else. c: all nodes for both, jobs of a class of value 1000 and services of none, which is 0; a taint
  on nodes with GPUs; and a quota for jobs, of {quota.cpu:g} cores and {quota.memory:g} GiB where the nodes
  have {cores} cores. d: a stack of this project, with services above jobs and a quota of the whole cluster.
  e: the same with [queues](tasks/queueing.md) and a quota of what services leave at their peak.
- Services: at night {trough} of their peak, each with a peak hour and noise of its own. All peaks together
  request {peak} of what separate pools give to services.
- Jobs: {work} of the hours of cores and GPUs that services leave free, so that there is always a queue;
  {gangs} workers, {low:g} to {high:g} hours. A job makes progress only while all its workers run.
- A job whose workers have waited for each other for {patience:g} hours is given up by its owner and
  submitted anew: a deadlock.
- A training that has a place for checkpoints loses what it did since the last, written every {checkpoint:g}
  hours; one that has none loses all. Of production stacks the program demands such a place.
- Use is simulated, between these shares of what a pod requests; jobs use CPU and GPUs only while all
  workers run:
"""
_LIMITS = """\
### What this does not show

- A simulated pod ends at once when it is told to. A real one may take up to its grace period, and a service
  that waits for its place waits as long.
- The operator fails a job of several workers when it sees one of them being deleted. Simulated pods are
  gone so fast that it often does not see it, and such jobs go on; real ones begin anew.
- The day is compressed and the control plane is not: what takes it a second takes minutes of that day. The
  scheduler, the controllers, the training operator and Kueue may therefore ask the API server more often
  than by default. All share one machine.
- Each setting is played once. Whether jobs block each other with half of their workers is chance, most of
  all in the small pool that a gives them: another run has other deadlocks, and so another use of a.
- Use is drawn, not measured. Requests, places, waits and preemptions are what the real scheduler did."""
_PACE = """\
By the scheduler's own metrics: the time in which it decides for a pod, and the time from when a pod may be
scheduled until it is, all attempts together. Both grow with what waits, not only with nodes."""


def page(results: Results) -> str:
    """The part as Markdown."""
    lines = [
        "## A day, on the real scheduler: `make bench-day`",
        "",
        *_about(results),
    ]
    for size in results.sizes:
        lines += ["", *_size(size)]
    lines += ["", *_cost(results.sizes), "", _LIMITS]
    return "\n".join(lines) + "\n"


def _about(results: Results) -> Iterator[str]:
    low, high = workload.LIFETIME_HOURS
    yield _ABOUT.format(
        date=results.sizes[0].days[0].began[:10],
        machine=results.machine,
        versions=", ".join(f"{name} {version}" for name, version in results.versions.items()),
        seed=results.seed,
        source=results.source,
        masters=nodes.MASTERS,
        with_gpus=_in(nodes.GPU_SHARE),
        training=_in(nodes.TRAINING_SHARE),
        quota=settings.ARTICLE_QUOTA,
        cores=settings.ARTICLE_CORES,
        gpu=nodes.GPU_NODE,
        cpu=nodes.CPU_NODE,
        trough=percent(workload.TROUGH),
        peak=percent(workload.PEAK_SHARE),
        work=percent(workload.WORK),
        gangs=", ".join(map(str, workload.GANGS)),
        low=low,
        high=high,
        patience=driver.PATIENCE_HOURS,
        checkpoint=driver.CHECKPOINT_HOURS,
    )
    yield from ("| | CPU | memory | GPUs |", "| --- | ---: | ---: | ---: |")
    for who, online in (("services", True), ("jobs", False)):
        shares = [" to ".join(map(percent, measure.USE[online, name])) for name in measure.RESOURCES]
        yield f"| {who} | " + " | ".join(shares) + " |"


def _size(size: SizeResult) -> Iterator[str]:
    yield from (
        f"### {size.nodes} nodes",
        "",
        f"{size.services} services and {size.jobs} jobs; {size.hours:g} hours of the day, "
        f"{size.hour_seconds:g} s each.",
        "",
        *_table(_ROWS, size.days),
        "",
        f"![CPU requested over the day]({PICTURES}/day-{size.nodes}-requested.svg)",
        f"![Utilisation by setting]({PICTURES}/day-{size.nodes}-utilisation.svg)",
        "",
        *_aims(size.days),
    )


def _table(rows: Sequence[Row], days: Sequence[DayResult]) -> Iterator[str]:
    yield "| | " + " | ".join(f"{day.setting}. {day.title}" for day in days) + " |"
    yield "| --- |" + " ---: |" * len(days)
    for name, value in rows:
        yield f"| {name} | " + " | ".join(map(value, days)) + " |"


def _aims(days: Sequence[DayResult]) -> Iterator[str]:
    """What each setting reaches beside the first."""
    first = days[0]
    yield f"Beside setting {first.setting}:"
    yield ""
    for day in days[1:]:
        most = 1 / first.requested.cpu if first.requested.cpu else 0
        yield (
            f"- {day.setting}: by request {_times(day.requested.cpu, first.requested.cpu)} the CPU (a full "
            f"cluster would be {most:.1f} times) and "
            f"{_times(day.requested.gpus, first.requested.gpus)} the GPUs; "
            f"by use {_times(day.used.cpu, first.used.cpu)} the CPU and "
            f"{_times(day.used.gpus, first.used.gpus)} the GPUs; "
            f"{_times(day.offline.core_hours, first.offline.core_hours)} the training. "
            f"The longest wait of a service is {_more(day.waits.worst, first.waits.worst)} s more; "
            f"{day.waits.never_ran} pods of services never ran; {day.offline.deadlocks} deadlocks."
        )


def _cost(sizes: Sequence[SizeResult]) -> Iterator[str]:
    """How cost grows with the cluster."""
    yield from (
        "### How cost grows",
        "",
        "| nodes | setting | decisions | time for one, ms | until bound, s |",
    )
    yield "| ---: | --- | ---: | ---: | ---: |"
    for size in sizes:
        for day in size.days:
            yield (
                f"| {size.nodes} | {day.setting} | {day.pace.attempts} | {day.pace.decision * 1000:.2f} "
                f"| {day.pace.until_bound:.2f} |"
            )
    yield ""
    yield _PACE


_ROWS: Sequence[Row] = (
    ("CPU requested", lambda day: percent(day.requested.cpu)),
    ("CPU requested by jobs", lambda day: percent(offline_cpu(day))),
    ("the same, by `colo report`", lambda day: _reported(day.reported_offline_cpu)),
    ("memory requested", lambda day: percent(day.requested.memory)),
    ("GPUs requested", lambda day: percent(day.requested.gpus)),
    ("CPU used", lambda day: percent(day.used.cpu)),
    ("memory used", lambda day: percent(day.used.memory)),
    ("GPUs used", lambda day: percent(day.used.gpus)),
    ("CPU held by jobs that wait for workers", lambda day: percent(day.stalled.cpu)),
    ("GPUs held by jobs that wait for workers", lambda day: percent(day.stalled.gpus)),
    ("pods of services created", lambda day: str(day.waits.pods)),
    ("their wait, P50", lambda day: f"{day.waits.p50:.2f} s"),
    ("their wait, P99, of 100 or more", lambda day: _wait_p99(day.waits)),
    ("their wait, longest", lambda day: f"{day.waits.worst:.2f} s"),
    ("pods of services that never ran", lambda day: str(day.waits.never_ran)),
    ("pods of services preempted", lambda day: str(day.online_preempted)),
    ("of the replicas wanted, ran", lambda day: percent(day.online_served)),
    ("jobs finished", lambda day: f"{day.offline.finished} of {day.offline.submitted}"),
    ("job-hours finished", lambda day: f"{day.offline.finished_job_hours:.0f}"),
    ("core-hours of training done", lambda day: f"{day.offline.core_hours:.0f}"),
    ("pods of jobs preempted", lambda day: str(day.offline.preemptions)),
    ("pod-hours of training lost", lambda day: f"{day.offline.lost_pod_hours:.1f}"),
    ("jobs that the operator failed", lambda day: str(day.offline.failures)),
    ("deadlocks", lambda day: str(day.offline.deadlocks)),
    ("scheduler, time for a decision", lambda day: f"{day.pace.decision * 1000:.2f} ms"),
    ("observer behind by at most", lambda day: f"{day.observer_lag_seconds:.1f} s"),
)


def pictures(results: Results) -> dict[str, str]:
    """SVG by file name."""
    from infra.report import plots  # matplotlib takes a second

    found = {}
    for size in results.sizes:
        parts = len(size.days[0].cpu_requested_over_day)
        hours = [(i + 0.5) * size.hours / parts for i in range(parts)]
        online = [100 * share for share in size.days[0].cpu_online_over_day]
        found[f"day-{size.nodes}-requested.svg"] = plots.lines(
            f"day{size.nodes}requested",
            f"CPU requested over the day, {size.nodes} nodes",
            hours,
            [
                plots.Series(
                    name=f"{day.setting}. {day.title}",
                    values=[100 * share for share in day.cpu_requested_over_day],
                )
                for day in size.days
            ]
            + [plots.Series(name="services, in the first", values=online, colour=plots.OTHER, dashed=True)],
            y="CPU requested, %",
            x="hour of the day",
        )
        groups = ["CPU requested", "CPU used", "GPUs requested", "GPUs used"]
        found[f"day-{size.nodes}-utilisation.svg"] = plots.bars(
            f"day{size.nodes}utilisation",
            f"Utilisation by setting, {size.nodes} nodes",
            groups,
            [
                plots.Series(
                    name=f"{day.setting}. {day.title}",
                    values=[
                        round(100 * share)
                        for share in (day.requested.cpu, day.used.cpu, day.requested.gpus, day.used.gpus)
                    ],
                )
                for day in size.days
            ],
            y="of the cluster, %",
        )
    return found


def offline_cpu(day: DayResult) -> float:
    """What jobs requested of the cluster's CPU, as the observer saw it; a share of 1."""
    return day.requested.cpu - day.online_requested.cpu


def _wait_p99(waits: measure.Waits) -> str:
    """Of fewer, it is the longest."""
    return f"{waits.p99:.2f} s" if waits.pods >= 100 else ""


def _reported(share: float | None) -> str:
    return "" if share is None else percent(share)


def percent(share: float) -> str:
    """Of 1."""
    return f"{100 * share:.0f} %"


def _more(one: float, other: float) -> str:
    return f"{max(one - other, 0):.1f}"


def _in(share: Fraction) -> str:
    return f"{share.numerator} in {share.denominator}"


def _times(one: float, other: float) -> str:
    return f"{one / other:.1f} times" if other else "no measure of"
