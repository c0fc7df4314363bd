"""Nodes of the cluster that the stack deploys to, read and patched as JSON."""

import json
from collections.abc import Mapping
from typing import Any

from components import cluster_access
from components.cluster_access import Answer, NoClusterError
from components.node_plan import Node

_NODES = "/api/v1/nodes"
_TIMEOUT_SECONDS = (5, 30)  # to connect, to read


class NodeError(Exception):
    """Something about nodes that a person has to mend; the text says where, what and how."""


class UnreachableError(NodeError):
    """The API server did not answer, or did not let us in."""


class ChangedError(NodeError):
    """The node is not what it was when it was read, or others own a field of it; read it again."""


class ClusterNodes:
    """The nodes of one cluster. Cheap to make; makes a client at the first request."""

    def __init__(self, asker: str) -> None:
        """`asker`: whose nodes these are, which is how the sentence of a fault begins."""
        self._asker = asker
        self._api: Any = None

    def get(self, name: str) -> Node | None:
        """One node, or None where there is none of that name."""
        return self._ask(f"node {name} cannot be read", "GET", f"{_NODES}/{name}")

    def matching(self, labels: Mapping[str, str]) -> list[Node]:
        """All nodes that carry these labels, by name."""
        selector = ",".join(f"{key}={value}" for key, value in sorted(labels.items()))
        what = f"nodes with {selector} cannot be read"
        found = self._ask(what, "GET", _NODES, query={"labelSelector": selector})
        return sorted((found or {})["items"], key=lambda node: str(node["metadata"]["name"]))

    def apply(self, patch: Mapping[str, Any], manager: str) -> Node | None:
        """Server-side apply, without force: what others own stays theirs."""
        return self._patch("application/apply-patch+yaml", patch["metadata"]["name"], patch, manager)

    def merge(self, name: str, patch: Mapping[str, Any], manager: str) -> Node | None:
        """A merge patch; it names the resourceVersion that it is meant for."""
        return self._patch("application/merge-patch+json", name, patch, manager)

    def _patch(self, kind: str, name: str, patch: Any, manager: str) -> Node | None:
        what, query = f"node {name} cannot be marked", {"fieldManager": manager}
        return self._ask(what, "PATCH", f"{_NODES}/{name}", patch, query=query, content_type=kind)

    def _ask(
        self, what: str, method: str, path: str, body: Any = None, **options: Any
    ) -> dict[str, Any] | None:
        """The object that the server answers with, or None where it has none of that name."""
        what = f"{self._asker}: {what}"
        try:
            if self._api is None:
                self._api = cluster_access.connect()
            answer = cluster_access.ask(self._api, method, path, body, seconds=_TIMEOUT_SECONDS, **options)
        except NoClusterError as fault:
            raise UnreachableError(f"{what}: {fault}") from None
        server = f"the API server {cluster_access.address(self._api)}"
        if answer.status in (401, 403):
            raise UnreachableError(
                f"{what}: {server} refuses access: {answer.message}; "
                "use credentials that may get, list and patch nodes"
            )
        found = _object(answer)
        if found.get("kind") == ("NodeList" if path == _NODES else "Node"):
            return found
        if found.get("kind") != "Status":  # a proxy, or no cluster at all: its 404 is no node's absence
            raise UnreachableError(
                f"{what}: {server} answers, but not as Kubernetes does (HTTP {answer.status}); "
                "check KUBECONFIG and the cluster"
            )
        if answer.status == 404 and path != _NODES:
            return None
        if answer.status == 409:
            raise ChangedError(answer.message)
        raise NodeError(f"{what}: {server} says: {answer.message}; mend that and run again")


def _object(answer: Answer) -> dict[str, Any]:
    """What was answered, empty if it is no JSON object."""
    try:
        found = json.loads(answer.text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
