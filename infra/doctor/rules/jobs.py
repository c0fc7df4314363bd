"""Jobs as the operator sees them: not there, not taken up, held back, failed."""

from collections.abc import Iterator

from infra.cluster.jobs import TFJob
from infra.doctor.case import Case
from infra.doctor.chain import Diagnosis, Evidence
from infra.doctor.rules.pods import standing


def failed(case: Case) -> Iterator[Diagnosis]:
    """Jobs that have failed, by what the operator says; for those whose pods say nothing."""
    for job in case.jobs:
        if job.state == "Failed":
            code, cause, fix = _why(case, job)
            yield Diagnosis(
                code=code,
                object=job.title,
                breaks_at="current",
                cause=cause,
                fix=fix,
                evidence=(*standing(case, job), Evidence("current", job.message)),
                affects=(job.name,),
            )


def held_back(case: Case) -> Iterator[Diagnosis]:
    """Jobs that are suspended, and that neither the stack nor a queue suspends."""
    for job in case.jobs:
        spec = case.declared(job)
        suspended = job.suspended and not (job.queued and case.stack.queued(job.namespace))
        if suspended and spec is not None and not spec.run_policy.suspend:
            yield Diagnosis(
                severity="warning",
                code="suspended-by-others",
                object=job.title,
                breaks_at="current",
                cause="the job is suspended, and the stack does not say so",
                fix=f"{case.update}; or write run_policy: {{suspend: true}} in {case.place(spec)}",
                evidence=standing(case, job),
                affects=(job.name,),
            )


def _why(case: Case, job: TFJob) -> tuple[str, str, str]:
    spec = case.declared(job)
    policy = f"{case.place(spec)}.run_policy" if spec else "its runPolicy"
    if "deadline" in job.message:
        return (
            "deadline-exceeded",
            "the job took longer than it may",
            f"raise active_deadline_seconds in {policy}",
        )
    if "backoff" in job.message:
        return (
            "backoff-limit",
            "its containers failed too often, and the operator gave it up and deleted its running pods",
            f"run it again ({_again(case, job)}) and ask the doctor while it fails; "
            f"clean_pod_policy: None in {policy} keeps the pods and their logs",
        )
    return (
        "job-failed",
        "a pod failed that is not started again, and it is gone",
        f"run it again ({_again(case, job)}) and ask the doctor while it fails",
    )


def _again(case: Case, job: TFJob) -> str:
    delete = f"kubectl delete tfjob -n {job.namespace} {job.name}"
    return f"{delete}; {case.update}" if case.declared(job) else delete
