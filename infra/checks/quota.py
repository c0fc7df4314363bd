"""Jobs against the ResourceQuota of their namespace.

A quota counts pods one by one and knows nothing of jobs: a job that fits in part starts in part.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from decimal import Decimal

from infra.checks.findings import Finding, Subject
from infra.checks.pods import Container, Kind, Pods, Workload
from infra.checks.references import missing
from infra.models import PrioritySpec, StorageSpec, TenantSpec
from infra.models.base import Loc
from infra.models.quantities import amount
from infra.pod_resources import Quantities, shown
from infra.queue_quotas import beside, counted_pods

# Of all keys these alone oblige each container to state an amount (the pod evaluator of the API server).
_OBLIGING: Mapping[str, tuple[Kind, str]] = {
    "cpu": ("requests", "cpu"),
    "memory": ("requests", "memory"),
    "requests.cpu": ("requests", "cpu"),
    "requests.memory": ("requests", "memory"),
    "limits.cpu": ("limits", "cpu"),
    "limits.memory": ("limits", "memory"),
}
_COUNTED_OF_A_PRIORITY = re.compile(r"(count/)?pods|((requests|limits)\.)?(cpu|memory)|requests\..*/.*")
"""What a quota of certain priorities may hold. Of the rest the API server refuses some and counts none:
https://kubernetes.io/docs/concepts/policy/resource-quotas/#quota-scopes"""
_JOB_OBJECTS = "count/tfjobs.kubeflow.org"
_CLAIMS = ("persistentvolumeclaims", "count/persistentvolumeclaims")
_STARTERS = "the pods that start runs"
_BY_CLASS = ".storageclass.storage.k8s.io/"


def check(subject: Subject) -> Iterator[Finding]:
    """Tenant by tenant: what pods have to state, one job, all jobs, and claims."""
    workloads: dict[str, list[Workload]] = defaultdict(list)
    for workload in subject.workloads:
        workloads[workload.job.tenant].append(workload)
    claims: dict[str, list[tuple[int, StorageSpec]]] = defaultdict(list)
    for i, storage in enumerate(subject.stack.storage):
        claims[storage.tenant].append((i, storage))
    for t, tenant in enumerate(subject.stack.tenants):
        if tenant.quota:
            fixed = beside(subject.stack, tenant)
            queued = subject.stack.queued(tenant.name)
            quota = _Quota(("tenants", t, "quota"), tenant, fixed, queued=queued)
            yield from quota.scope(subject.stack.priorities)
            yield from quota.jobs(workloads[tenant.name])
            yield from quota.claims(claims[tenant.name])


