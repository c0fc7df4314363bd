"""Storage: a claim and the jobs that mount it are in one namespace, and within reach of each other."""

from collections.abc import Iterator

from infra.checks.findings import Finding, Subject
from infra.checks.references import missing
from infra.models import JobSpec, Stack, StorageSpec
from infra.models.base import Loc

_HOSTNAME = "kubernetes.io/hostname"


def check(subject: Subject) -> Iterator[Finding]:
    """Every claim's tenant and volume, then the claims that each job mounts."""
    stack = subject.stack
    for i, storage in enumerate(stack.storage):
        tenants = (tenant.name for tenant in stack.tenants)
        yield from missing("tenant", ("storage", i, "tenant"), storage.tenant, tenants)
    yield from _volumes_of_one_name(stack)
    declared = {storage.name: storage for storage in stack.storage}
    known = {tenant.name for tenant in stack.tenants}
    users: dict[str, str] = {}
    for i, job in enumerate(stack.jobs):
        if job.tenant not in known:
            continue  # said already, of the tenant
        at = ("jobs", i, "volumes")
        yield from _owned(at, job, declared)
        yield from _within_reach(at, job, declared, stack, users)


def _volumes_of_one_name(stack: Stack) -> Iterator[Finding]:
    """Volumes have no namespace: SharedStorage names them by tenant and claim."""
    seen: dict[str, str] = {}
    for i, storage in enumerate(stack.storage):
        volume = f"{storage.tenant}-{storage.name}"
        if storage.nfs is not None and seen.setdefault(volume, storage.name) != storage.name:
            yield Finding(
                code="volume-name-twice",
                place=("storage", i, "name"),
                message=f"its volume would be called {volume}, as that of {seen[volume]} is",
                remedy="choose another name",
            )


def _owned(at: Loc, job: JobSpec, declared: dict[str, StorageSpec]) -> Iterator[Finding]:
    for j, volume in enumerate(job.volumes):
        storage = declared.get(volume.claim or "")
        if storage is not None and storage.tenant != job.tenant:
            yield Finding(
                code="claim-of-another-tenant",
                place=(*at, j, "claim"),
                message=f"{storage.name} belongs to tenant {storage.tenant} and the job to {job.tenant}",
                remedy="use storage of the job's own tenant; a pod mounts no other",
            )
        storage = declared.get(volume.existing_claim or "")
        if storage is not None and storage.tenant == job.tenant:
            yield Finding(
                severity="warning",
                code="claim-declared-here",
                place=(*at, j, "existing_claim"),
                message=f"this stack declares {storage.name}, and a job waits for it under claim only",
                remedy=f"write claim: {storage.name}",
            )


def _within_reach(
    at: Loc, job: JobSpec, declared: dict[str, StorageSpec], stack: Stack, users: dict[str, str]
) -> Iterator[Finding]:
    """A ReadWriteOnce claim serves one node; pods on others wait for it without end.

    `users` remembers who mounted each such claim first.
    """
    if _on_one_node(job, stack):
        return
    pods = sum(spec.replicas for _, spec in job.roles())
    for j, claim in job.claims():
        storage = declared.get(claim)
        if storage is None or storage.access_mode != "ReadWriteOnce":
            continue
        first = users.setdefault(claim, job.name)
        if pods > 1:
            yield Finding(
                code="claim-of-one-node",
                place=(*at, j, "claim"),
                message=f"{claim} is ReadWriteOnce, and the job's {pods} pods may sit on several nodes",
                remedy="declare it ReadWriteMany, or keep the job on one node by node_selector: "
                f"{{{_HOSTNAME}: <node>}}",
            )
        elif first != job.name:
            yield Finding(
                severity="warning",
                code="claim-of-one-node-shared",
                place=(*at, j, "claim"),
                message=f"{claim} is ReadWriteOnce, and job {first} mounts it too: on another node, "
                "one waits until the other has ended",
                remedy="declare it ReadWriteMany, or give each job its own",
            )


def _on_one_node(job: JobSpec, stack: Stack) -> bool:
    if _HOSTNAME in job.node_selector:
        return True
    pool = next((pool for pool in stack.pools if pool.name == job.pool), None)
    gpus = {bool(spec.resources.gpus) for _, spec in job.roles()}
    # Where some roles ask for GPUs and others do not, those stay off the pool.
    return pool is not None and len(pool.nodes) == 1 and not pool.selector and len(gpus) == 1
