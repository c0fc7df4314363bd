"""From what a Prometheus has answered to what a report says. Pure."""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from infra.cluster.watching import Sample
from infra.report import remedies
from infra.report.figures import Basis, Course, Demand, Harm, Jobs, Missing, Report, Use
from infra.report.questions import CLASSES, RESOURCES, Resource
from infra.report.window import Window


@dataclass(frozen=True, kw_only=True)
class Answers:
    """Of all questions, by their names."""

    courses: Mapping[str, Mapping[int, float]]
    """Values by seconds since 1970; empty where there is no series."""
    moments: Mapping[str, tuple[Sample, ...]]
    refused: Mapping[str, str]
    """Questions that were not answered, with the reason."""


def work_out(stack: str, window: Window, answers: Answers) -> Report:
    """The report; `remedies.NothingError` where there is nothing to say at all."""
    at = [int(moment.timestamp()) for moment in window.moments]
    known = [moment for moment in at if moment in answers.courses.get("cpu there", {})]
    if not known:
        raise remedies.NothingError(window, answers.refused.get("cpu there"))
    uses = tuple(use for resource in RESOURCES for use in _uses(resource, answers))
    jobs = _jobs(window, answers)
    return Report(
        stack=stack,
        start=window.start,
        end=window.end,
        step_seconds=window.step_seconds,
        covered_percent=100 * len(known) / len(at),
        first=window.moments[at.index(known[0])],
        uses=uses,
        demands=tuple(_demands(answers)),
        harms=tuple(_harms(answers)),
        victims=_value(answers, "victims"),
        jobs=jobs,
        missing=tuple(_missing(answers, uses, jobs)),
        moments=window.moments,
        courses={name: found for name, found in _courses(uses, answers, at) if found},
    )


def _uses(resource: Resource, answers: Answers) -> Iterator[Use]:
    bases: tuple[tuple[Basis, str, str], ...] = (
        ("requested", "there", "nodes"),
        ("used", "measured", "nodes measured"),
    )
    for basis, whole, nodes in bases:
        there = answers.courses.get(f"{resource} {whole}", {})
        parts = {kind: answers.courses.get(f"{resource} {basis} {kind}", {}) for kind in CLASSES}
        common = sorted(there.keys() & set.intersection(*(set(part) for part in parts.values())))
        if common and sum(there[t] for t in common) > 0:
            counts = answers.courses.get(f"{resource} {nodes}", {})
            yield Use(
                resource=resource,
                basis=basis,
                nodes=_mean([counts.get(t, 0.0) for t in common]),
                allocatable=_mean([there[t] for t in common]),
                amounts={kind: _mean([part[t] for t in common]) for kind, part in parts.items()},
            )


def _demands(answers: Answers) -> Iterator[Demand]:
    for resource in RESOURCES:
        for kind in CLASSES:
            asked = answers.courses.get(f"{resource} requested where measured {kind}", {})
            used = answers.courses.get(f"{resource} used {kind}", {})
            if common := sorted(asked.keys() & used.keys()):
                demand = Demand(
                    resource=resource,
                    of=kind,
                    requested=_mean([asked[t] for t in common]),
                    used=_mean([used[t] for t in common]),
                )
                if demand.requested or demand.used:
                    yield demand


def _harms(answers: Answers) -> Iterator[Harm]:
    for kind in CLASSES[:2]:
        throttled = answers.courses.get(f"throttled {kind}", {})
        periods = answers.courses.get(f"periods {kind}", {})
        whole = sum(periods.values())
        yield Harm(
            of=kind,
            throttled_percent=100 * sum(throttled.values()) / whole if whole else None,
            preempted_pods=_value(answers, f"preempted {kind}"),
            evicted_pods=_value(answers, f"evicted {kind}"),
        )


