"""Reads a cluster into a snapshot: lists and gets, nothing else.

The client library is imported when the first request is made; see components/cluster_access.py.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from components import cluster_access
from components.cluster_access import NoClusterError
from infra.live import interpret
from infra.live.snapshot import Snapshot, Unread
from infra.vocabulary import MONITORING_CRDS, TFJOB_CRD

_FIRST_SECONDS = (2, 3)  # to connect, to read; tried twice: a server that is away is told soon
_SECONDS = (2, 15)
_PAGE = 500  # objects an answer
_SERVICE_LABEL = "kubernetes.io/service-name"
_ANONYMOUS = "system:anonymous"

Object = dict[str, Any]


class _RefusedError(Exception):
    """The API server answered one request with an error."""

    def __init__(self, status: int, reason: str) -> None:
        self.status = status
        super().__init__(reason)


def read() -> Snapshot:
    """One look at the cluster that the stack's resources go to.

    Raises:
        NoClusterError: it does not answer, or does not let us in.
    """
    return _Reader(cluster_access.connect()).snapshot()


class _Reader:
    def __init__(self, api: Any) -> None:
        from kubernetes import client

        self._api, self._client = api, client
        self._server = _address(str(api.configuration.host))
        self._unread: list[Unread] = []

    def snapshot(self) -> Snapshot:
        version = interpret.version(self._version())
        core, storage = self._client.CoreV1Api(self._api), self._client.StorageV1Api(self._api)
        apps = self._client.AppsV1Api(self._api)
        # Namespaces first: whoever may read nothing at all is stopped by the first list.
        namespaces = self._list("namespaces", core.list_namespace)
        nodes = self._list("nodes", core.list_node)
        deployments = self._list("deployments", apps.list_deployment_for_all_namespaces)
        classes = self._list("storageclasses", storage.list_storage_class)
        claims = self._list("persistentvolumeclaims", core.list_persistent_volume_claim_for_all_namespaces)
        return Snapshot(
            version=version,
            nodes=None if nodes is None else interpret.nodes(nodes),
            namespaces=None if namespaces is None else tuple(map(interpret.namespace, namespaces)),
            operators=None if deployments is None else interpret.operators(deployments),
            crds=self._crds(interpret.crd, TFJOB_CRD),
            prometheus_operators=None if deployments is None else interpret.prometheus_operators(deployments),
            monitoring_crds=self._crds(interpret.monitoring_crd, *MONITORING_CRDS),
            webhooks=tuple(self._webhooks()),
            storage_classes=None if classes is None else tuple(map(interpret.storage_class, classes)),
            claims=None if claims is None else tuple(map(interpret.claim, claims)),
            unread=tuple(self._unread),
        )

    def _version(self) -> Object:
        try:
            found = self._ask(self._client.VersionApi(self._api).get_code, _request_timeout=_FIRST_SECONDS)
        except _RefusedError as fault:
            raise self._closed(f"refuses to say its version ({fault})") from None
        if "gitVersion" not in found:
            raise self._closed("answers, but not as Kubernetes does")
        return found

    def _crds(self, found: Callable[[Object], Any], *names: str) -> tuple[Any, ...] | None:
        """Those of the names that are there; None if one may not be read, and it is noted."""
        api = self._client.ApiextensionsV1Api(self._api)
        there = []
        for name in names:
            try:
                there.append(found(self._ask(api.read_custom_resource_definition, name)))
            except _RefusedError as fault:
                if fault.status != 404:
                    self._note("customresourcedefinitions", fault)
                    return None
        return tuple(there)

    def _webhooks(self) -> Iterator[Any]:
        api = self._client.AdmissionregistrationV1Api(self._api)
        found = (
            *(self._list("validatingwebhookconfigurations", api.list_validating_webhook_configuration) or ()),
            *(self._list("mutatingwebhookconfigurations", api.list_mutating_webhook_configuration) or ()),
        )
        ready: dict[tuple[str, str], bool | None] = {}
        for configuration, webhook in interpret.asked_about_tfjobs(found):
            service = interpret.service(webhook)
            if service not in ready:
                ready[service] = self._ready(*service)
            yield interpret.webhook(configuration, webhook, ready[service])

    def _ready(self, namespace: str, service: str) -> bool | None:
        slices = self._list(
            "endpointslices",
            self._client.DiscoveryV1Api(self._api).list_namespaced_endpoint_slice,
            namespace,
            label_selector=f"{_SERVICE_LABEL}={service}",
        )
        return None if slices is None else any(map(interpret.has_ready_endpoint, slices))

    def _list(
        self, kind: str, operation: Callable[..., Any], *args: Any, **options: Any
    ) -> list[Object] | None:
        """All of a kind, page by page; None if they may not be read, and it is noted."""
        items: list[Object] = []
        token = None
        try:
            while True:
                page = self._ask(operation, *args, **options, limit=_PAGE, _continue=token)
                items += page.get("items") or ()
                token = (page.get("metadata") or {}).get("continue")
                if not token:
                    return items
        except _RefusedError as fault:
            self._note(kind, fault)
            return None

    def _note(self, kind: str, fault: _RefusedError) -> None:
        unread = Unread(kind=kind, reason=str(fault))
        if all(unread.kind != other.kind for other in self._unread):
            self._unread.append(unread)

    def _ask(self, operation: Callable[..., Any], *args: Any, **options: Any) -> Object:
        from urllib3.exceptions import HTTPError

        options.setdefault("_request_timeout", _SECONDS)
        try:
            answer = operation(*args, **options, _preload_content=False)
            found = json.loads(answer.data)
        except HTTPError as fault:
            raise self._closed(f"does not answer ({_cause(fault)})") from None
        except self._client.ApiException as fault:
            raise self._refusal(fault.status, _message(fault)) from None
        except ValueError:
            raise self._closed("answers, but not as Kubernetes does") from None
        if not isinstance(found, dict):
            raise self._closed("answers, but not as Kubernetes does")
        return found

    def _refusal(self, status: int, reason: str) -> Exception:
        if status == 401 or (status == 403 and _ANONYMOUS in reason):
            return NoClusterError(
                f"the API server {self._server} does not accept these credentials ({reason}); "
                "log in anew, or set KUBECONFIG to credentials that are valid"
            )
        return _RefusedError(status, reason)

    def _closed(self, what: str) -> NoClusterError:
        return NoClusterError(f"the API server {self._server} {what}; check KUBECONFIG and the cluster")


def _address(host: str) -> str:
    """Without a user and password, which a server's URL may hold."""
    parts = urlsplit(host)
    return f"{parts.hostname}:{parts.port}" if parts.port else str(parts.hostname or host)


def _cause(fault: Exception) -> str:
    """The innermost reason, without the library's own objects."""
    while isinstance(reason := getattr(fault, "reason", None), Exception):
        fault = reason
    text = " ".join(str(fault).split())
    return re.sub(r"^(<.*?>|HTTPS?Connection(Pool)?\(.*?\)): ", "", text)


def _message(fault: Any) -> str:
    try:
        body: Mapping[str, Any] = json.loads(fault.body)
        return str(body["message"])
    except (TypeError, ValueError, KeyError):
        return str(fault.reason or fault.status)
