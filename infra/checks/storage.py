"""Storage: a claim and the jobs that mount it are in one namespace."""

from collections.abc import Iterator

from infra.checks.findings import Finding, Subject
from infra.checks.references import missing


def check(subject: Subject) -> Iterator[Finding]:
    """The tenant of every claim, and of every job that mounts one."""
    stack = subject.stack
    for i, storage in enumerate(stack.storage):
        tenants = (tenant.name for tenant in stack.tenants)
        yield from missing("tenant", ("storage", i, "tenant"), storage.tenant, tenants)
    owners = {storage.name: storage.tenant for storage in stack.storage}
    known = {tenant.name for tenant in stack.tenants}
    for i, job in enumerate(stack.jobs):
        if job.tenant not in known:
            continue  # said already, of the tenant
        for j, claim in job.claims():
            owner = owners.get(claim, job.tenant)
            if owner != job.tenant:
                yield Finding(
                    code="claim-of-another-tenant",
                    place=("jobs", i, "volumes", j, "claim"),
                    message=f"{claim} belongs to tenant {owner} and the job to {job.tenant}",
                    remedy="use storage of the job's own tenant; a pod mounts no other",
                )
