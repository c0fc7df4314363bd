"""A kustomization around the upstream training operator: what this project asks of it.

Upstream serves six kinds of job and asks for access to every Secret of the cluster. Here it serves
TFJobs alone, reads Secrets in its own namespace only, and fits the `restricted` Pod Security level.
"""

from collections.abc import Mapping
from typing import Any

import yaml

from infra.models import TrainingOperatorSpec
from infra.vocabulary import (
    ISTIO_INJECT,
    JOB_UID,
    TFJOB_CRD,
    TFJOB_WEBHOOK,
    TRAINING_OPERATOR,
    TRAINING_OPERATOR_CERT_SECRET,
    TRAINING_OPERATOR_IMAGE,
    TRAINING_OPERATOR_REGISTRY,
    TRAINING_OPERATOR_WEBHOOKS,
)

_OTHER_JOBS = ("jax", "mpi", "paddle", "pytorch", "xgboost")
_WITHOUT_WEBHOOK = "mpi"
_RBAC = "rbac.authorization.k8s.io"
_WEBHOOKS = "admissionregistration.k8s.io"
_ALL = ["create", "delete", "get", "list", "patch", "update", "watch"]

Object = dict[str, Any]


def operator_files(spec: TrainingOperatorSpec, overlay: str) -> Mapping[str, str]:
    """The files of the kustomization, by name.

    `overlay` is the upstream overlay: an URL, or a path relative to these files, since kustomize
    refuses absolute ones.
    """
    kustomization: Object = {
        "apiVersion": "kustomize.config.k8s.io/v1beta1",
        "kind": "Kustomization",
        "namespace": spec.namespace,
        "resources": [overlay, "secrets.yaml"],
        "patches": [_patch(change) for change in (*_dropped(), *_changed(spec))],
    }
    if spec.image_registry is not None:
        public = f"{TRAINING_OPERATOR_REGISTRY}/{TRAINING_OPERATOR_IMAGE}"
        mirror = f"{spec.image_registry}/{TRAINING_OPERATOR_IMAGE}"
        kustomization["images"] = [{"name": public, "newName": mirror}]
    return {
        "kustomization.yaml": yaml.safe_dump(kustomization, sort_keys=False),
        "secrets.yaml": yaml.safe_dump_all(_secrets_access(), sort_keys=False),
    }


def _dropped() -> list[Object]:
    """The namespace belongs to a tenant, or is made beside this; jobs of other kinds go."""
    crds = [_object("apiextensions.k8s.io/v1", "CustomResourceDefinition", name) for name in _other_crds()]
    namespace = _object("v1", "Namespace", "kubeflow")
    return [{"$patch": "delete", **gone} for gone in (namespace, *crds)]


def _other_crds() -> list[str]:
    return [TFJOB_CRD.replace("tf", job, 1) for job in _OTHER_JOBS]


def _changed(spec: TrainingOperatorSpec) -> list[Object]:
    crd = _object("apiextensions.k8s.io/v1", "CustomResourceDefinition", TFJOB_CRD)
    # It outlives the stack, and a later stack takes it over from the former one's field manager.
    crd["metadata"]["annotations"] = {"pulumi.com/patchForce": "true"}
    role = _object(f"{_RBAC}/v1", "ClusterRole", TRAINING_OPERATOR) | {"rules": _cluster_rules()}
    return [crd, role, _webhooks(spec.namespace), _deployment(spec)]


def _webhooks(namespace: str) -> Object:
    """Only TFJobs: a webhook that nobody answers would refuse every job of its kind."""
    others = [job for job in _OTHER_JOBS if job != _WITHOUT_WEBHOOK]
    entries: list[Object] = [
        {"$patch": "delete", "name": TFJOB_WEBHOOK.replace("tf", job, 1)} for job in others
    ]
    entries.append({"name": TFJOB_WEBHOOK, "clientConfig": {"service": {"namespace": namespace}}})
    configuration = _object(f"{_WEBHOOKS}/v1", "ValidatingWebhookConfiguration", TRAINING_OPERATOR_WEBHOOKS)
    return configuration | {"webhooks": entries}


