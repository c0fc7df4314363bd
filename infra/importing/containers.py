"""Containers: the training one, and those beside and before it."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from infra.checks import Finding
from infra.importing import environment, resources
from infra.importing.entry import Data, Piece
from infra.importing.remarks import fault
from infra.models.base import Loc
from infra.models.names import has_version
from infra.vocabulary import TENSORFLOW_CONTAINER, TFJOB_PORT, TFJOB_PORT_NAME

_TYPED = ("name", "image", "command", "args", "env", "ports", "resources")
_OF_THE_ROLE = ("image", "command", "args")


class Beside(NamedTuple):
    """A container beside the training one."""

    field: str
    """`sidecars` or `init_containers` of an entry."""
    data: Data
    place: Loc

    def raw(self, fields: Data) -> Data:
        """Fields of it for `pod_overrides`, where a sidecar is an init container that runs on."""
        runs_on = {"restartPolicy": "Always"} if self.field == "sidecars" else {}
        return {"initContainers": [{"name": self.data.get("name"), **runs_on, **fields}]}


def training(pod: Data, at: Loc = ()) -> tuple[Data, Loc]:
    """The training container; empty if there is none."""
    for i, container in enumerate(pod.get("containers", [])):
        if container.get("name") == TENSORFLOW_CONTAINER:
            return container, (*at, "containers", i)
    return {}, (*at, "containers", 0)


def beside(pod: Data, at: Loc = ()) -> list[Beside]:
    """The others, in the order in which an entry starts them: those that end first."""
    found, _ = training(pod)
    others = [
        Beside("sidecars", container, (*at, "containers", i))
        for i, container in enumerate(pod.get("containers", []))
        if container is not found
    ]
    early = [
        Beside("sidecars" if _runs_on(c) else "init_containers", c, (*at, "initContainers", i))
        for i, c in enumerate(pod.get("initContainers", []))
    ]
    return sorted([*early, *others], key=lambda container: container.field)


def _runs_on(container: Data) -> bool:
    return container.get("restartPolicy") == "Always"


def starts_in_order(pod: Data) -> bool:
    """Whether no init container counts on a sidecar that starts before it, since an entry's start after."""
    running = [_runs_on(container) for container in pod.get("initContainers", [])]
    return running == sorted(running)


def of_the_role(container: Data, at: Loc) -> Iterator[tuple[str, Any, Loc]]:
    """What each role of an entry says by itself: field, value and place."""
    for field in _OF_THE_ROLE:
        yield field, container.get(field), (*at, field)
    yield "env", environment.environment(container).plain, (*at, "env")
    yield "resources", resources.typed(container.get("resources", {})), (*at, "resources")


def pieces(pod: Data, at: Loc) -> Iterator[Piece]:
    """What containers say beside that, but for volumes and the training's security."""
    found, place = training(pod, at)
    others = beside(pod, at)
    yield from _training(found, place)
    if not starts_in_order(pod):
        whole = [{k: v for k, v in c.items() if k != "volumeMounts"} for c in pod["initContainers"]]
        yield Piece("raw initContainers", {"initContainers": whole}, (*at, "initContainers"))
        others = [container for container in others if container.place[-2] != "initContainers"]
    for field in ("init_containers", "sidecars"):
        several = [container for container in others if container.field == field]
        if several:
            kept = ("name", "volumeMounts", "restartPolicy")
            items = [c.raw({k: v for k, v in c.data.items() if k not in kept}) for c in several]
            raw = {"initContainers": [item for one in items for item in one["initContainers"]]}
            places: dict[Loc, Loc] = {(i,): container.place for i, container in enumerate(several)}
            yield Piece(field, raw, several[0].place, [_typed(c.data) for c in several], places)
    for container in others:
        if rest := _rest(container.data, found):
            name = f"{container.field} {container.data.get('name')}"
            yield Piece(name, container.raw(rest), container.place)


def _training(container: Data, at: Loc) -> Iterator[Piece]:
    def raw(**fields: Any) -> Data:
        return {"containers": [{"name": TENSORFLOW_CONTAINER, **fields}]}

    variables = environment.environment(container)
    if variables.value_from:
        theirs = {
            v["name"]: (i, v) for i, v in enumerate(container["env"]) if v.get("name") in variables.value_from
        }
        places: dict[Loc, Loc] = {(name,): (*at, "env", i) for name, (i, _) in theirs.items()}
        only = raw(env=[variable for _, variable in theirs.values()])
        yield Piece("env_value_from", only, (*at, "env"), variables.value_from, places)
    if variables.raw:
        yield Piece("raw env", raw(env=variables.raw), (*at, "env"))
    if given := container.get("envFrom"):
        yield Piece("env_from", raw(envFrom=given), (*at, "envFrom"), environment.sources(container))
    ports = [(i, port) for i, port in enumerate(container.get("ports", [])) if not _the_operators(port)]
    if ports:
        typed = (
            None if any({"hostPort", "hostIP"} & set(p) for _, p in ports) else [_port(p) for _, p in ports]
        )
        places = {(j,): (*at, "ports", i) for j, (i, _) in enumerate(ports)}
        yield Piece("ports", raw(ports=[port for _, port in ports]), (*at, "ports"), typed, places)
    if policy := container.get("imagePullPolicy"):
        place = (*at, "imagePullPolicy")
        yield Piece("image_pull_policy", raw(imagePullPolicy=policy), place, policy)
    if others := resources.untyped(container.get("resources", {})):
        yield Piece("raw resources", raw(resources=others), (*at, "resources"))
    for name, value in container.items():
        if name not in (*_TYPED, "envFrom", "imagePullPolicy", "volumeMounts", "securityContext"):
            yield Piece(f"container {name}", raw(**{name: value}), (*at, name))


