"""The cluster's version: within what the installed programs are made for."""

from collections.abc import Iterator

from infra.checks.findings import Finding
from infra.live.snapshot import Snapshot, Version
from infra.models import Stack
from infra.versions import TRAINING_OPERATOR, TRAINING_OPERATOR_KUBERNETES


def check(stack: Stack, snapshot: Snapshot) -> Iterator[Finding]:
    """The range of the operator, where this stack installs it."""
    lowest, highest = TRAINING_OPERATOR_KUBERNETES
    if stack.training_operator.install and not lowest <= snapshot.version <= highest:
        older = snapshot.version < lowest
        yield Finding(
            severity="warning",
            code="kubernetes-version",
            place=("training_operator",),
            message=f"the cluster runs Kubernetes {_text(snapshot.version)}, and training-operator "
            f"{TRAINING_OPERATOR} is made for {_text(lowest)} to {_text(highest)}",
            remedy="upgrade the cluster"
            if older
            else "try the stack on a test cluster of that version first",
        )


def _text(version: Version) -> str:
    return f"{version[0]}.{version[1]}"
