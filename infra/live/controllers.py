"""What a stack does not install and needs: a Deployment that runs it, with a pod that is ready."""

from collections.abc import Iterator, Sequence

from infra.checks.findings import Finding
from infra.live.snapshot import FoundController, FoundOperator
from infra.models.base import Loc


def unserved(
    found: Sequence[FoundController | FoundOperator], *, code: str, place: Loc, message: str
) -> Iterator[Finding]:
    """A finding, unless one of those that were found is ready; `message`: what comes of it."""
    if not any(one.ready for one in found):
        stopped = f"; {found[0]} has no ready pod" if found else ""
        yield Finding(
            code=code,
            place=place,
            message=f"{message}{stopped}",
            remedy=f"look at its pods in {found[0].namespace}" if found else "write install: true",
        )
