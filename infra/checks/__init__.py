"""Rules that hold between the objects of a stack. Pure: a subject goes in, findings come out."""

from infra.checks import (
    contents,
    limit_ranges,
    names,
    nodes,
    pools,
    priorities,
    quota,
    references,
    resources,
    scripts,
    selectors,
    storage,
)
from infra.checks.findings import Check, Finding, Located, Severity, Subject

CHECKS: tuple[Check, ...] = (
    contents.check,
    names.check,
    priorities.check,
    pools.check,
    references.check,
    storage.check,
    scripts.check,
    resources.check,
    limit_ranges.check,
    quota.check,
    nodes.check,
    selectors.check,
)


def examine(subject: Subject) -> tuple[Finding, ...]:
    """Everything that every check finds."""
    return tuple(finding for check in CHECKS for finding in check(subject))


__all__ = ["CHECKS", "Check", "Finding", "Located", "Severity", "Subject", "examine"]
