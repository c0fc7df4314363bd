"""Groups of nodes that carry the same labels and taints."""

from collections.abc import Iterator, Mapping
from typing import Literal

from pydantic import Field

from infra.models.base import Count, Fault, Model
from infra.models.names import DnsLabel, LabelKey, LabelValue, ObjectName
from infra.models.quantities import Cpu, Memory


class Taint(Model):
    """What keeps pods without a matching toleration off a node."""

    key: LabelKey
    value: LabelValue = ""
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"]


class NodeCapacity(Model):
    """What pods can have of one node: its allocatable resources."""

    cpu: Cpu
    """Cores."""
    memory: Memory
    """Bytes."""
    gpus: Count = 0
    """Whole GPUs."""


class PoolSpec(Model):
    """Nodes, by name or by selector, and the marks that this stack puts on them."""

    name: DnsLabel
    nodes: tuple[ObjectName, ...] = ()
    """The nodes, by name. Either this or `selector`."""
    selector: Mapping[LabelKey, LabelValue] = Field(default_factory=dict)
    """The nodes, by labels they carry already; nodes that join are picked up by the next `up`."""
    labels: Mapping[LabelKey, LabelValue] = Field(default_factory=dict)
    """Labels put on each node; jobs of the pool select by them."""
    taints: tuple[Taint, ...] = ()
    """Taints put on each node; jobs of the pool tolerate them."""
    capacity: NodeCapacity | None = None
    """What each node has to give. Unset: whether a pod fits is not checked."""
    gpu_model: LabelValue | None = None
    """What the label nvidia.com/gpu.product of these nodes says."""
    foreign_taints: tuple[Taint, ...] = ()
    """Taints that others put there: tolerated by jobs of the pool, never touched."""

    def faults(self) -> Iterator[Fault]:
        if bool(self.nodes) == bool(self.selector):
            which = "both" if self.nodes else "neither"
            yield (), f"{which} of nodes and selector given; give exactly one"
        for i, node in enumerate(self.nodes):
            if node in self.nodes[:i]:
                yield ("nodes", i), f"{node} is listed already; list it once"