def _typed(container: Data) -> dict[str, Any]:
    """A container beside the training one, as an entry has it."""
    variables = environment.environment(container)
    fields = {
        "name": container.get("name"),
        "image": container.get("image"),
        "command": container.get("command"),
        "args": container.get("args"),
        "env": variables.plain,
        "env_value_from": variables.value_from,
        "ports": [_port(port) for port in container.get("ports", [])],
        "resources": resources.typed(container.get("resources", {})),
    }
    return {field: value for field, value in fields.items() if value}


def _rest(container: Data, found: Data) -> dict[str, Any]:
    """What no field of a container beside the training one says."""
    rest = {k: v for k, v in container.items() if k not in (*_TYPED, "volumeMounts", "restartPolicy")}
    policies = [c.get("imagePullPolicy", _usual_pull(c)) for c in (container, found)]
    rest.pop("imagePullPolicy", None)
    if "imagePullPolicy" in {**container, **found} and policies[0] != policies[1]:
        rest["imagePullPolicy"] = policies[0]  # an entry has one for all containers
    if "securityContext" in rest:
        rest["securityContext"] = unhardened(rest["securityContext"])
    if variables := environment.environment(container).raw:
        rest["env"] = variables
    if others := resources.untyped(container.get("resources", {})):
        rest["resources"] = others
    return rest


def unhardened(context: Data) -> dict[str, Any]:
    """The same, against what every container of a stack gets: no capabilities and no escalation."""
    found = dict(context)
    if "capabilities" in found:
        found["capabilities"] = {"drop": [], **found["capabilities"]}
    if found.get("privileged") or found.get("capabilities", {}).get("add"):
        found.setdefault("allowPrivilegeEscalation", True)
    return found


def _usual_pull(container: Data) -> str:
    return "IfNotPresent" if has_version(str(container.get("image"))) else "Always"


def _port(port: Data) -> dict[str, Any]:
    protocol = port.get("protocol", "TCP")
    named = {"name": port.get("name", f"port-{port.get('containerPort')}"), "port": port.get("containerPort")}
    return named if protocol == "TCP" else {**named, "protocol": protocol}


def _the_operators(port: Data) -> bool:
    return (port.get("name"), port.get("containerPort")) == (TFJOB_PORT_NAME, TFJOB_PORT)


def faults(pod: Data, at: Loc, role: str) -> Iterator[Finding]:
    """What the webhook or the API server refuses of containers, and what the operator stumbles over."""
    containers = pod.get("containers", [])
    found, place = training(pod, at)
    names = [str(container.get("name")) for container in containers]
    if not containers:
        text = (
            f"{role} has no container; write template.spec.containers with one called {TENSORFLOW_CONTAINER}"
        )
        yield fault("no-container", (*at, "containers"), text)
    elif not found:
        text = (
            f"{role} has no container called {TENSORFLOW_CONTAINER} (found {', '.join(names)}), "
            "and the operator looks for it; rename the main container"
        )
        yield fault("container-name", (*at, "containers", 0), text)
    for kind in ("initContainers", "containers"):
        for i, container in enumerate(pod.get(kind, [])):
            yield from _faults(container, (*at, kind, i))
    yield from _unnamed_ports(found, place)


def _faults(container: Data, at: Loc) -> Iterator[Finding]:
    for field in ("name", "image"):
        if not container.get(field):
            yield fault("missing-key", at, f"the container has no {field}; add `{field}:`")
    yield from environment.faults(container, at)
    yield from resources.faults(container.get("resources", {}), (*at, "resources"))
    for i, port in enumerate(container.get("ports", [])):
        if "containerPort" not in port:
            yield fault("missing-key", (*at, "ports", i), "the port has no number; add `containerPort:`")


def _unnamed_ports(container: Data, at: Loc) -> Iterator[Finding]:
    for i, port in enumerate(container.get("ports", [])):
        if not port.get("name"):
            number = port.get("containerPort")
            text = (
                "the port has no name, and beside the operator's own the Service of each pod is refused, "
                f"so the job hangs; add name: port-{number}, or remove the port"
            )
            yield fault("port-without-name", (*at, "ports", i), text)
