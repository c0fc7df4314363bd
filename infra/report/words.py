"""What a report says, in sections with tables, for text and for a page alike."""

from collections.abc import Iterator
from dataclasses import dataclass

from infra.report.figures import Harm, Report, Use
from infra.report.questions import CLASSES, RESOURCES, Resource
from infra.report.window import written

TITLES = {"cpu": "CPU", "memory": "Memory", "gpu": "GPU"}
_GIB, _TIB = 2**30, 2**40
NOTHING = "-"


@dataclass(frozen=True)
class Gap:
    """A row about which nothing is known: why, and what to do."""

    name: str
    text: str


Row = tuple[str, ...] | Gap


@dataclass(frozen=True, kw_only=True)
class Section:
    """A table with what it means. Where the last word of its head is empty, that column holds words."""

    title: str
    about: str
    head: tuple[str, ...]
    rows: tuple[Row, ...]
    charts: tuple[str, ...] = ()
    """Names of pictures that are shown beside it."""


def sections(report: Report) -> tuple[Section, ...]:
    """All of it, the most asked first."""
    return (
        _saved(report),
        *(_resource(report, resource) for resource in RESOURCES),
        _demand(report),
        _harm(report),
        _jobs(report),
    )


def window_of(report: Report) -> str:
    """Of when it is, and how closely it was looked."""
    every = duration(report.step_seconds)
    return f"{written(report.start)} to {written(report.end)} UTC, looked at every {every}"


def warnings(report: Report) -> Iterator[str]:
    """What a reader must know before any figure."""
    if report.covered_percent < 99:
        yield (
            f"Prometheus has samples of {number(report.covered_percent)} % of the window only, the first of "
            f"{written(report.first)}; means are over these"
        )


def _saved(report: Report) -> Section:
    rows: list[Row] = []
    for resource in RESOURCES[:2]:  # GPU pools are offline work's own
        for basis in ("used", "requested"):
            use = report.use(resource, basis)
            if use is None:
                continue
            saved = use.machines_saved
            rows.append(
                (
                    f"{TITLES[resource]} {basis}",
                    number(use.nodes),
                    percent(use.r1_percent),
                    percent(use.r2_percent),
                    NOTHING if saved is None else number(saved),
                )
            )
    return Section(
        title="Machines saved",
        about="N x (R2 - R1) / R2: nodes that offline work would fill by itself, if they were as full as "
        f"these are. R1 is without offline work, R2 with it. {NOTHING}: nothing was shared.",
        head=("", "N", "R1", "R2", "saved"),
        rows=tuple(rows),
        charts=("filled",) if rows else (),
    )


def _resource(report: Report, resource: Resource) -> Section:
    title = TITLES[resource]
    rows: list[Row] = []
    charts: list[str] = []
    if missing := report.lacks(resource):
        rows.append(Gap(title, f"{missing.why}; {missing.fix}"))
    else:
        for basis in ("requested", "used"):
            use = report.use(resource, basis)
            if use is not None:
                rows.append(_use(use, report))
                charts += [name] if (name := f"{resource} {basis}") in report.courses else []
            elif missing := report.lacks(f"{resource} {basis}"):
                rows.append(Gap(basis, f"no data: {missing.why}; {missing.fix}"))
    return Section(
        title=title,
        about="Means, as shares of what nodes can give; idle is what nobody requests, or uses."
        + (" Used: the time in which anything runs on a GPU." if resource == "gpu" else ""),
        head=("", *CLASSES, "total", "idle", "of", "nodes"),
        rows=tuple(rows),
        charts=tuple(charts),
    )


def _use(use: Use, report: Report) -> Row:
    whole = report.use(use.resource, "requested")
    nodes = number(use.nodes)
    if use.basis == "used" and whole is not None and whole.nodes - use.nodes >= 0.05:
        nodes = f"{nodes} of {number(whole.nodes)}"
    return (
        use.basis,
        *(percent(use.percent(use.amounts[kind])) for kind in CLASSES),
        percent(use.r2_percent),
        amount(use.resource, use.idle),
        amount(use.resource, use.allocatable),
        nodes,
    )


