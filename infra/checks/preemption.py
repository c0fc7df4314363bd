"""The way back: offline work is ended when services need its place, and must be able to go on later.

In a production stack what is missing is a fault, elsewhere a warning.
"""

from collections.abc import Iterator
from typing import Literal

from components.rendering.tfjob import outlives_preemption
from infra.checks.findings import Finding, Subject
from infra.checks.parts import overriding
from infra.models import JobSpec
from infra.models.base import Loc

_SHORTEST_GRACE_SECONDS = 5
"""A checkpoint of a small model takes a second or two, and the signal arrives late on a busy node."""
_RAW_GRACE = "terminationGracePeriodSeconds"

_Missing = tuple[str, Loc, str, str]


def check(subject: Subject) -> Iterator[Finding]:
    """Every job of an offline class."""
    offline = subject.stack.classes("offline")
    severity: Literal["fault", "warning"] = "fault" if subject.stack.production else "warning"
    for i, job in enumerate(subject.stack.jobs):
        if job.priority in offline:
            for code, place, message, remedy in _missing(("jobs", i), job):
                yield Finding(severity=severity, code=code, place=place, message=message, remedy=remedy)
            yield from _fails_as_a_whole(("jobs", i), job)


def _fails_as_a_whole(at: Loc, job: JobSpec) -> Iterator[Finding]:
    """What no stack can mend: https://github.com/kubeflow/trainer/issues/2124.

    v1.9.4 takes a pod that is being deleted for a failed one, but for workers of a dynamic job.
    """
    if job.schedule is not None:
        return
    only_workers = {role for role, _ in job.roles()} == {"worker"}
    never = not job.distributed and job.worker is not None and job.worker.restart_policy == "Never"
    if not (outlives_preemption(job) or never or (only_workers and job.enable_dynamic_worker)):
        yield Finding(
            severity="warning",
            code="preemption-fails-the-job",
            place=at,
            message="the operator fails such a job when a pod of it gives way to services",
            remedy="let the next run go on from the checkpoint: give it a schedule, or train with one worker "
            "and restart_policy: OnFailure",
        )


def _missing(at: Loc, job: JobSpec) -> Iterator[_Missing]:
    for role, spec in job.roles():
        if spec.restart_policy == "Never":
            yield (
                "no-restart-after-preemption",
                (*at, role, "restart_policy"),
                f"a {role} that gives way to services fails the job",
                "write OnFailure",
            )
    if job.run_policy.backoff_limit == 0:
        yield (
            "no-restart-after-preemption",
            (*at, "run_policy", "backoff_limit"),
            "the first pod that gives way to services fails the job",
            "write 3, or null for no limit",
        )
    if job.checkpoint_path is None:
        yield (
            "no-checkpoint-path",
            at,
            "a job that gave way to services starts from the beginning",
            "add checkpoint_path: <folder on a claim>, and let the training save and load there",
        )
    for place, seconds in dict(_graces(at, job)).items():
        if seconds < _SHORTEST_GRACE_SECONDS:
            yield (
                "no-time-for-a-checkpoint",
                place,
                f"{seconds} seconds are too few to write a last checkpoint",
                f"write {_SHORTEST_GRACE_SECONDS} or more",
            )


def _graces(at: Loc, job: JobSpec) -> Iterator[tuple[Loc, int]]:
    for role, _ in job.roles():
        place, raw = overriding(at, job, role, _RAW_GRACE)
        if isinstance(raw, int) and not isinstance(raw, bool):
            yield place, raw
        else:
            yield (*at, "termination_grace_period_seconds"), job.termination_grace_period_seconds
