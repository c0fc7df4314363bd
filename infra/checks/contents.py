"""Contents: a stack declares something."""

from collections.abc import Iterator

from infra.checks.findings import EVERY_LIST, Finding, Subject


def check(subject: Subject) -> Iterator[Finding]:
    """A stack that is empty, as after a slip of the editor: applying it takes everything away."""
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