def _demand(report: Report) -> Section:
    rows: list[Row] = [
        (
            f"{TITLES[one.resource]} {one.of}",
            amount(one.resource, one.requested),
            amount(one.resource, one.used),
            NOTHING if one.used_percent is None else percent(one.used_percent),
            amount(one.resource, max(one.requested - one.used, 0.0)),
        )
        for one in report.demands
    ]
    charts = ("demand",) if rows else ()
    if not rows:
        rows.append(Gap("all", "no data: the use of nothing is measured; see above"))
    return Section(
        title="Requested against used",
        about="Means, of nodes whose use is measured. Far below 100 %: pods hold what nobody else may be "
        "promised.",
        head=("", "requested", "used", "share used", "held idle"),
        rows=tuple(rows),
        charts=charts,
    )


def _harm(report: Report) -> Section:
    rows: list[Row] = []
    by_class = {harm.of: harm for harm in report.harms}
    for name, field, unit in (
        ("CPU throttled", "throttled", "% of periods"),
        ("preempted", "preempted", "pods"),
        ("evicted", "evicted", "pods"),
    ):
        missing = [found for kind in CLASSES[:2] if (found := report.lacks(f"{field} {kind}"))]
        if len(missing) == len(by_class):
            rows.append(Gap(name, f"{missing[0].why}; {missing[0].fix}"))
        else:
            rows.append((name, *(_value(by_class[kind], field) for kind in CLASSES[:2]), unit))
    if missing_victims := report.lacks("victims"):
        rows.append(Gap("preempted in all", f"{missing_victims.why}; {missing_victims.fix}"))
    else:
        pods = round(report.victims or 0.0)  # an increase is worked out between scrapes
        rows.append(("preempted in all", "", str(pods), "pods, says the scheduler"))
    return Section(
        title="What pods put up with",
        about="Throttled: periods in which a container's CPU limit held it back. Preempted: deleted by the "
        "scheduler to make room. Evicted: ended by a kubelet whose node ran short.",
        head=("", "online", "offline", ""),
        rows=tuple(rows),
        charts=("throttled",) if "throttled" in report.courses else (),
    )


def _value(harm: Harm, field: str) -> str:
    found = harm.throttled_percent if field == "throttled" else getattr(harm, f"{field}_pods")
    return NOTHING if found is None else number(found)


def _jobs(report: Report) -> Section:
    rows: list[Row]
    if report.jobs is None:
        missing = report.lacks("jobs")
        rows = [Gap("jobs", f"no data: {missing.why}; {missing.fix}" if missing else "no data")]
    else:
        jobs = report.jobs
        rows = [
            ("began", str(jobs.started), NOTHING, ""),
            ("succeeded", str(jobs.succeeded), hours(jobs.finished_job_hours), "finished"),
            ("failed", str(jobs.failed), hours(jobs.lost_job_hours), "lost"),
            ("deleted before their end", str(jobs.deleted), NOTHING, ""),
            (
                "running at the end",
                str(jobs.running),
                NOTHING if jobs.running_job_hours is None else hours(jobs.running_job_hours),
                "of all runs, in the window",
            ),
        ]
    return Section(
        title="Training jobs",
        about="TFJobs of the stack's tenants; a job that ran twice counts twice. Hours are of jobs, not of "
        "pods.",
        head=("", "runs", "job-hours", ""),
        rows=tuple(rows),
        charts=("jobs",) if "jobs" in report.courses else (),
    )


def amount(resource: Resource, value: float) -> str:
    """With its unit."""
    if resource == "memory":
        return f"{number(value / _TIB)} TiB" if abs(value) >= _TIB else f"{number(value / _GIB)} GiB"
    unit, text = "core" if resource == "cpu" else "GPU", number(value)
    return f"{text} {unit}{'' if text == '1' else 's'}"


def hours(value: float) -> str:
    """Of jobs, in minutes where they are few."""
    return f"{number(value)} h" if value >= 1 or value == 0 else f"{number(value * 60)} min"


def percent(value: float) -> str:
    return f"{number(value)} %"


def number(value: float) -> str:
    """Three digits or all before the point: nobody measures more."""
    if value == 0:
        return "0"
    if abs(value) < 0.005:
        return "<0.01" if value > 0 else "0"
    digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2
    text = f"{value:,.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def duration(seconds: int) -> str:
    """As `30s`, `5m`, `2h`, `1d`."""
    for unit, length in (("d", 86400), ("h", 3600), ("m", 60)):
        if seconds % length == 0 and seconds >= length:
            return f"{seconds // length}{unit}"
    return f"{seconds}s"
