"""Queues in which jobs wait whole."""

from collections.abc import Iterator

from infra.models.base import Fault, Flag, Model
from infra.models.charts import ChartSpec
from infra.models.names import DnsLabel, Registry


class QueueingSpec(Model):
    """Kueue holds a job back until all of it fits into its tenant's quota, and lets it start then."""

    install: Flag = True
    """false: Kueue is on the cluster, and this stack adds its own queues."""
    namespace: DnsLabel = "kueue-system"
    """Where Kueue runs; made for it."""
    chart: ChartSpec = ChartSpec()
    """Kueue's chart from elsewhere, or in another version."""
    image_registry: Registry | None = None
    """Registry to pull Kueue's image from instead of the public one."""

    def faults(self) -> Iterator[Fault]:
        if not self.install:
            for idle in sorted(self.model_fields_set - {"install"}):
                yield (idle,), "has no effect with install: false; remove it, or install: true"
