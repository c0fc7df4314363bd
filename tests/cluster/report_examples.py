"""Reports that no cluster has made: of everything, and of next to nothing."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from infra.report.figures import Course, Demand, Harm, Jobs, Missing, Report, Use

END = datetime(2026, 3, 1, 12, tzinfo=UTC)
MOMENTS = tuple(END - timedelta(minutes=5 * i) for i in reversed(range(288)))


def wave(base, gap):
    return tuple(None if i in gap else base + i % 40 / 4 for i in range(288))


def full() -> Report:
    """Something of everything, large figures and long names among it."""
    courses = {
        f"{resource} {basis}": tuple(
            Course(name=kind, values=wave(base, range(100, 120)))
            for kind, base in (("online", 12), ("offline", 30), ("system", 3))
        )
        for resource in ("cpu", "memory", "gpu")
        for basis in ("requested", "used")
    }
    courses |= {"throttled": courses["cpu used"][:2], "jobs": (Course(name="running", values=wave(3, ())),)}
    return Report(
        stack="a-stack-whose-name-is-about-as-long-as-names-of-stacks-can-become",
        start=MOMENTS[0],
        end=END,
        step_seconds=300,
        covered_percent=93,
        first=MOMENTS[0],
        uses=tuple(
            Use(
                resource=resource,
                basis=basis,
                nodes=1234.5,
                allocatable=123_456.7 * scale,
                amounts={"online": 20_000 * scale, "offline": 40_000 * scale, "system": 999 * scale},
            )
            for resource, scale in (("cpu", 1), ("memory", 2**30), ("gpu", 1))
            for basis in ("requested", "used")
        ),
        demands=tuple(
            Demand(resource=resource, of=kind, requested=54_321 * scale, used=12_345 * scale)
            for resource, scale in (("cpu", 1), ("memory", 2**30), ("gpu", 1))
            for kind in ("online", "offline")
        ),
        harms=tuple(
            Harm(of=kind, throttled_percent=12.5, preempted_pods=1234, evicted_pods=0)
            for kind in ("online", "offline")
        ),
        victims=None,
        jobs=Jobs(
            started=999,
            succeeded=900,
            failed=9,
            running=90,
            deleted=0,
            finished_job_hours=12_345.6,
            lost_job_hours=0.3,
            running_job_hours=98_765,
        ),
        missing=(Missing("victims", "the scheduler is not scraped & <nobody> minds", "nothing"),),
        moments=MOMENTS,
        courses=courses,
    )


def poor() -> Report:
    """Of a cluster of which next to nothing is known."""
    rich = full()
    return replace(
        rich,
        uses=rich.uses[:1],
        demands=(),
        courses={"cpu requested": rich.courses["cpu requested"]},
        jobs=None,
        missing=tuple(
            Missing(what, "nobody measures that", "have it measured, as docs/tasks/monitoring.md says")
            for what in ("cpu used", "memory requested", "memory used", "gpu", "jobs", "victims")
        ),
    )
