"""A Pulumi resource: the labels and taints that one pool keeps on its nodes."""

import re
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

import pulumi
from pulumi.dynamic import (
    CheckFailure,
    CheckResult,
    ConfigureRequest,
    CreateResult,
    DiffResult,
    ReadResult,
    Resource,
    ResourceProvider,
    UpdateResult,
)

from components import node_plan, plain_faults
from components.cluster_nodes import ChangedError, ClusterNodes, NodeError, UnreachableError
from components.node_plan import Marks, Node
from infra.vocabulary import POOL_LABEL

_TRIES = 8
_CLAIM_SECONDS = 20
_CLAIM = ("stack", "pool")
_DECLARED = ("nodes", "selector", "labels", "taints")
# A label's value; together with a pool's name it also has to fit a field manager of 128 characters.
_STACK_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,38}[A-Za-z0-9])?")


class NodeMarksProvider(ResourceProvider):
    """Compares the nodes themselves with the declaration, at each preview and each update.

    Nodes come and go without Pulumi: one that joins a selector, one made anew under its old name,
    one whose label was taken off by hand shows as an update, without a refresh. The state holds
    this class by its module's name, neither its code nor any cluster access: do not move it.
    """

    serialize_as_secret_always = False  # nothing is captured

    def configure(self, _req: ConfigureRequest) -> None:
        """Called once, before all else, and only in the process that Pulumi runs this in."""
        plain_faults.tell(NodeError)

    def check(self, _olds: dict[str, Any], news: dict[str, Any]) -> CheckResult:
        """Everything that would stop an update, said at preview; nothing without a cluster."""
        found: list[str] = []
        with suppress(UnreachableError):
            found = list(self._pool(news).faults())
        return CheckResult(news, [CheckFailure("", fault) for fault in found])

    def diff(self, _id: str, olds: dict[str, Any], news: dict[str, Any]) -> DiffResult:
        if other := [key for key in _CLAIM if olds.get(key) != news.get(key)]:
            return DiffResult(True, replaces=other, delete_before_replace=True)
        declared = any(olds[key] != news[key] for key in _DECLARED)
        pool = self._pool(news)
        try:
            changed = declared or not pool.is_settled(olds["marked"])
        except UnreachableError:
            changed = declared or not pool.was_settled(olds["marked"])
        return DiffResult(changed)

    def create(self, props: dict[str, Any]) -> CreateResult:
        pool = self._pool(props)
        try:
            return CreateResult(props["pool"], props | {"marked": pool.settle({})})
        except Exception:
            # Pulumi keeps no state of a failed create: nobody would clean up after it.
            with suppress(NodeError):
                pool.take_back()
            raise

    def read(self, id_: str, props: dict[str, Any]) -> ReadResult:
        return ReadResult(id_, props | {"marked": self._pool(props).observed()})

    def update(self, _id: str, olds: dict[str, Any], news: dict[str, Any]) -> UpdateResult:
        return UpdateResult(news | {"marked": self._pool(news).settle(olds["marked"])})

    def delete(self, _id: str, props: dict[str, Any]) -> None:
        self._pool(props).give_back(props["marked"])

    def _pool(self, props: Mapping[str, Any]) -> "_Pool":
        return _Pool(ClusterNodes(f"pool {props['pool']}"), props)


class NodeMarks(Resource, module="colocation", name="NodeMarks"):
    """What a pool puts on its nodes, and nothing else of them."""

    marked: pulumi.Output[dict[str, Any]]
    """By node: which of the pool's labels and taints it carries."""

    def __init__(
        self, name: str, props: Mapping[str, Any], opts: pulumi.ResourceOptions | None = None
    ) -> None:
        """`props`: stack, pool, nodes, selector, labels, taints, none of them left out."""
        super().__init__(NodeMarksProvider(), name, {**props, "marked": None}, opts)


