"""Labels and annotations of jobs that do something other than they say."""

from collections.abc import Iterator

from infra.checks.findings import Finding, Subject
from infra.models import JobSpec
from infra.models.base import Loc
from infra.vocabulary import ISTIO_INJECT, METRICS_PORT

_SCRAPE = "prometheus.io/scrape"


def check(subject: Subject) -> Iterator[Finding]:
    """What other systems read on pods: Istio's sidecar, and Prometheus' old annotations."""
    for i, job in enumerate(subject.stack.jobs):
        yield from _istio(("jobs", i), job)
        yield from _scrape(("jobs", i, "annotations", _SCRAPE), job)


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


def _scrape(place: Loc, job: JobSpec) -> Iterator[Finding]:
    """Bug case F3."""
    served = job.metrics_port is not None or any(port.name == METRICS_PORT for port in job.ports)
    if job.annotations.get(_SCRAPE) == "true" and not served:
        yield Finding(
            severity="advice",
            code="scrape-without-port",
            place=place,
            message="Prometheus finds the metrics of a job by its port, and the job declares none",
            remedy="add metrics_port: <port>",
        )
