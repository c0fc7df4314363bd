"""Webhooks: one that nobody answers refuses every TFJob."""

from collections.abc import Iterator

from infra.checks.findings import Finding
from infra.live.snapshot import Snapshot
from infra.models import Stack


def check(_stack: Stack, snapshot: Snapshot) -> Iterator[Finding]:
    """The Service behind each webhook that is asked about TFJobs."""
    for webhook in snapshot.webhooks:
        if webhook.ready is False:
            effect = "every TFJob is refused" if webhook.blocks else "TFJobs go unchecked, each after a wait"
            yield Finding(
                severity="fault" if webhook.blocks else "warning",
                code="webhook-without-endpoint",
                place=("training_operator",),
                message=f"the webhook {webhook.name} asks the Service {webhook.namespace}/{webhook.service}, "
                f"which has no ready endpoint: {effect}",
                remedy=f"look at the pods in {webhook.namespace}; if the program is gone, have the "
                f"configuration {webhook.configuration} removed",
            )
