"""Contents: a stack declares something, and what it names it has."""

from collections.abc import Iterator

from infra.checks.findings import EVERY_LIST, Finding, Subject

_SECTIONS = ("queueing", "node_protection", "monitoring")
"""What a stack has as soon as it says so, be it with no more than `{}`."""


def check(subject: Subject) -> Iterator[Finding]:
    """A stack that is empty, as after a slip of the editor; a section whose key stands there alone."""
    stack = subject.stack
    lists = (stack.pools, stack.priorities, stack.tenants, stack.storage, stack.jobs)
    if not any(lists) and "training_operator" not in stack.model_fields_set:
        yield Finding(
            severity="warning",
            code="empty-stack",
            presumes=EVERY_LIST,
            place=(),
            message="declares nothing but the operator, and an update takes all else away",
            remedy="declare tenants and jobs, see stacks/dev.yaml",
        )
    for section in _SECTIONS:
        if section in stack.model_fields_set and getattr(stack, section) is None:
            yield Finding(
                severity="warning",
                code="empty-section",
                place=(section,),
                message="has no value, and so the stack is without it",
                remedy="write {} to have it with its defaults, or remove the key",
            )
