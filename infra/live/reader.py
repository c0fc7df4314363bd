"""Reads a cluster into a snapshot: lists and gets, nothing else."""

from collections.abc import Callable, Iterator
from typing import Any

from infra.cluster.api_server import ApiServer, RefusedError
from infra.cluster.objects import Object, has_ready_endpoint
from infra.live import interpret
from infra.live.snapshot import FoundQueueObject, Snapshot
from infra.vocabulary import MONITORING_CRDS, QUEUE_API_VERSION, QUEUE_CRDS, SERVICE_NAME_LABEL, TFJOB_CRD

_CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_ADMISSION = "/apis/admissionregistration.k8s.io/v1"


def read(*, queues: bool = False) -> Snapshot:
    """One look at the cluster that the stack's resources go to; `queues`: and at Kueue.

    Raises:
        NoClusterError: it does not answer, or does not let us in.
    """
    return snapshot(ApiServer(), queues=queues)


def snapshot(server: ApiServer, *, queues: bool) -> Snapshot:
    """As `read`, of a server that others ask too."""
    version = interpret.version(server.version())
    # Namespaces first: whoever may read nothing at all is stopped by the first list.
    namespaces = server.items("/api/v1/namespaces")
    nodes = server.items("/api/v1/nodes")
    deployments = server.items("/apis/apps/v1/deployments")
    classes = server.items("/apis/storage.k8s.io/v1/storageclasses")
    claims = server.items("/api/v1/persistentvolumeclaims")
    return Snapshot(
        version=version,
        nodes=None if nodes is None else interpret.nodes(nodes),
        namespaces=None if namespaces is None else tuple(map(interpret.namespace, namespaces)),
        operators=None if deployments is None else interpret.operators(deployments),
        crds=_crds(server, interpret.crd, TFJOB_CRD),
        prometheus_operators=None if deployments is None else interpret.prometheus_operators(deployments),
        monitoring_crds=_crds(server, interpret.monitoring_crd, *MONITORING_CRDS),
        webhooks=tuple(_webhooks(server)),
        storage_classes=None if classes is None else tuple(map(interpret.storage_class, classes)),
        claims=None if claims is None else tuple(map(interpret.claim, claims)),
        kueues=interpret.kueues(deployments) if queues and deployments is not None else None,
        queue_crds=_crds(server, interpret.queue_crd, *QUEUE_CRDS) if queues else None,
        cluster_queues=_queue_objects(server, "clusterqueues") if queues else None,
        resource_flavors=_queue_objects(server, "resourceflavors") if queues else None,
        unread=server.unread,
    )


def _crds(server: ApiServer, found: Callable[[Object], Any], *names: str) -> tuple[Any, ...] | None:
    """Those of the names that are there; None if one may not be read, and it is noted."""
    there = []
    for name in names:
        try:
            there.append(found(server.get(f"{_CRDS}/{name}")))
        except RefusedError as fault:
            if fault.status != 404:
                server.note("customresourcedefinitions", fault)
                return None
    return tuple(there)


def _queue_objects(server: ApiServer, kind: str) -> tuple[FoundQueueObject, ...] | None:
    found = server.items(f"/apis/{QUEUE_API_VERSION}/{kind}", absent_is_empty=True)
    return None if found is None else tuple(map(interpret.queue_object, found))


def _webhooks(server: ApiServer) -> Iterator[Any]:
    kinds = ("validatingwebhookconfigurations", "mutatingwebhookconfigurations")
    found = [item for kind in kinds for item in server.items(f"{_ADMISSION}/{kind}") or ()]
    for configuration, webhook in interpret.asked_about_tfjobs(found):
        yield interpret.webhook(configuration, webhook, _ready(server, *interpret.service(webhook)))


def _ready(server: ApiServer, namespace: str, service: str) -> bool | None:
    path = f"/apis/discovery.k8s.io/v1/namespaces/{namespace}/endpointslices"
    slices = server.items(path, labelSelector=f"{SERVICE_NAME_LABEL}={service}")
    return None if slices is None else any(map(has_ready_endpoint, slices))
