"""Nodes that belong together: the labels and taints that keep others off and draw jobs in."""

from dataclasses import dataclass

import pulumi

from components.base import Component
from components.node_marks import NodeMarks
from components.rendering.node_marks import node_marks
from infra.models.pools import PoolSpec


@dataclass(frozen=True, kw_only=True)
class NodePoolArgs:
    spec: PoolSpec
    stack_name: str


class NodePool(Component):
    """One pool's marks on its nodes. The nodes themselves belong to whoever runs the cluster."""

    nodes: pulumi.Output[list[str]]
    """The pool's nodes, as the last update found them."""

    def __init__(self, name: str, args: NodePoolArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("colocation:nodes:NodePool", name, opts)
        marks = NodeMarks(f"{name}-marks", node_marks(args.spec, args.stack_name), self.child())
        self.nodes = marks.marked.apply(lambda marked: sorted(marked or ()))
        self.register_outputs({"nodes": self.nodes})
