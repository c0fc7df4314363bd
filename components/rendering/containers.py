"""The containers of a job's pods."""

from collections.abc import Mapping

from components.rendering.objects import Object, stated
from infra.models import Resources
from infra.models.jobs import ContainerSpec, EnvFromSpec, JobSpec, PortSpec, RoleSpec, ValueFrom
from infra.vocabulary import (
    CHECKPOINT_PATH_ENV,
    GPU_RESOURCE,
    HOME_ENV,
    JOB_ENV,
    METRICS_PORT,
    METRICS_PORT_ENV,
    NVIDIA_VISIBLE_DEVICES,
    SCRIPT_MOUNT,
    TENSORFLOW_CONTAINER,
    THREADS_ENV,
)

Source = Object
"""Of a variable: `value` or `valueFrom`."""


def training_container(job: JobSpec, role: RoleSpec, mounts: list[Object]) -> Object:
    """The container that trains; `mounts` are those of the job's volumes and its script."""
    theirs = _values(job.env) | _values_from(job.env_value_from) | _values(role.env)
    ports = [_port(port) for port in job.ports]
    if job.metrics_port is not None:
        theirs = {METRICS_PORT_ENV: {"value": str(job.metrics_port)}} | theirs
        ports.append(_port(PortSpec(name=METRICS_PORT, port=job.metrics_port)))
    started = {
        "command": _command(job, role),
        # A command of the role's own has no use for the arguments of another.
        "args": list(role.args or (() if role.command else job.args)),
        "envFrom": [_env_from(source) for source in job.env_from],
        "ports": ports,
        "volumeMounts": mounts,
    }
    image = role.image or job.image
    return _container(job, TENSORFLOW_CONTAINER, image, role.resources, theirs) | stated(started)


def container_beside(beside: ContainerSpec, job: JobSpec, mounts: list[Object]) -> Object:
    """An init container or sidecar, with the same rights and variables as the training."""
    theirs = _values(beside.env) | _values_from(beside.env_value_from)
    started = {
        "command": list(beside.command),
        "args": list(beside.args),
        "ports": [_port(port) for port in beside.ports],
        "volumeMounts": mounts,
    }
    return _container(job, beside.name, beside.image, beside.resources, theirs) | stated(started)


def _container(
    job: JobSpec, name: str, image: str, resources: Resources, theirs: dict[str, Source]
) -> Object:
    pulled = {"image": image, "imagePullPolicy": job.image_pull_policy}
    environment = _variables(job, resources) | theirs
    return {
        "name": name,
        **stated(pulled),
        "env": [{"name": variable, **source} for variable, source in environment.items()],
        "resources": _resources(resources),
        "securityContext": _security_context(job),
    }


def _command(job: JobSpec, role: RoleSpec) -> list[str]:
    if role.command:
        return list(role.command)
    if job.script is not None:
        return ["python3", "-u", f"{SCRIPT_MOUNT}/{job.script}"]
    return list(job.command)


def _variables(job: JobSpec, resources: Resources) -> dict[str, Source]:
    """What every container is told, unless the job says otherwise."""
    told: dict[str, Source] = {
        # The image need not know the user, whose home would then be `/`, which is not writable.
        HOME_ENV: {"value": "/tmp"},
        JOB_ENV: {"value": job.name},
        **{name: {"valueFrom": _resource_field("limits.cpu")} for name in THREADS_ENV},
    }
    if job.checkpoint_path is not None:
        told[CHECKPOINT_PATH_ENV] = {"value": job.checkpoint_path}
    if not resources.gpus:
        # Else a node whose container runtime defaults to NVIDIA's shows every GPU to the pod.
        told[NVIDIA_VISIBLE_DEVICES] = {"value": "none"}
    return told


def _values(env: Mapping[str, str]) -> dict[str, Source]:
    return {name: {"value": value} for name, value in env.items()}


def _values_from(env: Mapping[str, ValueFrom]) -> dict[str, Source]:
    return {name: {"valueFrom": _value_from(source)} for name, source in env.items()}


def _value_from(source: ValueFrom) -> Object:
    if source.field is not None:
        return {"fieldRef": {"fieldPath": source.field}}
    if source.resource is not None:
        return _resource_field(source.resource)
    kind = "secretKeyRef" if source.secret is not None else "configMapKeyRef"
    key = {
        "name": source.secret or source.config_map,
        "key": source.key,
        "optional": source.optional or None,
    }
    return {kind: stated(key)}


def _resource_field(resource: str) -> Object:
    return {"resourceFieldRef": {"resource": resource}}


def _env_from(source: EnvFromSpec) -> Object:
    kind = "secretRef" if source.secret is not None else "configMapRef"
    named = {"name": source.secret or source.config_map, "optional": source.optional or None}
    return stated({"prefix": source.prefix, kind: stated(named)})


def _port(port: PortSpec) -> Object:
    return {"name": port.name, "containerPort": port.port, "protocol": port.protocol}


def _resources(asked: Resources) -> Object:
    limits = asked.limits.as_kubernetes()
    if asked.gpus:
        # Limits only: the API server sets the request, which may not differ.
        limits[GPU_RESOURCE] = str(asked.gpus)
    return stated({"requests": asked.requests.as_kubernetes(), "limits": limits})


def _security_context(job: JobSpec) -> Object:
    """What the `restricted` Pod Security level demands of each container."""
    rendered = {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
        "readOnlyRootFilesystem": job.security.read_only_root_filesystem or None,
    }
    return stated(rendered)