class _Pool:
    """A declared pool and the nodes that it meets."""

    def __init__(self, cluster: ClusterNodes, props: Mapping[str, Any]) -> None:
        self._cluster = cluster
        self._props = props
        self._marks = Marks.wanted(props)
        self._written: set[str] = set()

    def faults(self) -> Iterator[str]:
        """Why `settle` would fail."""
        if self._marks.stack and not _STACK_NAME.fullmatch(self._marks.stack):
            yield (
                f"pool {self._marks.pool}: the stack is called {self._marks.stack}, and a node can bear a "
                "name of at most 40 characters that begins and ends with a letter or digit; "
                "give it another with `pulumi stack rename`"
            )
        members = self._members()
        for name in self._props["nodes"]:
            if name not in members:
                yield (
                    f"pool {self._marks.pool}: node {name} is not in the cluster; "
                    "let it join, or take it out of the pool's nodes"
                )
        for node in members.values():
            yield from node_plan.faults(node, self._marks)

    def is_settled(self, marked: Mapping[str, Any]) -> bool:
        """Whether the nodes are as declared, and the state says so."""
        members = self._members()
        return (
            all(node_plan.settled(node, self._marks) for node in members.values())
            and not self._strays(members, marked)
            and marked == self._carried(members)
        )

    def was_settled(self, marked: Mapping[str, Any]) -> bool:
        """The same from the state alone, where no cluster can be asked."""
        text = node_plan.marks_text(self._marks.labels, list(self._marks.taints.values()))
        return all(there == text for there in marked.values()) and (
            not self._props["nodes"] or set(marked) == set(self._props["nodes"])
        )

    def observed(self) -> dict[str, Any]:
        """What the nodes carry now, those that left the pool included."""
        members = self._members()
        return self._carried(members | self._strays(members, {}))

    def settle(self, marked: Mapping[str, Any]) -> dict[str, Any]:
        """Mark the members, take the marks off the others, and say what is there now."""
        if found := list(self.faults()):
            raise NodeError("\n".join(found))
        members = self._members()
        for name in self._strays(members, marked):
            self._settle_node(name, self._marks.none())
        self._wait_for_other_pools()
        for name in members:
            self._settle_node(name, self._marks)
        return self._carried(self._members())

    def give_back(self, marked: Mapping[str, Any]) -> None:
        """Take the marks off every node that carries them."""
        for name in self._strays({}, marked):
            self._settle_node(name, self._marks.none())

    def take_back(self) -> None:
        """Take the marks off the nodes that `settle` wrote to, and off no other."""
        for name in sorted(self._written):
            self._settle_node(name, self._marks.none())

    def _wait_for_other_pools(self) -> None:
        """A node that moves from one pool to another is let go by the first in the same update."""
        for _ in range(_CLAIM_SECONDS):
            held = {
                name: other
                for name, node in self._members().items()
                if (other := node_plan.claimant(node, self._marks))
            }
            if not held:
                return
            time.sleep(1)
        raise NodeError("\n".join(self._held(name, other) for name, other in held.items()))

    def _held(self, name: str, other: str) -> str:
        return (
            f"pool {self._marks.pool}: node {name} is in pool {other} already; keep it in one of "
            "the two (of a renamed pool, take away the old one first)"
        )

    def _members(self) -> dict[str, Node]:
        if self._props["selector"]:
            return _by_name(self._cluster.matching(self._props["selector"]))
        found = (self._cluster.get(name) for name in self._props["nodes"])
        return _by_name([node for node in found if node])

    def _strays(self, members: Mapping[str, Node], marked: Mapping[str, Any]) -> dict[str, Node]:
        """Nodes outside the pool that carry its marks: by its label, or as the state says."""
        found = _by_name(self._cluster.matching({POOL_LABEL: self._marks.pool}))
        for name in set(marked) - set(found) - set(members):
            if node := self._cluster.get(name):
                found[name] = node
        nothing = self._marks.none()
        return {
            name: node
            for name, node in found.items()
            if name not in members and not node_plan.settled(node, nothing)
        }

    def _carried(self, nodes: Mapping[str, Node]) -> dict[str, Any]:
        return {name: node_plan.carried(nodes[name], self._marks) for name in sorted(nodes)}

    def _settle_node(self, name: str, marks: Marks) -> None:
        told = ""
        for attempt in range(_TRIES):
            try:
                return self._try_node(name, marks)
            except ChangedError as fault:
                told = str(fault)
                time.sleep(0.05 * 2**attempt)
        raise NodeError(
            f"pool {marks.pool}: node {name} was changed by others at each of {_TRIES} tries "
            f"({told}); find what writes to it all the time, then run again"
        )

    def _try_node(self, name: str, marks: Marks) -> None:
        """The label claims the node, so it is put on first and taken off last."""
        node = self._cluster.get(name)
        if node and marks.labels:
            if other := node_plan.claimant(node, marks):
                raise NodeError(self._held(name, other))
            if found := list(node_plan.faults(node, marks)):
                raise NodeError("\n".join(found))
            if not node_plan.settled(node, marks):
                self._written.add(name)
            if not node_plan.labels_settled(node, marks):
                node = self._cluster.apply(node_plan.label_patch(node, marks), marks.manager)
        if node and (patch := node_plan.taint_patch(node, marks)):
            node = self._cluster.merge(name, patch, marks.manager)
        if node and not node_plan.labels_settled(node, marks):
            self._cluster.apply(node_plan.label_patch(node, marks), marks.manager)


def _by_name(nodes: list[Node]) -> dict[str, Node]:
    return {str(node["metadata"]["name"]): node for node in nodes}
