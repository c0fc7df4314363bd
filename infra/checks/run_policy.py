"""Run policy: what ends a job, and what only seems to, as the operator's v1.9.4 has it."""

from collections.abc import Iterator

from infra.checks.findings import Finding, Subject
from infra.checks.parts import overriding
from infra.models import JobSpec
from infra.models.base import Loc
from infra.models.jobs import SchedulingPolicySpec


def check(subject: Subject) -> Iterator[Finding]:
    """The run policy of every job."""
    for i, job in enumerate(subject.stack.jobs):
        at = ("jobs", i)
        policy = job.run_policy.scheduling_policy
        if policy is not None:
            place = (*at, "run_policy", "scheduling_policy")
            yield from _gang(place, job, policy)
            if subject.stack.training_operator.install:  # one that is there already may have it
                yield Finding(
                    severity="warning",
                    code="scheduling-policy-ignored",
                    place=place,
                    message="the operator of this stack has no gang scheduler, so this is ignored",
                    remedy="remove it; with queueing: {} in the stack a job starts whole",
                )
        yield from _ttl((*at, "run_policy"), job)
        yield from _backoff(at, job)
        yield from _deadline(at, job)
        yield from _suspended_runs((*at, "run_policy", "suspend"), job)


def _ttl(at: Loc, job: JobSpec) -> Iterator[Finding]:
    """Bug case A8: the object has two owners, and the second makes it again."""
    policy, place = job.run_policy, (*at, "ttl_seconds_after_finished")
    if policy.ttl_seconds_after_finished is None:
        if policy.recreate:
            yield Finding(
                severity="warning",
                code="recreate-without-ttl",
                place=(*at, "recreate"),
                message="nothing deletes the finished job, so nothing runs it again",
                remedy="remove it, or write a schedule for a job that shall run again and again",
            )
    elif job.schedule is not None:
        yield Finding(
            code="ttl-beside-schedule",
            place=place,
            message="the runs of a schedule have their ttl there",
            remedy="write schedule.ttl_seconds_after_finished instead",
        )
    elif not policy.recreate:
        yield Finding(
            code="ttl-trains-again",
            place=place,
            message="a ttl deletes the job, and the next update finds it missing and trains again",
            remedy="remove it (clean_pod_policy: All frees the pods), or say recreate: true beside it",
        )
    else:
        yield Finding(
            severity="warning",
            code="ttl-recreates",
            place=place,
            message="the first update after the ttl runs this job again",
            remedy="remove ttl and recreate where one run is enough",
        )


def _backoff(at: Loc, job: JobSpec) -> Iterator[Finding]:
    """`PastBackoffLimit` adds up restarts of containers, and a pod of ExitCode never restarts one: the
    pod is deleted and made again. The other count, of the work queue, is that of a fake one and always
    0, so that a limit of 0 alone is kept."""
    if not job.run_policy.backoff_limit:
        return
    for role, spec in job.roles():
        if spec.restart_policy == "ExitCode":
            yield Finding(
                severity="warning",
                code="backoff-not-counted",
                place=(*at, role, "restart_policy"),
                message="the operator does not count restarts under ExitCode, "
                f"so backoff_limit {job.run_policy.backoff_limit} is never reached",
                remedy="write OnFailure, or backoff_limit: null to say that there is no limit",
            )


def _deadline(at: Loc, job: JobSpec) -> Iterator[Finding]:
    """The timer that should wake the operator at the deadline belongs to the fake queue as well."""
    seconds = job.run_policy.active_deadline_seconds
    kept = all(overriding(at, job, role, "activeDeadlineSeconds")[1] for role, _ in job.roles())
    if seconds is not None and not kept:
        yield Finding(
            severity="warning",
            code="deadline-not-watched",
            place=(*at, "run_policy", "active_deadline_seconds"),
            message="the operator looks at the deadline only when a pod of the job changes, "
            "so a training that hangs outlives it",
            remedy=f"add pod_overrides: {{activeDeadlineSeconds: {seconds}}}, which the node itself keeps",
        )


def _suspended_runs(place: Loc, job: JobSpec) -> Iterator[Finding]:
    if job.schedule is not None and job.run_policy.suspend:
        yield Finding(
            code="runs-suspended",
            place=place,
            message="each run of the schedule would be made and never start",
            remedy="write schedule.suspend: true to start none",
        )


def _gang(place: Loc, job: JobSpec, policy: SchedulingPolicySpec) -> Iterator[Finding]:
    """Bug case B2."""
    pods = sum(spec.replicas for _, spec in job.roles())
    if policy.min_available is not None and policy.min_available > pods:
        yield Finding(
            code="min-available-too-large",
            place=(*place, "min_available"),
            message=f"it waits for {policy.min_available} pods, and the job has {pods}",
            remedy=f"write at most {pods}",
        )
