"""Priorities: offline work ranks below services, also below those that name no class."""

from collections.abc import Iterator

from infra.checks.findings import Finding, Subject
from infra.models.base import Loc
from infra.vocabulary import MAX_USER_PRIORITY, RESERVED_PRIORITY_PREFIX


def check(subject: Subject) -> Iterator[Finding]:
    """Each class by itself, then the classes against each other."""
    for i, priority in enumerate(subject.stack.priorities):
        if priority.name.startswith(RESERVED_PRIORITY_PREFIX):
            yield _fault(
                "priority-name-reserved",
                ("priorities", i, "name"),
                f"names with {RESERVED_PRIORITY_PREFIX} belong to Kubernetes",
                "choose another name",
            )
        if priority.value > MAX_USER_PRIORITY:
            yield _fault(
                "priority-too-high",
                ("priorities", i, "value"),
                f"{priority.value} is among the values that Kubernetes keeps for itself",
                f"write at most {MAX_USER_PRIORITY}",
            )
    yield from _default(subject)
    yield from _order(subject)


def _default(subject: Subject) -> Iterator[Finding]:
    defaults = [(i, p) for i, p in enumerate(subject.stack.priorities) if p.global_default]
    for i, priority in defaults[1:]:
        yield _fault(
            "second-global-default",
            ("priorities", i, "global_default"),
            f"{defaults[0][1].name} is the global default already, and {priority.name} is too",
            "keep one",
        )
    for i, priority in defaults:
        if priority.kind == "offline":
            yield _fault(
                "offline-global-default",
                ("priorities", i, "global_default"),
                "every service without a class would rank as offline work",
                "make an online class the default",
            )
    # Below zero it loses to those services, as where another stack declares the cluster's default.
    if not defaults and any(p.kind == "offline" and p.value >= 0 for p in subject.stack.priorities):
        yield Finding(
            code="no-global-default",
            presumes="priorities",
            place=("priorities",),
            message="no class is the global default, so services without one have 0 and offline work wins",
            remedy="add {name: online-high, value: 100000, kind: online, global_default: true}, "
            "or give offline classes values below 0",
        )


def _order(subject: Subject) -> Iterator[Finding]:
    online = [p for p in subject.stack.priorities if p.kind == "online"]
    lowest = min(online, key=lambda p: p.value, default=None)
    if lowest is None:
        return
    for i, priority in enumerate(subject.stack.priorities):
        if priority.kind == "offline" and priority.value >= lowest.value:
            yield _fault(
                "offline-not-below-online",
                ("priorities", i, "value"),
                f"{priority.value} is not below {lowest.name}, which has {lowest.value}",
                f"write less than {lowest.value}",
            )


def _fault(code: str, place: Loc, message: str, remedy: str) -> Finding:
    return Finding(code=code, place=place, message=message, remedy=remedy)
