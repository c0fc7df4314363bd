"""Rules that hold between the objects of a stack. Pure: a subject goes in, findings come out."""

from infra.checks import contents, names, pools, priorities, references, scripts, storage
from infra.checks.findings import Check, Finding, Located, Severity, Subject

CHECKS: tuple[Check, ...] = (
    contents.check,
    names.check,
    priorities.check,
    pools.check,
    references.check,
    storage.check,
    scripts.check,
)


def examine(subject: Subject) -> tuple[Finding, ...]:
    """Everything that every check finds."""
    return tuple(finding for check in CHECKS for finding in check(subject))


__all__ = ["CHECKS", "Check", "Finding", "Located", "Severity", "Subject", "examine"]
