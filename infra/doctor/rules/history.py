"""Whether the metrics of a job that has ended are still there: its panels are empty if not."""

from collections.abc import Iterator

from infra.doctor.case import Case
from infra.doctor.chain import Diagnosis, Evidence
from infra.doctor.spelling import clock_time


def check(case: Case, name: str) -> Iterator[Diagnosis]:
    """Of one job, for whoever asks about it: that old data goes is nothing wrong with a stack."""
    spec, since = case.stack.monitoring, case.watching.since if case.watching else None
    if spec is None or since is None:
        return
    for job in case.jobs:
        if name in (job.name, job.schedule) and job.settled and job.since is not None and job.since < since:
            yield Diagnosis(
                severity="advice",
                code="metrics-gone",
                object=job.title,
                breaks_at="current",
                cause="its panels have no data: it ended before the oldest sample that Prometheus keeps",
                fix="raise monitoring.prometheus.retention and retention_size for the next runs"
                if spec.install
                else f"raise retention of the Prometheus in {spec.namespace} for the next runs",
                evidence=(
                    Evidence("target", f"{job.state} at {clock_time(job.since)}"),
                    Evidence("current", f"oldest sample of {clock_time(since)}"),
                ),
                affects=(job.name,),
            )