def _jobs(window: Window, answers: Answers) -> Jobs | None:
    if "started" not in answers.moments:
        return None
    if not answers.moments["started"] and _value(answers, "pods of jobs"):
        return None  # there were jobs, and nobody shows them
    starts = {job: sorted(found) for job, found in _by_job(answers.moments["started"]).items()}
    begin = window.start.timestamp()
    ended: set[tuple[tuple[str, str], float]] = set()
    counts, hours = {"succeeded": 0, "failed": 0}, {"succeeded": 0.0, "failed": 0.0}
    for state in counts:
        for job, found in _by_job(answers.moments.get(state, ())).items():
            for completed in found:
                # The run began last before its end: two of one name are never there at once.
                began = starts.get(job, [])[: bisect_right(starts.get(job, []), completed)]
                ended |= {(job, began[-1])} if began else set()
                if completed > begin:  # else it is only still shown
                    counts[state] += 1
                    hours[state] += (completed - began[-1]) / 3600 if began else 0.0
    running = set(_names(answers.moments.get("running", ())))
    begun = {(job, start) for job, found in starts.items() for start in found if start > begin}
    last = {(job, found[-1]) for job, found in starts.items() if job in running}
    course = answers.courses.get("jobs running", {})
    return Jobs(
        started=len(begun),
        succeeded=counts["succeeded"],
        failed=counts["failed"],
        running=len(running),
        deleted=len(begun - ended - last),
        finished_job_hours=hours["succeeded"],
        lost_job_hours=hours["failed"],
        running_job_hours=sum(course.values()) * window.step_seconds / 3600 if course else None,
    )


def _by_job(samples: Sequence[Sample]) -> dict[tuple[str, str], set[float]]:
    found: dict[tuple[str, str], set[float]] = {}
    for job, sample in zip(_names(samples), samples, strict=True):
        found.setdefault(job, set()).add(float(sample.labels["at"]))
    return found


def _names(samples: Sequence[Sample]) -> list[tuple[str, str]]:
    return [(s.labels.get("namespace", ""), s.labels.get("tfjob", "")) for s in samples]


def _missing(answers: Answers, uses: Sequence[Use], jobs: Jobs | None) -> Iterator[Missing]:
    found = {(use.resource, use.basis) for use in uses}
    gpus = any(answers.courses.get("gpu there", {}).values())
    for resource in RESOURCES:
        if resource == "gpu" and not gpus:
            yield remedies.missing("gpu", answers.refused.get("gpu there"))
            continue
        for basis in ("requested", "used"):
            if (resource, basis) not in found:
                what = f"{resource} {basis}"
                yield remedies.missing(what, answers.refused.get(f"{what} online"))
    for kind in CLASSES[:2]:
        if not answers.courses.get(f"periods {kind}"):
            what = f"throttled {kind}" if ("cpu", "used") in found else "cpu used"
            known = remedies.missing(what, answers.refused.get(f"periods {kind}"))
            yield replace(known, what=f"throttled {kind}")
        for what in ("preempted", "evicted"):
            if _value(answers, f"{what} {kind}") is None:
                yield remedies.missing(f"{what} {kind}", answers.refused.get(f"{what} {kind}"))
    if _value(answers, "victims") is None:
        yield remedies.missing("victims", answers.refused.get("victims"))
    if jobs is None:
        yield remedies.missing("jobs", answers.refused.get("started"))


def _courses(
    uses: Sequence[Use], answers: Answers, at: Sequence[int]
) -> Iterator[tuple[str, tuple[Course, ...]]]:
    """By the names of charts: shares in percent, and numbers of jobs."""
    for use in uses:
        name = f"{use.resource} {use.basis}"
        whole = answers.courses[f"{use.resource} {'there' if use.basis == 'requested' else 'measured'}"]
        yield (
            name,
            tuple(
                _course(kind, _ratio(answers.courses[f"{name} {kind}"], whole), at)
                for kind in CLASSES
                if use.amounts[kind] > 0
            ),
        )
    throttled = [
        (
            kind,
            _ratio(answers.courses.get(f"throttled {kind}", {}), answers.courses.get(f"periods {kind}", {})),
        )
        for kind in CLASSES[:2]
    ]
    yield "throttled", tuple(_course(kind, shares, at) for kind, shares in throttled if shares)
    if running := answers.courses.get("jobs running"):
        yield "jobs", (_course("running", running, at),)


def _ratio(part: Mapping[int, float], whole: Mapping[int, float]) -> dict[int, float]:
    return {t: 100 * part[t] / whole[t] for t in part if whole.get(t)}


def _course(name: str, values: Mapping[int, float], at: Sequence[int]) -> Course:
    return Course(name=name, values=tuple(values.get(t) for t in at))


def _value(answers: Answers, name: str) -> float | None:
    found = answers.moments.get(name)
    return found[0].value if found else None


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
