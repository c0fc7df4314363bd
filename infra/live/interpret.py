"""Objects as the API serves them, reduced to what the checks ask about. Pure."""

import re
from collections.abc import Iterable, Iterator, Sequence

from components.node_plan import Node
from infra.checks.kubernetes_version import Version
from infra.cluster.objects import Object
from infra.live.snapshot import (
    FoundClaim,
    FoundController,
    FoundCrd,
    FoundMonitoringCrd,
    FoundNamespace,
    FoundOperator,
    FoundQueueCrd,
    FoundQueueObject,
    FoundStorageClass,
    FoundWebhook,
)
from infra.vocabulary import KUEUE, STACK_MANAGER_PREFIX, TFJOB_CRD, TRAINING_OPERATOR

_OPERATOR_NAMES = (TRAINING_OPERATOR, "tf-job-operator", "tf-operator", "tf-operator-controller-manager")
"""Of Deployments and of images, today's and those of the releases before."""
_OPERATOR_LABEL = ("control-plane", "kubeflow-training-operator")
_OPERATOR_WEBHOOKS = "training-operator.kubeflow.org"
_SCHEMES, _WATCHED, _WATCHED_ENV = "enable-scheme", "namespace", "KUBEFLOW_NAMESPACE"

_PROMETHEUS_OPERATOR = "prometheus-operator"
_CRD_VERSION = "operator.prometheus.io/version"
_HELM_RELEASE, _HELM_NAMESPACE = "meta.helm.sh/release-name", "meta.helm.sh/release-namespace"
_CLAIMS = (
    # annotation, what wrote it
    (_HELM_RELEASE, "Helm"),
    ("argocd.argoproj.io/tracking-id", "Argo CD"),
)
_CLAIM_LABELS = (
    ("argocd.argoproj.io/instance", "Argo CD"),
    ("kustomize.toolkit.fluxcd.io/name", "Flux"),
    ("helm.toolkit.fluxcd.io/name", "Flux"),
)


def version(answer: Object) -> Version:
    """From /version: some providers write the minor as `34+`."""
    found = re.match(r"v?(\d+)\.(\d+)", str(answer["gitVersion"]))
    return (int(found[1]), int(found[2])) if found else (0, 0)


def nodes(items: Iterable[Object]) -> tuple[Node, ...]:
    """By name, without the list of images and the like, which is most of a node."""
    kept = [
        {
            "metadata": node["metadata"],
            "spec": {"taints": (node.get("spec") or {}).get("taints") or []},
            "status": {"allocatable": (node.get("status") or {}).get("allocatable") or {}},
        }
        for node in items
    ]
    return tuple(sorted(kept, key=lambda node: str(node["metadata"]["name"])))


def namespace(item: Object) -> FoundNamespace:
    metadata = item["metadata"]
    return FoundNamespace(name=metadata["name"], labels=metadata.get("labels") or {}, others=others(metadata))


def storage_class(item: Object) -> FoundStorageClass:
    return FoundStorageClass(name=item["metadata"]["name"], provisioner=item["provisioner"])


def claim(item: Object) -> FoundClaim:
    spec = item["spec"]
    return FoundClaim(
        namespace=item["metadata"]["namespace"],
        name=item["metadata"]["name"],
        size=str((spec.get("resources") or {}).get("requests", {}).get("storage", "0")),
        storage_class=spec.get("storageClassName"),
        access_modes=tuple(spec.get("accessModes") or ()),
    )


def crd(item: Object) -> FoundCrd:
    return FoundCrd(
        served=tuple(v["name"] for v in item["spec"]["versions"] if v.get("served")),
        stored=tuple((item.get("status") or {}).get("storedVersions") or ()),
        others=others(item["metadata"]),
    )


def operators(deployments: Iterable[Object]) -> tuple[FoundOperator, ...]:
    """The Deployments that are training operators by name, label or image."""
    return tuple(_operator(item) for item in deployments if _is_operator(item))


def prometheus_operators(deployments: Iterable[Object]) -> tuple[FoundController, ...]:
    """The Deployments that are Prometheus Operators by their image, whatever they are called."""
    return tuple(_controller(item) for item in deployments if _runs(item, _PROMETHEUS_OPERATOR))


def kueues(deployments: Iterable[Object]) -> tuple[FoundController, ...]:
    """The Deployments that are Kueue by their image."""
    return tuple(_controller(item) for item in deployments if _runs(item, KUEUE))


def queue_crd(item: Object) -> FoundQueueCrd:
    served = tuple(version["name"] for version in item["spec"]["versions"] if version.get("served"))
    return FoundQueueCrd(name=item["metadata"]["name"], served=served)


def queue_object(item: Object) -> FoundQueueObject:
    return FoundQueueObject(name=item["metadata"]["name"], others=others(item["metadata"]))


def _ready(item: Object) -> int:
    return (item.get("status") or {}).get("readyReplicas") or 0


def _release(item: Object) -> str | None:
    """Namespace and name of the Helm release that an object is of."""
    annotations = item["metadata"].get("annotations") or {}
    release = annotations.get(_HELM_RELEASE)
    return f"{annotations.get(_HELM_NAMESPACE, item['metadata']['namespace'])}/{release}" if release else None


