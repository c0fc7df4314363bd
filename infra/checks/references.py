"""References: what a job names is declared in the same stack, and fits it."""

from collections.abc import Iterable, Iterator
from difflib import get_close_matches

from infra.checks.findings import Finding, Subject
from infra.models import JobSpec
from infra.models.base import Loc

_LISTS = {"tenant": "tenants", "priority": "priorities", "pool": "pools", "storage": "storage"}


def check(subject: Subject) -> Iterator[Finding]:
    """The tenant, priorities, pool and claims of every job."""
    known = {kind: frozenset(x.name for x in getattr(subject.stack, of)) for kind, of in _LISTS.items()}
    online = subject.stack.classes("online")
    for i, job in enumerate(subject.stack.jobs):
        for kind, place, name in _named(job):
            yield from missing(kind, ("jobs", i, *place), name, known[kind])
        if job.priority in online:
            yield Finding(
                severity="warning",
                code="job-with-online-priority",
                place=("jobs", i, "priority"),
                message=f"training under {job.priority} may evict services",
                remedy="use an offline class",
            )


def _named(job: JobSpec) -> Iterator[tuple[str, Loc, str]]:
    """What a job names of the stack: its kind, where in the job, and the name."""
    yield "tenant", ("tenant",), job.tenant
    yield "priority", ("priority",), job.priority
    if job.pool is not None:
        yield "pool", ("pool",), job.pool
    policy = job.run_policy.scheduling_policy
    if policy is not None and policy.priority_class is not None:
        yield "priority", ("run_policy", "scheduling_policy", "priority_class"), policy.priority_class
    for j, claim in job.claims():
        yield "storage", ("volumes", j, "claim"), claim


def missing(kind: str, place: Loc, name: str, declared: Iterable[str]) -> Iterator[Finding]:
    """A finding, unless the name is declared."""
    names = frozenset(declared)  # of a frozenset, that very one
    if name in names:
        return
    known = sorted(names)
    close = get_close_matches(name, known, n=1)
    if close:
        remedy = f"write {close[0]}"
    elif known:
        remedy = f"declare it, or write one of {', '.join(known)}"
    else:
        remedy = "declare it first"
    yield Finding(
        code=f"unknown-{kind}",
        presumes=_LISTS.get(kind),
        place=place,
        message=f"no {kind} of the stack is called {name}",
        remedy=remedy,
    )
