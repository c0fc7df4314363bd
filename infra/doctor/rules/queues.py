"""Jobs that wait in a queue: for what, and whether anybody will let them start."""

from collections.abc import Iterator

from infra.cluster.jobs import TFJob
from infra.cluster.queues import Standing, standing
from infra.doctor.case import MOMENTS_SECONDS, Case
from infra.doctor.chain import Diagnosis, Evidence
from infra.doctor.rules.pods import standing as seen
from infra.vocabulary import KUEUE_NAMESPACE

_CLOSED = "Inadmissible"


def check(case: Case) -> Iterator[Diagnosis]:
    """Every job that is held back by its queue."""
    if not case.state.readable("workloads"):
        return
    for job in case.jobs:
        if not job.queued:
            continue
        found = standing(case.state, job)
        if found is None:
            if case.state.seconds_since(job.created) > MOMENTS_SECONDS:
                yield _unseen(case, job)
        elif found.reason == _CLOSED:
            yield _closed(case, job, found)
        else:
            yield _waits(case, job, found)


def _unseen(case: Case, job: TFJob) -> Diagnosis:
    spec = case.stack.queueing
    where = spec.namespace if spec is not None and spec.install else KUEUE_NAMESPACE
    return Diagnosis(
        code="queue-unattended",
        object=job.title,
        breaks_at="current",
        cause="Kueue has taken no notice of the job, and it stays suspended",
        fix=f"see that Kueue runs and serves TFJobs: kubectl get pods -n {where}",
        evidence=seen(case, job),
        affects=(job.name,),
    )


def _closed(case: Case, job: TFJob, found: Standing) -> Diagnosis:
    return Diagnosis(
        code="queue-closed",
        object=job.title,
        breaks_at="current",
        cause=f"the queue {job.queue} of {job.namespace} takes in no job",
        fix=f"{case.update}; see kubectl describe localqueue -n {job.namespace} {job.queue}",
        evidence=(*seen(case, job), Evidence("current", f"Kueue: {found.message}")),
        affects=(job.name,),
    )


def _waits(case: Case, job: TFJob, found: Standing) -> Diagnosis:
    back = (Evidence("current", f"Kueue, when it put it back: {found.put_back}"),) if found.put_back else ()
    return Diagnosis(
        severity="warning",
        code="queued",
        object=job.title,
        breaks_at="current",
        cause=f"the job waits in the queue of tenant {job.namespace}: {found.why}",
        fix=f"wait for others in {job.namespace} to end, or raise the tenant's quota; "
        f"kubectl get workloads -n {job.namespace}",
        evidence=(*seen(case, job), Evidence("current", f"Kueue: {found.message}"), *back),
        affects=(job.name,),
    )
