"""Findings about a manifest, by severity. A place is one in the manifest."""

from dataclasses import replace

from infra.checks import Finding
from infra.models.base import Loc


def fault(code: str, place: Loc, sentence: str) -> Finding:
    """The job could not run, or would do other than it says: `<what is wrong>; <what to write instead>`."""
    return Finding.of(code, place, sentence)


def warning(code: str, place: Loc, sentence: str) -> Finding:
    """The job runs, and something is probably not meant, or the entry cannot say it."""
    return replace(Finding.of(code, place, sentence), severity="warning")


def advice(code: str, place: Loc, sentence: str) -> Finding:
    """The job runs; a stack would refuse this, or does it otherwise."""
    return replace(Finding.of(code, place, sentence), severity="advice")
