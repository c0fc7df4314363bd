"""The pods of each job, and what ails them: one diagnosis for each cause, however many the pods are."""

from collections.abc import Callable, Iterator, Sequence

from infra.cluster.jobs import TFJob
from infra.cluster.pods import Pod
from infra.doctor.case import Case
from infra.doctor.chain import Diagnosis, Evidence
from infra.doctor.rules import endings, images, leftovers, scheduling, starting
from infra.doctor.rules.faults import PodFault

Look = Callable[[Case, Pod], PodFault | None]
LOOKS: tuple[Look, ...] = (
    # In the order of a pod's life: the first that finds something is the cause of what comes after it.
    scheduling.of,
    images.of,
    starting.of,
    leftovers.beside,
    endings.of,
    leftovers.came_back,
)


def check(case: Case) -> Iterator[Diagnosis]:
    """Those of each job that has not succeeded."""
    for job in case.jobs:
        if job.state != "Succeeded":
            yield from of_job(case, job)


def of_job(case: Case, job: TFJob) -> Iterator[Diagnosis]:
    """One diagnosis a cause."""
    groups: dict[str, list[tuple[Pod, PodFault]]] = {}
    for pod in case.state.pods_of(job):
        fault = None if pod.leaving else ailment(case, pod)
        if fault is not None:
            groups.setdefault(fault.code, []).append((pod, fault))
    for group in groups.values():
        _, fault = group[0]
        others = [pod.name for pod, _ in group[1:]]
        listed = ", ".join(others[:3]) + (" ..." if len(others) > 3 else "")
        yield Diagnosis(
            severity=fault.severity,
            code=fault.code,
            object=job.title,
            breaks_at=fault.breaks_at,
            cause=fault.cause,
            fix=fault.fix,
            evidence=(
                *standing(case, job),
                *fault.evidence,
                *([Evidence("current", f"so are {len(others)} more: {listed}")] if others else []),
            ),
            affects=(job.name,),
        )


def ailment(case: Case, pod: Pod) -> PodFault | None:
    """The first thing that is wrong with a pod."""
    return next((fault for look in LOOKS if (fault := look(case, pod)) is not None), None)


def standing(case: Case, job: TFJob) -> tuple[Evidence, ...]:
    """What is asked of a job, and how far it has come: the first two steps for whatever is wrong with it."""
    asked = ", ".join(f"{number} {role}" for role, number in job.replicas.items())
    origin = f"stack {case.name}" if case.declared(job) else "not of this stack"
    pods = case.state.pods_of(job)
    return (
        Evidence("target", f"{asked} ({origin})"),
        Evidence("current", f"{job.state or 'no condition'}; {counted_phases(pods)}"),
    )


def counted_phases(pods: Sequence[Pod]) -> str:
    """`pods: 2 Running, 1 Pending`."""
    counts: dict[str, int] = {}
    for pod in pods:
        counts[pod.phase] = counts.get(pod.phase, 0) + 1
    return (
        "pods: " + ", ".join(f"{number} {phase}" for phase, number in counts.items()) if counts else "no pods"
    )
