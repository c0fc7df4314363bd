"""What the containers of one pod come to, and what of it a quota counts."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Literal

from infra.models.quantities import canonical

ContainerKind = Literal["main", "init", "sidecar"]
Quantities = Mapping[str, Decimal]
"""Exact amounts by resource, in the API's spelling: cpu, memory, nvidia.com/gpu."""

_PODS = ("pods", "count/pods")


def together(containers: Iterable[tuple[ContainerKind, Quantities]]) -> Quantities:
    """Of one pod: containers and sidecars side by side, or an init container with the sidecars before it."""
    containers = tuple(containers)
    if len(containers) == 1:
        return containers[0][1]
    running: dict[str, Decimal] = {}
    sidecars: dict[str, Decimal] = {}
    peak: dict[str, Decimal] = {}
    for kind, asked in containers:
        for resource, value in asked.items():
            if kind == "main":
                running[resource] = running.get(resource, Decimal(0)) + value
                continue
            beside = sidecars.get(resource, Decimal(0)) + value
            peak[resource] = max(peak.get(resource, Decimal(0)), beside)
            if kind == "sidecar":
                sidecars[resource] = beside
    zero = Decimal(0)
    return {
        resource: max(running.get(resource, zero) + sidecars.get(resource, zero), peak.get(resource, zero))
        for resource in {**running, **sidecars, **peak}
    }


def counted(key: str, requests: Quantities, limits: Quantities) -> Decimal:
    """What one pod adds to a key of a ResourceQuota."""
    if key in _PODS:
        return Decimal(1)
    kind, _, resource = key.partition(".")
    if kind == "limits":
        return limits.get(resource, Decimal(0))
    return requests.get(resource if kind == "requests" else key, Decimal(0))


def shown(resource: str, value: Decimal) -> str:
    """An amount as people write it: 1.5 cores, 2Gi of memory, 4 GPUs. Also for keys of a quota."""
    if resource.endswith(("memory", "storage")):
        return canonical(value, binary=True)
    return f"{value.normalize():f}"