def _deployment(spec: TrainingOperatorSpec) -> Object:
    container: Object = {
        "name": TRAINING_OPERATOR,
        "args": ["--enable-scheme=tfjob"],
        "resources": _resources(spec),
        "readinessProbe": {"initialDelaySeconds": 1, "periodSeconds": 2},  # an update waits for it
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "readOnlyRootFilesystem": True,
        },
    }
    if spec.cluster_domain is not None:
        container["env"] = [{"name": "CUSTOM_CLUSTER_DOMAIN", "value": spec.cluster_domain}]
    pod: Object = {
        "securityContext": {
            "runAsNonRoot": True,
            "runAsUser": JOB_UID,
            "runAsGroup": JOB_UID,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "containers": [container],
    }
    # The annotation is upstream's; newer Istio reads the label. A sidecar would end the
    # webhook's TLS.
    template = {"metadata": {"labels": {ISTIO_INJECT: "false"}}, "spec": pod}
    deployment = _object("apps/v1", "Deployment", TRAINING_OPERATOR)
    deployment["metadata"]["annotations"] = {"config.kubernetes.io/depends-on": _needed(spec.namespace)}
    return deployment | {"spec": {"template": template}}


def _needed(namespace: str) -> str:
    """What has to be there before the operator starts: without its CRD or its rights it crashes."""
    there = f"namespaces/{namespace}"
    needed = (
        f"apiextensions.k8s.io/CustomResourceDefinition/{TFJOB_CRD}",
        f"{_RBAC}/ClusterRoleBinding/{TRAINING_OPERATOR}",
        f"{_RBAC}/{there}/RoleBinding/{TRAINING_OPERATOR}",
        f"/{there}/Secret/{TRAINING_OPERATOR_CERT_SECRET}",
        f"/{there}/ServiceAccount/{TRAINING_OPERATOR}",
    )
    return ",".join(needed)


def _resources(spec: TrainingOperatorSpec) -> Object:
    return {
        "requests": spec.resources.requests.as_kubernetes(),
        "limits": spec.resources.limits.as_kubernetes(),
    }


def _cluster_rules() -> list[Object]:
    """What TFJobs take; PodGroups are watched as soon as the cluster has a gang scheduler."""
    return [
        _rule("", ["events", "pods"], _ALL),
        _rule("", ["services"], ["create", "delete", "get", "list", "watch"]),
        _rule("kubeflow.org", ["tfjobs"], _ALL),
        _rule("kubeflow.org", ["tfjobs/status"], ["get", "patch", "update"]),
        _rule("kubeflow.org", ["tfjobs/finalizers"], ["update"]),
        _rule("scheduling.volcano.sh", ["podgroups"], _ALL),
        _rule("scheduling.x-k8s.io", ["podgroups"], _ALL),
        _rule(_WEBHOOKS, ["validatingwebhookconfigurations"], ["get", "list", "watch"]),
        _rule(_WEBHOOKS, ["validatingwebhookconfigurations"], ["update"])
        | {"resourceNames": [TRAINING_OPERATOR_WEBHOOKS]},
    ]


def _secrets_access() -> list[Object]:
    """Its own certificate is the one Secret that it reads and writes."""
    rules = [_rule("", ["secrets"], ["get", "list", "update", "watch"])]
    binding = _object(f"{_RBAC}/v1", "RoleBinding", TRAINING_OPERATOR) | {
        "roleRef": {"apiGroup": _RBAC, "kind": "Role", "name": TRAINING_OPERATOR},
        "subjects": [{"kind": "ServiceAccount", "name": TRAINING_OPERATOR}],
    }
    return [_object(f"{_RBAC}/v1", "Role", TRAINING_OPERATOR) | {"rules": rules}, binding]


def _rule(group: str, resources: list[str], verbs: list[str]) -> Object:
    return {"apiGroups": [group], "resources": resources, "verbs": verbs}


def _object(api_version: str, kind: str, name: str) -> Object:
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name}}


def _patch(change: Object) -> Object:
    target = {"kind": change["kind"], "name": change["metadata"]["name"]}
    return {"target": target, "patch": yaml.safe_dump(change, sort_keys=False)}
