"""Grafana's dashboards of this project, one module each. Loads neither Pulumi nor Grafana's SDK."""

from dataclasses import dataclass
from typing import Self

from components.rendering.dashboards.cluster import cluster
from components.rendering.dashboards.colocation import colocation
from components.rendering.dashboards.gpu import gpu
from components.rendering.dashboards.node import node
from components.rendering.dashboards.parts import Dashboard
from components.rendering.dashboards.tenants import tenants
from components.rendering.dashboards.training_jobs import training_jobs
from infra.models import Stack

__all__ = ["Dashboard", "Shown", "dashboards"]


@dataclass(frozen=True, kw_only=True)
class Shown:
    """What of a stack the dashboards know."""

    operator_namespace: str
    tenants: tuple[str, ...] = ()
    """Namespaces."""
    offline_classes: tuple[str, ...] = ()
    """PriorityClasses."""

    @classmethod
    def of(cls, stack: Stack) -> Self:
        """What a stack says."""
        return cls(
            operator_namespace=stack.training_operator.namespace,
            tenants=tuple(tenant.name for tenant in stack.tenants),
            offline_classes=stack.classes("offline"),
        )


def dashboards(shown: Shown) -> tuple[Dashboard, ...]:
    """Those that make sense for a stack: no tenants without tenants, no colocation without offline work."""
    return (
        cluster(),
        node(),
        gpu(),
        *([tenants(shown.tenants)] if shown.tenants else ()),
        training_jobs(shown.operator_namespace),
        *([colocation(shown.offline_classes)] if shown.offline_classes else ()),
    )
