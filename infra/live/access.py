"""Access: what this account may not read is not checked, and it says so."""

from collections.abc import Iterator

from infra.checks.findings import Finding
from infra.live.snapshot import Snapshot
from infra.models import Stack


def check(_stack: Stack, snapshot: Snapshot) -> Iterator[Finding]:
    """Each kind of object that could not be read."""
    for unread in snapshot.unread:
        yield Finding(
            severity="advice",
            code="live-unread",
            place=(),
            message=f"{unread.kind} could not be read, so what hangs on them is unchecked ({unread.reason})",
            remedy=f"use an account that may get and list {unread.kind}",
        )