class _Quota:
    """One tenant's quota, and what runs beside the jobs."""

    def __init__(self, place: Loc, tenant: TenantSpec, fixed: tuple[Pods, ...], *, queued: bool) -> None:
        self._place, self._tenant, self._queued = place, tenant, queued
        self._hard = {key: amount(text) for key, text in tenant.quota.items() if self._may_hold(key)}
        self._fixed = fixed
        self._taken = self._sum(self._fixed)

    def scope(self, priorities: tuple[PrioritySpec, ...]) -> Iterator[Finding]:
        """Where only some priorities are counted: that they exist, and what can be counted of them."""
        known = frozenset(priority.name for priority in priorities)
        for j, name in enumerate(self._tenant.quota_priorities):
            yield from missing("priority", (*self._place[:2], "quota_priorities", j), name, known)
        for key in (key for key in self._tenant.quota if key not in self._hard):
            yield Finding(
                code="key-beside-scope",
                place=(*self._place, key),
                message="a quota of certain priorities counts pods, their cpu, memory and GPUs, and not this",
                remedy="remove it, or quota_priorities",
            )

    def jobs(self, workloads: list[Workload]) -> Iterator[Finding]:
        """What each has to state; each alone; all together."""
        for pods in self._fixed:
            yield from self._unstated(pods)
        together: dict[str, Decimal] = defaultdict(Decimal)
        sizes: dict[str, int] = defaultdict(int)
        for workload in workloads:
            counted = counted_pods(self._tenant, workload.pods)
            yield from dict.fromkeys(f for pods in counted for f in self._unstated(pods))
            needs = self._sum(counted)
            large = {key for key, need in needs.items() if need > self._room(key)}
            for key in sorted(large):
                yield self._one_too_large(workload, key, needs[key])
            if not large and self._overlapping(workload) and not self._queued:
                yield from self._runs_too_large(workload, needs)
            if not self._suspended(workload):
                for key in needs.keys() - large:
                    together[key] += needs[key]
                    sizes[key] += needs[key] > 0
        if not self._queued:  # they wait whole, each until there is room
            yield from self._all_too_large(together, sizes)
        yield from self._too_many_objects(workloads)

    def claims(self, claims: list[tuple[int, StorageSpec]]) -> Iterator[Finding]:
        """All claims are there at once, so that the API server refuses the last ones."""
        used: dict[str, Decimal] = defaultdict(Decimal)
        for _, storage in claims:
            size, by_class = amount(storage.size), f"{storage.storage_class or ''}{_BY_CLASS}"
            for key in ("requests.storage", f"{by_class}requests.storage"):
                used[key] += size
            for key in (*_CLAIMS, f"{by_class}persistentvolumeclaims"):
                used[key] += 1
        for key, hard in self._hard.items():
            if used.get(key, Decimal(0)) > hard:
                yield Finding(
                    code="storage-exceeds-quota",
                    place=(*self._place, key),
                    message=f"the stack's storage of {self._tenant.name} comes to {shown(key, used[key])}, "
                    f"and the quota holds {self._tenant.quota[key]}",
                    remedy=f"raise it to {shown(key, used[key])}, or declare less storage",
                )

    def _unstated(self, pods: Pods) -> Iterator[Finding]:
        for container in pods.containers:
            lacking = dict.fromkeys(
                (kind, resource)
                for key, (kind, resource) in _OBLIGING.items()
                if key in self._hard and not _states(container, kind, resource)
            )
            if lacking:
                keys = ", ".join(f"{kind}.{resource}" for kind, resource in lacking)
                defaults = ", ".join(
                    f"{'default' if kind == 'limits' else 'default_request'}.{resource}"
                    for kind, resource in lacking
                )
                kind, resource = next(iter(lacking))
                yield Finding(
                    code="unstated-under-quota",
                    place=container.at(kind, resource),
                    message=f"the quota of {self._tenant.name} obliges every container to state {keys}, "
                    f"and {container.name} does not: no pod would start",
                    remedy=f"state {keys}, or give the tenant's limit_range {defaults}",
                )

    def _one_too_large(self, workload: Workload, key: str, need: Decimal) -> Finding:
        return Finding(
            code="job-exceeds-quota",
            place=workload.place,
            message=f"its pods together need {shown(key, need)} {key}, and the quota of "
            f"{self._tenant.name} holds {self._held(key)}: some would start and wait for the rest for ever",
            remedy=f"lower replicas or amounts, or raise the quota to {shown(key, need + self._used(key))}",
        )

    def _runs_too_large(self, workload: Workload, needs: Quantities) -> Iterator[Finding]:
        for key in sorted(needs):
            if 2 * needs[key] > self._room(key):
                yield Finding(
                    severity="warning",
                    code="overlapping-runs-exceed-quota",
                    place=(*workload.place, "schedule", "concurrency_policy"),
                    message=f"two runs at once need {shown(key, 2 * needs[key])} {key}, and the quota of "
                    f"{self._tenant.name} holds {self._held(key)}",
                    remedy="write Forbid or Replace, or raise the quota",
                )

    def _all_too_large(self, together: Quantities, sizes: Mapping[str, int]) -> Iterator[Finding]:
        for key in self._hard:
            need = together.get(key, Decimal(0))
            if need > self._room(key) and sizes[key] > 1:
                yield Finding(
                    severity="warning",
                    code="jobs-exceed-quota",
                    place=(*self._place, key),
                    message=f"the {sizes[key]} jobs that are not suspended need {shown(key, need)} together, "
                    f"and the quota holds {self._held(key)}: jobs that start in part block each other",
                    remedy="suspend some (run_policy.suspend: true), or raise the quota to "
                    + shown(key, need + self._used(key)),
                )

    def _too_many_objects(self, workloads: list[Workload]) -> Iterator[Finding]:
        declared = sum(workload.job.schedule is None for workload in workloads)
        if declared > self._hard.get(_JOB_OBJECTS, declared):
            yield Finding(
                code="too-many-jobs",
                place=(*self._place, _JOB_OBJECTS),
                message=f"the stack declares {declared} jobs, and the quota of {self._tenant.name} holds "
                f"{self._tenant.quota[_JOB_OBJECTS]}, suspended ones and finished ones included",
                remedy=f"raise it to {declared}, or remove jobs that have run",
            )

    def _may_hold(self, key: str) -> bool:
        return not self._tenant.quota_priorities or _COUNTED_OF_A_PRIORITY.fullmatch(key) is not None

    def _sum(self, groups: tuple[Pods, ...]) -> Quantities:
        """What pods add to each key of the quota."""
        needs: dict[str, Decimal] = defaultdict(Decimal)
        for pods in groups:
            for key in self._hard:
                needs[key] += pods.uses(key)
        return {key: need for key, need in needs.items() if need}

    def _used(self, key: str) -> Decimal:
        return self._taken.get(key, Decimal(0))

    def _room(self, key: str) -> Decimal:
        return self._hard[key] - self._used(key)

    def _held(self, key: str) -> str:
        if not self._used(key):
            return shown(key, self._hard[key])
        others = dict.fromkeys("the operator" if p.place[0] != "jobs" else _STARTERS for p in self._fixed)
        return (
            f"{shown(key, self._hard[key])}, {shown(key, self._used(key))} of it for {' and '.join(others)}"
        )

    @staticmethod
    def _suspended(workload: Workload) -> bool:
        schedule = workload.job.schedule
        return workload.job.run_policy.suspend or (schedule is not None and schedule.suspend)

    @staticmethod
    def _overlapping(workload: Workload) -> bool:
        schedule = workload.job.schedule
        return schedule is not None and schedule.concurrency_policy == "Allow"


def _states(container: Container, kind: Kind, resource: str) -> bool:
    return resource in (container.requests if kind == "requests" else container.limits)
