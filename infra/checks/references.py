"""References: what a job names is declared in the same stack, and fits it."""

from collections.abc import Iterable, Iterator
from difflib import get_close_matches

from infra.checks.findings import Finding, Subject
from infra.models import JobSpec, Stack
from infra.models.base import Loc

_LISTS = {"tenant": "tenants", "priority": "priorities", "pool": "pools", "storage": "storage"}


def check(subject: Subject) -> Iterator[Finding]:
    """The tenant, priority, pool and claims of every job."""
    for i, job in enumerate(subject.stack.jobs):
        yield from _declared(subject.stack, ("jobs", i), job)
        yield from _fitting(subject.stack, ("jobs", i), job)


def _declared(stack: Stack, at: Loc, job: JobSpec) -> Iterator[Finding]:
    yield from missing("tenant", (*at, "tenant"), job.tenant, (t.name for t in stack.tenants))
    known = (priority.name for priority in stack.priorities)
    yield from missing("priority", (*at, "priority"), job.priority, known)
    if job.pool is not None:
        yield from missing("pool", (*at, "pool"), job.pool, (pool.name for pool in stack.pools))
    overriding = job.pod_overrides.get("priorityClassName")
    if isinstance(overriding, str):
        known = (priority.name for priority in stack.priorities)
        yield from missing("priority", (*at, "pod_overrides", "priorityClassName"), overriding, known)
    for j, claim in job.claims():
        claims = (storage.name for storage in stack.storage)
        yield from missing("storage", (*at, "volumes", j, "claim"), claim, claims)


def _fitting(stack: Stack, at: Loc, job: JobSpec) -> Iterator[Finding]:
    kinds = {priority.name: priority.kind for priority in stack.priorities}
    if kinds.get(job.priority) == "online":
        yield Finding(
            severity="warning",
            code="job-with-online-priority",
            place=(*at, "priority"),
            message=f"training under {job.priority} may evict services",
            remedy="use an offline class",
        )


def missing(kind: str, place: Loc, name: str, declared: Iterable[str]) -> Iterator[Finding]:
    """A finding, unless the name is declared."""
    known = sorted(set(declared))
    if name in known:
        return
    close = get_close_matches(name, known, n=1)
    if close:
        remedy = f"write {close[0]}"
    elif known:
        remedy = f"declare it, or write one of {', '.join(known)}"
    else:
        remedy = "declare it first"
    yield Finding(
        code=f"unknown-{kind}",
        presumes=_LISTS[kind],
        place=place,
        message=f"no {kind} of the stack is called {name}",
        remedy=remedy,
    )
