"""Ports: each number and each name once, and 2222 left to the operator."""

from collections.abc import Iterator, Sequence

from infra.checks.findings import Finding, Subject
from infra.checks.parts import extra_containers, mappings, overridden_containers
from infra.models import JobSpec
from infra.models.base import Loc
from infra.models.jobs import PortSpec
from infra.vocabulary import METRICS_PORT, TENSORFLOW_CONTAINER, TFJOB_PORT, TFJOB_PORT_NAME

_FIRST_OF_EVERYBODY = 1024
_Placed = tuple[Loc, PortSpec]


def check(subject: Subject) -> Iterator[Finding]:
    """The training container of each job, then the containers beside it."""
    for i, job in enumerate(subject.stack.jobs):
        at = ("jobs", i)
        training = _training(at, job)
        yield from _the_operators(training)
        yield from _names(training)
        yield from _numbers(training)
        yield from _overridden(at, job)
        yield from _privileged(at, job)
        for place, sidecar in extra_containers(at, job):
            theirs = _placed((*place, "ports"), sidecar.ports)
            yield from _names(theirs)
            if place[2] == "sidecars":
                yield from _shared(theirs, training)
                training += theirs


def _training(at: Loc, job: JobSpec) -> list[_Placed]:
    ports = _placed((*at, "ports"), job.ports)
    if job.metrics_port is not None:
        # Rendered as one more port of the container.
        ports.append(((*at, "metrics_port"), PortSpec(name=METRICS_PORT, port=job.metrics_port)))
    return ports


def _placed(at: Loc, ports: Sequence[PortSpec]) -> list[_Placed]:
    return [((*at, j), port) for j, port in enumerate(ports)]


def _the_operators(ports: Sequence[_Placed]) -> Iterator[Finding]:
    """The operator adds its own port, and then a Service that holds one number twice is refused."""
    if any(port.name == TFJOB_PORT_NAME for _, port in ports):
        return  # the user's own number for it
    for place, port in ports:
        if port.port == TFJOB_PORT:
            yield _port_of_the_operator(_number(place))


def _overridden(at: Loc, job: JobSpec) -> Iterator[Finding]:
    """The operator makes a Service of the training's ports, and leaves the job without one it cannot make."""
    for place, container in overridden_containers(at, job):
        if container.get("name") != TENSORFLOW_CONTAINER:
            continue
        for entry, port in mappings((*place, "ports"), container.get("ports")):
            if not port.get("name"):
                yield Finding(
                    code="port-without-name",
                    place=entry,
                    message="the operator needs a name to make a Service of it, and the job never starts",
                    remedy="add name:",
                )
            elif port.get("containerPort") == TFJOB_PORT and port["name"] != TFJOB_PORT_NAME:
                yield _port_of_the_operator((*entry, "containerPort"))


def _privileged(at: Loc, job: JobSpec) -> Iterator[Finding]:
    """The metrics' own program is of this project, and so is the user that it runs as."""
    port = job.metrics_port
    if port is not None and port < _FIRST_OF_EVERYBODY and job.security.run_as_user != 0:
        yield Finding(
            severity="warning",
            code="port-of-root",
            place=(*at, "metrics_port"),
            message=f"only root may listen on {port}, and the training does not run as root",
            remedy=f"write {_FIRST_OF_EVERYBODY} or more, such as 8080",
        )


def _port_of_the_operator(place: Loc) -> Finding:
    return Finding(
        code="port-of-the-operator",
        place=place,
        message=f"{TFJOB_PORT} is {TFJOB_PORT_NAME}, which the operator adds by itself",
        remedy="use another port, or remove it: peers find the training there anyway",
    )


def _names(ports: Sequence[_Placed]) -> Iterator[Finding]:
    seen: set[str] = set()
    for place, port in ports:
        if port.name in seen:
            yield Finding(
                code="port-name-twice",
                place=place if place[-1] == "metrics_port" else (*place, "name"),
                message=f"a port of this container is called {port.name} already",
                remedy="remove one, or give it another name",
            )
        seen.add(port.name)


def _numbers(ports: Sequence[_Placed]) -> Iterator[Finding]:
    """Whatever the protocol: the operator makes a TCP port of each."""
    seen: dict[int, str] = {}
    for place, port in ports:
        if port.port in seen:
            yield Finding(
                code="port-twice",
                place=_number(place),
                message=f"{port.port} is port {seen[port.port]} already, "
                "and the operator's Service holds each number once",
                remedy="remove one, or use another number",
            )
        seen.setdefault(port.port, port.name)


def _shared(ports: Sequence[_Placed], others: Sequence[_Placed]) -> Iterator[Finding]:
    taken = {(port.port, port.protocol) for _, port in others}
    taken.add((TFJOB_PORT, "TCP"))
    for place, port in ports:
        if (port.port, port.protocol) in taken:
            yield Finding(
                code="port-taken-in-pod",
                place=_number(place),
                message=f"another container of the pod listens on {port.port}, and a pod has one address",
                remedy="use another port",
            )


def _number(place: Loc) -> Loc:
    return place if place[-1] == "metrics_port" else (*place, "port")
