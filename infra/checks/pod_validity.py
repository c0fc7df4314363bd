"""Pods that the API server refuses whatever their namespace allows, as overrides may make them.

Source of the rules: the validation of pods in the Kubernetes API.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import TypeAdapter, ValidationError

from infra.checks.parts import CONTAINER_FIELDS, mapping, mappings
from infra.models.names import Image, PortName

Refusal = tuple[tuple[str, ...], str, str]
"""Where in the pod, what stands there, and what to write instead."""

PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
_HANDLERS = {"exec", "grpc", "httpGet", "tcpSocket"}
_IMAGE: TypeAdapter[str] = TypeAdapter(Image)
_PORT_NAME: TypeAdapter[str] = TypeAdapter(PortName)


def refusals(pod: Mapping[str, Any]) -> Iterator[Refusal]:
    """Whatever the API server would say of a pod's volumes and containers."""
    volumes = set()
    for _, volume in mappings((), pod.get("volumes")):
        name = str(volume.get("name"))
        volumes.add(name)
        if len(volume.keys() - {"name"}) > 1:
            yield ("volumes", name), f"{name} has more than one source", "keep one of them"
    seen = set()
    for field in CONTAINER_FIELDS:
        for _, container in mappings((), pod.get(field)):
            name = str(container.get("name"))
            if name in seen:
                yield (field, name, "name"), f"two containers are called {name}", "give each its own name"
            seen.add(name)
            yield from _container((field, name), container, volumes)
    affinity = mapping(mapping(pod.get("affinity")).get("nodeAffinity"))
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution")
    if isinstance(required, Mapping) and not required.get("nodeSelectorTerms"):
        yield ("affinity", "nodeAffinity"), "it requires nodes without saying which", "add a nodeSelectorTerm"
    if pod.get("activeDeadlineSeconds") == 0:
        yield ("activeDeadlineSeconds",), "0 is no deadline", "write 1 or more, or remove it"


def _container(at: tuple[str, ...], container: Mapping[str, Any], volumes: set[str]) -> Iterator[Refusal]:
    image = container.get("image")
    if not image:
        yield (*at, "image"), f"{at[-1]} has no image", "add image:"
    elif isinstance(image, str) and (fault := _said(_IMAGE, image)):
        yield (*at, "image"), *fault
    for _, mount in mappings((), container.get("volumeMounts")):
        if mount.get("name") not in volumes:
            what = f"{at[-1]} mounts {mount.get('name')}, and the pod has no such volume"
            yield (*at, "volumeMounts"), what, "add it to volumes, or mount another"
    for _, variable in mappings((), container.get("env")):
        if variable.get("value") and variable.get("valueFrom"):
            what = f"{variable.get('name')} has value and valueFrom"
            yield (*at, "env", str(variable.get("name"))), what, "keep one of the two"
    names = set()
    for _, port in mappings((), container.get("ports")):
        name = port.get("name")
        if isinstance(name, str) and (fault := _said(_PORT_NAME, name)):
            yield (*at, "ports", name), *fault
        if name and name in names:
            yield (*at, "ports", str(name)), f"two ports are called {name}", "give each its own name"
        names.add(str(name))
    for probe in PROBES:
        said = container.get(probe)
        if isinstance(said, Mapping) and len(said.keys() & _HANDLERS) != 1:
            yield (
                (*at, probe),
                "it does not say in one way what to ask",
                f"add one of {', '.join(sorted(_HANDLERS))}",
            )


def _said(kind: TypeAdapter[str], value: str) -> tuple[str, str] | None:
    """What a model says of a value, and what to write instead."""
    try:
        kind.validate_python(value)
    except ValidationError as error:
        [found] = error.errors(include_url=False)
        message, _, remedy = str(found.get("ctx", {}).get("error", found["msg"])).rpartition("; ")
        return message or remedy, remedy
    return None
