"""Kueue: installed by whom the stack says, and able to read what the stack sends."""

from collections.abc import Iterator

from infra.checks.findings import Finding
from infra.live.controllers import unserved
from infra.live.snapshot import Snapshot
from infra.models import QueueingSpec, Stack
from infra.versions import KUEUE_OLDEST, dotted
from infra.vocabulary import KUEUE, QUEUE_API_VERSION, QUEUE_CRDS

_INSTALL = ("queueing", "install")
_VERSION = QUEUE_API_VERSION.rpartition("/")[2]


def check(stack: Stack, snapshot: Snapshot) -> Iterator[Finding]:
    """The Kueue that runs, then the definitions of its kinds."""
    spec = stack.queueing
    if spec is None:
        return
    if spec.install:
        yield from _installed(spec, snapshot)
    else:
        yield from _attached(snapshot)


def _installed(spec: QueueingSpec, snapshot: Snapshot) -> Iterator[Finding]:
    """`install: true`: none but that of the stack's own release."""
    own = f"{spec.namespace}/{KUEUE}"
    for found in snapshot.kueues or ():
        if found.release != own:
            yield Finding(
                code="queueing-of-others",
                place=_INSTALL,
                message=f"a Kueue is there already, {found}, and two would both act on the same jobs",
                remedy="write install: false, or have that one removed",
            )


def _attached(snapshot: Snapshot) -> Iterator[Finding]:
    """`install: false`: one runs, and knows every kind that the stack sends."""
    if snapshot.kueues is not None:
        message = "no Kueue runs in the cluster, and queued jobs would never start"
        yield from unserved(snapshot.kueues, code="queueing-absent", place=_INSTALL, message=message)
    if snapshot.queue_crds is not None:
        there = {crd.name for crd in snapshot.queue_crds if _VERSION in crd.served}
        absent = [name for name in QUEUE_CRDS if name not in there]
        if absent:
            yield Finding(
                code="queueing-crd-absent",
                place=_INSTALL,
                message=f"the cluster serves no {_VERSION} of {', '.join(absent)}",
                remedy=f"have Kueue {dotted(KUEUE_OLDEST)} or newer installed with its definitions, or write "
                "install: true",
            )
