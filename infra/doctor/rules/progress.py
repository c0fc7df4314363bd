"""Trainings that run and do not get on: by their own metrics, else by their log."""

from collections.abc import Iterator

from infra.cluster.jobs import TFJob
from infra.doctor.case import Case
from infra.doctor.chain import Diagnosis, Evidence
from infra.doctor.rules import tracebacks
from infra.doctor.rules.pods import standing
from infra.doctor.spelling import duration
from infra.vocabulary import TENSORFLOW_CONTAINER


def check(case: Case) -> Iterator[Diagnosis]:
    """Each running job that has run for long enough to tell."""
    for job in case.jobs:
        if job.state != "Running" or case.state.seconds_since(job.since) < case.stalled_seconds:
            continue
        idle = case.idle_seconds.get((job.namespace, job.name))
        log = case.log(job.namespace, job.leader, TENSORFLOW_CONTAINER)
        if idle is not None:
            if idle >= case.stalled_seconds:
                seen = f"training_last_progress_timestamp_seconds is {duration(idle)} old"
                yield _told(case, job, "fault", f"the training has made no step for {duration(idle)}", seen)
            continue
        silent = case.state.seconds_since(log.last)
        if log.last is not None and silent >= case.stalled_seconds:
            seen = f"last line, {duration(silent)} ago: {log.lines[-1][:160]}"
            yield _told(
                case, job, "warning", f"the training runs, and has said nothing for {duration(silent)}", seen
            )


def _told(case: Case, job: TFJob, severity: str, cause: str, seen: str) -> Diagnosis:
    lines = case.log(job.namespace, job.leader, TENSORFLOW_CONTAINER).lines
    peer = tracebacks.unresolved(lines[-40:]) or tracebacks.unreached(lines[-40:])
    return Diagnosis(
        severity="fault" if severity == "fault" else "warning",
        code="no-progress",
        object=job.title,
        breaks_at="logs",
        cause=cause + ("; it waits for a peer" if peer else ""),
        fix=f"look at its input and its peers, and run the script by hand in {job.leader} (kubectl exec): "
        f"kubectl logs -n {job.namespace} {job.leader} --tail=50",
        evidence=(*standing(case, job), Evidence("logs", seen), *([Evidence("logs", peer)] if peer else [])),
        affects=(job.name,),
    )
