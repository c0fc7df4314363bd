"""Labels and annotations of jobs that do something other than they say."""

from collections.abc import Iterator

from components.rendering.monitoring.training_metrics import scraped_port
from infra.checks.findings import Finding, Subject
from infra.models import JobSpec
from infra.models.base import Loc
from infra.vocabulary import ISTIO_INJECT, METRICS_PORT, SCRAPE_ANNOTATION


def check(subject: Subject) -> Iterator[Finding]:
    """What other systems read on pods: Istio's sidecar, and Prometheus' old annotations."""
    for i, job in enumerate(subject.stack.jobs):
        yield from _istio(("jobs", i), job)
        if job.annotations.get(SCRAPE_ANNOTATION) == "true":
            monitored = subject.stack.monitoring is not None
            yield from _scrape(("jobs", i, "annotations", SCRAPE_ANNOTATION), job, monitored)


def _istio(at: Loc, job: JobSpec) -> Iterator[Finding]:
    """Bug case A9."""
    for field in ("labels", "annotations"):
        if getattr(job, field).get(ISTIO_INJECT) == "true":
            yield Finding(
                severity="warning",
                code="istio-sidecar-refused",
                place=(*at, field, ISTIO_INJECT),
                message='pods of jobs get "false" whatever stands here: a sidecar runs on '
                "after the training, and the job never ends",
                remedy="remove it",
            )


def _scrape(place: Loc, job: JobSpec, monitored: bool) -> Iterator[Finding]:
    """Bug case F3. By itself a Prometheus Operator's stack reads no annotation; that of this project does."""
    served = job.metrics_port is not None or any(port.name == METRICS_PORT for port in job.ports)
    if not served and scraped_port(job.annotations) is None:
        yield Finding(
            severity="advice",
            code="scrape-without-port",
            place=place,
            message="Prometheus finds the metrics of a job by their port, and the job says none",
            remedy="add metrics_port: <port>",
        )
    elif not monitored:
        yield Finding(
            severity="advice",
            code="scrape-unread",
            place=place,
            message="nothing in this stack reads it: the stack says nothing of monitoring",
            remedy="add monitoring:, or leave it out unless a Prometheus of others reads such annotations",
        )
