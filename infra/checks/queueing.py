"""Queues: a chart that can be used, jobs that fit, and nothing that takes a job out of its queue."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal

from infra.charts import LocalChart
from infra.checks.findings import Finding, Subject
from infra.checks.namespaces import free, taken_by_anything
from infra.checks.pods import SERVICES, Workload
from infra.models import QueueingSpec, Stack, TenantSpec
from infra.models.base import Loc
from infra.models.quantities import amount
from infra.pod_resources import Quantities
from infra.queue_quotas import beside, needs, queue_room
from infra.versions import KUEUE_OLDEST, dotted
from infra.vocabulary import QUEUE_API_VERSION, QUEUE_GROUP, QUEUE_NAME_LABEL


def check(subject: Subject) -> Iterator[Finding]:
    """What the stack says of queueing, then tenant by tenant, then job by job."""
    stack, spec = subject.stack, subject.stack.queueing
    if spec is None:
        return
    if subject.queueing_chart is not None and subject.queueing_chart.unusable:
        place = ("queueing", "chart", "source")
        yield Finding.of("chart-unusable", place, f"{spec.chart.path} {subject.queueing_chart.unusable}")
    else:
        yield from _old(spec, subject.queueing_chart)
    if spec.install:
        owners = taken_by_anything(stack)
        yield from free("queueing-namespace-taken", ("queueing", "namespace"), spec.namespace, owners)
    for t, tenant in enumerate(stack.tenants):
        theirs = [workload for workload in subject.workloads if workload.job.tenant == tenant.name]
        if tenant.quota:
            yield from _uncounted(stack, ("tenants", t, "quota"), tenant, theirs)
        elif theirs:
            yield Finding(
                severity="warning",
                code="queueing-without-quota",
                presumes="tenants",
                place=("tenants", t),
                message=f"the jobs of {tenant.name} do not wait: without a quota nobody knows what is room",
                remedy="add quota, or remove queueing",
            )
    for workload in subject.workloads:
        if stack.queued(workload.job.tenant):
            yield from _beside_queue(workload)


def _old(spec: QueueingSpec, local: LocalChart | None) -> Iterator[Finding]:
    """A chart of a Kueue that refuses queues as they are sent; `local`: the one beside the stack."""
    path = spec.chart.path
    version = (local.version if local else None) if path else spec.chart.version
    numbers = re.match(r"v?(\d{1,9})\.(\d{1,9})", version or "")
    if numbers and tuple(map(int, numbers.groups())) < KUEUE_OLDEST:
        yield Finding(
            code="queueing-chart-old",
            place=("queueing", "chart", "source" if path else "version"),
            message=f"Kueue {version} does not know {QUEUE_API_VERSION}, in which the stack sends its queues",
            remedy=f"take the chart of Kueue {dotted(KUEUE_OLDEST)} or newer",
        )


def _uncounted(stack: Stack, place: Loc, tenant: TenantSpec, theirs: Sequence[Workload]) -> Iterator[Finding]:
    """Keys of the quota that Kueue does not count, and that no resource which it counts holds in check.

    A key cannot run out first if each job takes no greater share of it than of one counted resource.
    """
    room = queue_room(stack, tenant)
    asked = [needs(workload) for workload in theirs]
    for key in tenant.quota:
        uses = [_use(key, workload) for workload in theirs]
        if not any(uses) or not (key.startswith("limits.") or key in SERVICES):
            continue
        left = amount(tenant.quota[key]) - sum((p.uses(key) for p in beside(stack, tenant)), Decimal(0))
        if not any(_holds(resource, room[resource], asked, left, uses) for resource in room):
            yield Finding(
                severity="warning",
                code="quota-beside-queue",
                place=(*place, key),
                message=f"Kueue does not count {key}: jobs that it lets start may find it used up, and start "
                "in part",
                remedy="remove it, or raise it until no job takes a greater share of it than of its requests",
            )


def _holds(
    resource: str, room: Decimal, asked: Sequence[Quantities], left: Decimal, uses: Sequence[Decimal]
) -> bool:
    return all(
        use * room <= need.get(resource, Decimal(0)) * left for use, need in zip(uses, asked, strict=True)
    )


def _use(key: str, workload: Workload) -> Decimal:
    return sum((pods.uses(key) for pods in workload.pods), Decimal(0))


def _beside_queue(workload: Workload) -> Iterator[Finding]:
    job = workload.job
    if job.run_policy.suspend and job.schedule is None:
        yield Finding(
            code="queued-job-suspended",
            place=(*workload.place, "run_policy", "suspend"),
            message="Kueue starts a queued job as soon as there is room, whatever suspend says",
            remedy="remove it; a job that shall not run yet does not belong in the stack yet",
        )
    policy = job.run_policy.scheduling_policy
    if policy is not None and policy.priority_class:
        yield Finding(
            code="queued-job-steered",
            place=(*workload.place, "run_policy", "scheduling_policy", "priority_class"),
            message=f"Kueue would take the job's place in the queue from {policy.priority_class}",
            remedy="remove it; its place comes from its priority",
        )
    for field in ("labels", "annotations"):
        for key in getattr(job, field):
            if key == QUEUE_NAME_LABEL:
                yield Finding(
                    code="queue-named-twice",
                    place=(*workload.place, field, key),
                    message=f"the job waits in the queue of {job.tenant}, whatever stands here",
                    remedy="remove it",
                )
            elif key.startswith(f"{QUEUE_GROUP}/"):
                yield Finding(
                    code="queued-job-steered",
                    place=(*workload.place, field, key),
                    message=f"Kueue reads {key}, which may move the job in its queue, end it or hold it back",
                    remedy="remove it; the queue is the stack's",
                )
