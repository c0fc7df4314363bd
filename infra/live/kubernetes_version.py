"""The cluster's version: within what the installed programs are made for."""

from collections.abc import Iterator

from infra.checks.findings import Finding
from infra.checks.kubernetes_version import installed
from infra.live.snapshot import Snapshot
from infra.models import Stack


def check(stack: Stack, snapshot: Snapshot) -> Iterator[Finding]:
    """The range of each, where this stack installs it."""
    for part in installed(stack):
        yield from part.finding(
            snapshot.version, code="kubernetes-version", severity="warning", place=part.place
        )