def _controller(item: Object) -> FoundController:
    metadata = item["metadata"]
    return FoundController(
        namespace=metadata["namespace"], name=metadata["name"], ready=_ready(item), release=_release(item)
    )


def monitoring_crd(item: Object) -> FoundMonitoringCrd:
    said = (item["metadata"].get("annotations") or {}).get(_CRD_VERSION, "")
    numbers = re.match(r"v?(\d+)\.(\d+)\.(\d+)", said)
    return FoundMonitoringCrd(
        name=item["metadata"]["name"],
        operator=tuple(map(int, numbers.groups())) if numbers else None,
    )


def _runs(item: Object, *images: str) -> bool:
    return any(
        _image_name(c.get("image", "")) in images for c in item["spec"]["template"]["spec"]["containers"]
    )


def _is_operator(item: Object) -> bool:
    template = item["spec"]["template"]
    labels = (item["metadata"].get("labels"), (template.get("metadata") or {}).get("labels"))
    key, value = _OPERATOR_LABEL
    return (
        item["metadata"]["name"] in _OPERATOR_NAMES
        or any((found or {}).get(key) == value for found in labels)
        or _runs(item, *_OPERATOR_NAMES)
    )


def _image_name(image: str) -> str:
    """The last part of an image's path, without tag and digest."""
    return image.partition("@")[0].rpartition("/")[2].partition(":")[0].replace("_", "-")


def _operator(item: Object) -> FoundOperator:
    containers = item["spec"]["template"]["spec"]["containers"]
    words = [word for c in containers for word in (*(c.get("command") or ()), *(c.get("args") or ()))]
    schemes = [scheme.lower() for scheme in _values(words, _SCHEMES)]
    return FoundOperator(
        namespace=item["metadata"]["namespace"],
        name=item["metadata"]["name"],
        ready=(item.get("status") or {}).get("readyReplicas") or 0,
        serves_tfjobs=not schemes or "tfjob" in schemes,
        watches=_watched(words, containers),
        others=others(item["metadata"]),
    )


def _watched(words: Sequence[str], containers: Iterable[Object]) -> str | None:
    env = [e.get("value") for c in containers for e in c.get("env") or () if e.get("name") == _WATCHED_ENV]
    return next((value for value in (*_values(words, _WATCHED), *env) if value), None)


def _values(words: Sequence[str], flag: str) -> Iterator[str]:
    """What `-flag value`, `--flag value` and `--flag=value` give, as Go's flag package reads them."""
    for i, word in enumerate(words):
        name, equals, value = word.lstrip("-").partition("=")
        if word.startswith("-") and name == flag:
            yield value if equals else next(iter(words[i + 1 : i + 2]), "")


def asked_about_tfjobs(configurations: Iterable[Object]) -> Iterator[tuple[Object, Object]]:
    """Webhooks, each with its configuration, that a new TFJob is sent to and that a Service answers."""
    for configuration in configurations:
        for found in configuration.get("webhooks") or ():
            if found["clientConfig"].get("service") and any(map(_covers_tfjobs, found.get("rules") or ())):
                yield configuration, found


def _covers_tfjobs(rule: Object) -> bool:
    resource, _, group = TFJOB_CRD.partition(".")
    return (
        bool({"*", group} & set(rule.get("apiGroups") or ()))
        and bool({"*", "*/*", resource} & set(rule.get("resources") or ()))
        and bool({"*", "CREATE"} & set(rule.get("operations") or ()))
    )


def service(found: Object) -> tuple[str, str]:
    """Namespace and name of the Service that answers a webhook."""
    asked = found["clientConfig"]["service"]
    return asked["namespace"], asked["name"]


def webhook(configuration: Object, found: Object, ready: bool | None) -> FoundWebhook:
    namespace, name = service(found)
    return FoundWebhook(
        configuration=configuration["metadata"]["name"],
        name=found["name"],
        namespace=namespace,
        service=name,
        of_an_operator=found["name"].endswith(_OPERATOR_WEBHOOKS),
        blocks=found.get("failurePolicy", "Fail") == "Fail",
        ready=ready,
        others=others(configuration["metadata"]),
    )


def others(metadata: Object) -> tuple[str, ...]:
    """Who made or manages an object other than a stack of this program; empty: one does, alone.

    Whoever edits an object that a stack made is not its owner. A tool that says it owns it is, also
    beside the stack.
    """
    claims = dict.fromkeys((*_claims(metadata), *_owner_references(metadata)))
    if claims:
        return tuple(claims)
    managers = [
        str(entry.get("manager", "someone"))
        for entry in metadata.get("managedFields") or ()
        if not entry.get("subresource")
    ]
    if any(manager.startswith(STACK_MANAGER_PREFIX) for manager in managers):
        return ()
    return tuple(dict.fromkeys(managers)) or ("someone else",)


def _claims(metadata: Object) -> Iterator[str]:
    for found, claims in (
        (metadata.get("annotations") or {}, _CLAIMS),
        (metadata.get("labels") or {}, _CLAIM_LABELS),
    ):
        yield from (owner for key, owner in claims if key in found)


def _owner_references(metadata: Object) -> Iterator[str]:
    for owner in metadata.get("ownerReferences") or ():
        yield f"{owner['kind']} {owner['name']}"
