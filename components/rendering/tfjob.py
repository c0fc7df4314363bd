"""The `spec` of a TFJob."""

from collections.abc import Mapping
from typing import Any

import pulumi

from infra.models import JobSpec, PoolSpec, RoleName, RoleSpec, Taint
from infra.vocabulary import (
    GPU_RESOURCE,
    ISTIO_INJECT,
    JOB_UID,
    NVIDIA_VISIBLE_DEVICES,
    POOL_LABEL,
    SCRIPT_MOUNT,
    TENSORFLOW_CONTAINER,
)

_ROLE_KEYS: Mapping[RoleName, str] = {
    "chief": "Chief",
    "worker": "Worker",
    "ps": "PS",
    "evaluator": "Evaluator",
}
_SCRIPT_VOLUME = "colocation-script"

# A sidecar outlives the training, and the pod never completes. The TFJob's own metadata does not
# reach its pods, so each template says so, as label and annotation for new and old Istio.
_NO_SIDECAR = {"labels": {ISTIO_INJECT: "false"}, "annotations": {ISTIO_INJECT: "false"}}

# What the `restricted` Pod Security level demands, and group access to shared volumes.
_POD_SECURITY = {
    "runAsNonRoot": True,
    "runAsUser": JOB_UID,
    "runAsGroup": JOB_UID,
    "fsGroup": JOB_UID,
    "fsGroupChangePolicy": "OnRootMismatch",
    "seccompProfile": {"type": "RuntimeDefault"},
}
_CONTAINER_SECURITY = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}

# TensorFlow and its libraries count the node's cores, not the container's share of them. Not so
# TF_NUM_INTEROP_THREADS: with one such thread a cluster of TensorFlow servers waits for ever.
_THREADS = ("OMP_NUM_THREADS", "TF_NUM_INTRAOP_THREADS")


def tfjob_spec(
    spec: JobSpec,
    *,
    priority_class: pulumi.Input[str],
    pool: PoolSpec | None = None,
    script_name: pulumi.Input[str] | None = None,
    claims: Mapping[str, pulumi.Input[str]] | None = None,
) -> dict[str, Any]:
    """Render a job; `script_name` is the ConfigMap of its script, `claims` map storage to claim."""
    volumes = _volumes(spec, script_name, claims or {})
    secrets = [{"name": secret} for secret in spec.image_pull_secrets]
    replicas = {}
    for role, replica in spec.roles():
        pod = {
            "priorityClassName": priority_class,
            **placement(spec, replica, pool),
            "securityContext": _POD_SECURITY,
            # Python as process 1 does not hear SIGTERM, and each stop would take the whole grace
            # period; with the pod's processes in one namespace, the pause process is number 1.
            "shareProcessNamespace": True,
            "automountServiceAccountToken": False,
            "enableServiceLinks": False,
            "containers": [_container(spec, replica)],
            **({"volumes": volumes} if volumes else {}),
            **({"imagePullSecrets": secrets} if secrets else {}),
        }
        replicas[_ROLE_KEYS[role]] = {
            "replicas": replica.replicas,
            "restartPolicy": replica.restart_policy,
            "template": {"metadata": _NO_SIDECAR, "spec": pod},
        }
    return {"runPolicy": _run_policy(spec), "tfReplicaSpecs": replicas}


def placement(spec: JobSpec, role: RoleSpec, pool: PoolSpec | None) -> dict[str, Any]:
    """Where a role's pods go: to the job's pool, unless that would crowd out GPU work.

    Where some roles of a job ask GPUs and others do not (parameter servers, an evaluator), those
    without stay off the pool and run wherever there is room.
    """
    job_uses_gpus = any(other.resources.gpus for _, other in spec.roles())
    if pool is None or (job_uses_gpus and not role.resources.gpus):
        return {}
    tolerations = [_toleration(taint) for taint in (*pool.taints, *pool.foreign_taints)]
    return {
        "nodeSelector": {POOL_LABEL: pool.name, **pool.labels},
        **({"tolerations": tolerations} if tolerations else {}),
    }


def _toleration(taint: Taint) -> dict[str, Any]:
    return {"key": taint.key, "operator": "Equal", "value": taint.value, "effect": taint.effect}


def _container(spec: JobSpec, role: RoleSpec) -> dict[str, Any]:
    container: dict[str, Any] = {
        "name": TENSORFLOW_CONTAINER,
        "image": spec.image,
        "env": _env(spec, role),
        "resources": _resources(role),
        "securityContext": _CONTAINER_SECURITY,
    }
    if spec.script is not None:
        container["command"] = ["python3", "-u", f"{SCRIPT_MOUNT}/{spec.script}"]
    elif spec.command:
        container["command"] = list(spec.command)
    if spec.args:
        container["args"] = list(spec.args)
    mounts = [
        {"name": volume.claim, "mountPath": volume.mount_path, "readOnly": volume.read_only}
        for volume in spec.volumes
    ]
    if spec.script is not None:
        mounts.append({"name": _SCRIPT_VOLUME, "mountPath": SCRIPT_MOUNT, "readOnly": True})
    if mounts:
        container["volumeMounts"] = mounts
    return container


def _env(spec: JobSpec, role: RoleSpec) -> list[dict[str, Any]]:
    cores = {"resourceFieldRef": {"resource": "limits.cpu"}}
    ours: dict[str, dict[str, Any]] = {
        # The image need not know the user, whose home would then be `/`, which is not writable.
        "HOME": {"value": "/tmp"},
        "COLOCATION_JOB": {"value": spec.name},
        **{name: {"valueFrom": cores} for name in _THREADS},
    }
    if not role.resources.gpus:
        # Else a node whose container runtime defaults to NVIDIA's shows every GPU to the pod.
        ours[NVIDIA_VISIBLE_DEVICES] = {"value": "none"}
    theirs = {name: {"value": value} for name, value in spec.env.items()}
    return [{"name": name, **source} for name, source in (ours | theirs).items()]


def _resources(role: RoleSpec) -> dict[str, Any]:
    asked = role.resources
    limits = asked.limits.as_kubernetes()
    if asked.gpus:
        # Limits only: the API server sets the request, which may not differ.
        limits[GPU_RESOURCE] = str(asked.gpus)
    rendered = {"requests": asked.requests.as_kubernetes(), "limits": limits}
    return {kind: amounts for kind, amounts in rendered.items() if amounts}


def _volumes(
    spec: JobSpec,
    script_name: pulumi.Input[str] | None,
    claims: Mapping[str, pulumi.Input[str]],
) -> list[dict[str, Any]]:
    volumes: list[dict[str, Any]] = []
    for claim in dict.fromkeys(claim for _, claim in spec.claims()):
        source = {"claimName": claims.get(claim, claim)}
        volumes.append({"name": claim, "persistentVolumeClaim": source})
    if script_name is not None:
        volumes.append({"name": _SCRIPT_VOLUME, "configMap": {"name": script_name}})
    return volumes


def _run_policy(spec: JobSpec) -> dict[str, Any]:
    policy = spec.run_policy
    rendered = {
        # Always said: the operator's own default leaves parameter servers running for ever.
        "cleanPodPolicy": policy.clean_pod_policy,
        "backoffLimit": policy.backoff_limit,
        "activeDeadlineSeconds": policy.active_deadline_seconds,
        "suspend": policy.suspend,
    }
    return {key: value for key, value in rendered.items() if value is not None}
