"""The nodes that complete the sandbox's topology: objects kept alive by KWOK, with no kubelet behind them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sandbox import paths, processes
from sandbox.network import NAMESPACE

# No machine stands behind these addresses: sandbox.network black-holes their range.
POD_CIDR = "10.88.0.1/17"
NODE_IP = "10.88.255.254"
ANNOTATION = "kwok.x-k8s.io/node"
TAINT = {"key": ANNOTATION, "value": "fake", "effect": "NoSchedule"}


@dataclass(frozen=True, kw_only=True)
class SimulatedNode:
    """A node as the API shows it.

    Fields: cpu in cores, memory as a Kubernetes quantity, gpus as whole devices.
    """

    name: str
    cpu: int
    memory: str
    gpus: int = 0
    labels: Mapping[str, str] = field(default_factory=dict)
    taints: tuple[Mapping[str, str], ...] = ()


CONTROL_PLANE = "node-role.kubernetes.io/control-plane"


def topology() -> Iterator[SimulatedNode]:
    """Three masters and six workers, four of them with GPUs, less the one worker that is real."""
    for index in range(1, 4):
        yield SimulatedNode(
            name=f"node-master-{index:02}",
            cpu=4,
            memory="8Gi",
            labels={CONTROL_PLANE: ""},
            taints=({"key": CONTROL_PLANE, "effect": "NoSchedule"},),
        )
    yield SimulatedNode(name="node-cpu-02", cpu=32, memory="128Gi")
    for index in range(1, 5):
        yield SimulatedNode(name=f"node-gpu-{index:02}", cpu=64, memory="256Gi", gpus=4)


def start_kwok(program: Path) -> None:
    """Start KWOK; it answers for the annotated nodes only."""
    command: list[str | Path] = [
        program,
        f"--kubeconfig={paths.kubeconfig()}",
        "--manage-all-nodes=false",
        f"--manage-nodes-with-annotation-selector={ANNOTATION}=fake",
        f"--cidr={POD_CIDR}",
        f"--node-ip={NODE_IP}",
        "--node-lease-duration-seconds=40",
    ]
    processes.start("kwok", command, namespace=NAMESPACE)


def manifest(node: SimulatedNode) -> dict[str, Any]:
    """Render the Node object.

    Every simulated node is tainted: a pod that must really run, the operator first of all, would else
    be bound to one and its webhook be looked for at an address where nothing is.
    """
    resources = {"cpu": str(node.cpu), "memory": node.memory, "pods": "110"}
    if node.gpus:
        resources["nvidia.com/gpu"] = str(node.gpus)
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": node.name,
            "annotations": {ANNOTATION: "fake", "node.alpha.kubernetes.io/ttl": "0"},
            "labels": {
                "kubernetes.io/hostname": node.name,
                "kubernetes.io/os": "linux",
                "kubernetes.io/arch": "amd64",
                "type": "kwok",
                **node.labels,
            },
        },
        "spec": {"taints": [TAINT, *(dict(taint) for taint in node.taints)]},
        "status": {"allocatable": resources, "capacity": resources},
    }
