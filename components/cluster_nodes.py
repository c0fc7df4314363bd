"""Nodes of the cluster that the stack deploys to, read and patched as JSON.

The client library is imported where it is used: it takes a third of a second, and a preview of a
stack without pools does without.
"""

import json
from collections.abc import Mapping
from typing import Any

from components import cluster_access
from components.node_plan import Node

_TIMEOUT_SECONDS = (5, 30)  # to connect, to read


class NodeError(Exception):
    """Something about nodes that a person has to mend; the text says where, what and how."""


class UnreachableError(NodeError):
    """The API server did not answer, or did not let us in."""


class ChangedError(NodeError):
    """The node is not what it was when it was read, or others own a field of it; read it again."""


class ClusterNodes:
    """The nodes of one cluster. Cheap to make; makes a client at the first request."""

    def __init__(self) -> None:
        self._api: Any = None

    def get(self, name: str) -> Node | None:
        """One node, or None where there is none of that name."""
        return self._call("read_node", name)

    def matching(self, labels: Mapping[str, str]) -> list[Node]:
        """All nodes that carry these labels, by name."""
        selector = ",".join(f"{key}={value}" for key, value in sorted(labels.items()))
        found = self._call("list_node", label_selector=selector)
        return sorted((found or {})["items"], key=lambda node: str(node["metadata"]["name"]))

    def apply(self, patch: Mapping[str, Any], manager: str) -> Node | None:
        """Server-side apply, without force: what others own stays theirs."""
        return self._patch("application/apply-patch+yaml", patch["metadata"]["name"], patch, manager)

    def merge(self, name: str, patch: Mapping[str, Any], manager: str) -> Node | None:
        """A merge patch; it names the resourceVersion that it is meant for."""
        return self._patch("application/merge-patch+json", name, patch, manager)

    def _patch(self, kind: str, name: str, patch: Any, manager: str) -> Node | None:
        return self._call("patch_node", name, patch, field_manager=manager, _content_type=kind)

    def _call(self, operation: str, *args: Any, **options: Any) -> dict[str, Any] | None:
        from kubernetes.client import ApiException
        from urllib3.exceptions import HTTPError

        try:
            if self._api is None:
                self._api = _connect()
            answer = getattr(self._api, operation)(
                *args, **options, _preload_content=False, _request_timeout=_TIMEOUT_SECONDS
            )
            return dict(json.loads(answer.data))
        except HTTPError as fault:
            raise UnreachableError(
                f"the API server does not answer: {fault}; check KUBECONFIG and the cluster"
            ) from None
        except ApiException as fault:
            if fault.status == 404:
                return None
            raise _refusal(fault, args) from None


def _refusal(fault: Any, args: tuple[Any, ...]) -> NodeError:
    try:
        reason = str(json.loads(fault.body)["message"])
    except (TypeError, ValueError, KeyError):
        reason = str(fault.reason)
    if fault.status == 409:
        return ChangedError(reason)
    if fault.status in (401, 403):
        return UnreachableError(
            f"the cluster refuses access to nodes: {reason}; "
            "use credentials that may get, list and patch nodes"
        )
    where = f"node {args[0]}: " if args else ""
    return NodeError(f"{where}the API server says: {reason}; mend that and run again")


def _connect() -> Any:
    from kubernetes import client

    try:
        return client.CoreV1Api(cluster_access.connect())
    except cluster_access.NoClusterError as fault:
        raise UnreachableError(str(fault)) from None
