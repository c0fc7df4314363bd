"""The simulated nodes of the benchmark: the article's kinds, in its proportion, with marks of their own."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from benchmarks.day.workload import Amount
from sandbox.simulated_nodes import CONTROL_PLANE, TAINT, SimulatedNode

LABEL = "colocation.local/bench"
VALUE = "day"
PART_LABEL = "colocation.local/bench-part"
"""Which of two separate pools a node is of; only the setting of separate pools looks at it."""
KIND_LABEL = "colocation.local/bench-kind"
TAINT_OURS = {"key": LABEL, "value": VALUE, "effect": "NoSchedule"}
TAINTS = (TAINT, TAINT_OURS)
TOLERATIONS = tuple(
    {"key": taint["key"], "operator": "Equal", "value": taint["value"], "effect": taint["effect"]}
    for taint in TAINTS
)
"""Of every pod of the benchmark; with the label as its node selector no other node takes it."""
MASTERS = 3
CPU_NODE = Amount(32, 128)
GPU_NODE = Amount(64, 256, 4)
GPU_SHARE = Fraction(2, 3)
"""Of the nodes that are no masters, those with GPUs."""
TRAINING_SHARE = Fraction(1, 4)
"""Of the nodes with GPUs, those that separate pools give to training, and at least one: the article had one
GPU server for it."""


def topology(count: int) -> Iterator[SimulatedNode]:
    """Masters, then nodes without and with GPUs; each is marked with the separate pool that it is of."""
    for index in range(1, MASTERS + 1):
        yield _node(f"bench-master-{index:03}", Amount(4, 8), {CONTROL_PLANE: ""}, master=True)
    workers = count - MASTERS
    gpu_nodes = round(workers * GPU_SHARE)
    for index in range(1, workers - gpu_nodes + 1):
        yield _node(f"bench-cpu-{index:03}", CPU_NODE, {KIND_LABEL: "cpu", PART_LABEL: "online"})
    for index in range(1, gpu_nodes + 1):
        part = "offline" if index <= max(1, round(gpu_nodes * TRAINING_SHARE)) else "online"
        yield _node(f"bench-gpu-{index:03}", GPU_NODE, {KIND_LABEL: "gpu", PART_LABEL: part})


def amount(node: SimulatedNode) -> Amount:
    return Amount(node.cpu, float(node.memory.removesuffix("Gi")), node.gpus)


def _node(name: str, size: Amount, labels: dict[str, str], *, master: bool = False) -> SimulatedNode:
    mark = {LABEL: "master" if master else VALUE}
    taints = (TAINT_OURS, *([{"key": CONTROL_PLANE, "effect": "NoSchedule"}] if master else []))
    return SimulatedNode(
        name=name,
        cpu=int(size.cpu),
        memory=f"{int(size.memory)}Gi",
        gpus=size.gpus,
        labels={**labels, **mark},
        taints=taints,
    )
