"""Containers of a pod: names used once, and the one that trains kept as it is.

Bug case A1: the operator finds the training container by its name.
"""

from collections.abc import Iterator

from infra.checks.findings import Finding, Subject
from infra.checks.parts import (
    CONTAINER_FIELDS,
    extra_containers,
    mappings,
    overrides,
    overriding,
    rendered_pods,
)
from infra.models import JobSpec
from infra.models.base import Loc
from infra.vocabulary import TENSORFLOW_CONTAINER


def check(subject: Subject) -> Iterator[Finding]:
    """The containers that each job declares, and those that its overrides add or drop."""
    for i, job in enumerate(subject.stack.jobs):
        yield from _twice(("jobs", i), job)
        at: Loc = ("jobs", i)
        if any(raw.keys() & set(CONTAINER_FIELDS) for _, raw in overrides(at, job)):
            yield from _lost(at, job)
            yield from _added(at, job)


def _twice(at: Loc, job: JobSpec) -> Iterator[Finding]:
    seen = {TENSORFLOW_CONTAINER}
    for place, container in extra_containers(at, job):
        if container.name in seen:
            training = container.name == TENSORFLOW_CONTAINER
            yield Finding(
                code="container-name-twice",
                place=(*place, "name"),
                message=f"{container.name} is the name of "
                + ("the training container" if training else "another container of the pod"),
                remedy="give it a name of its own",
            )
        seen.add(container.name)


def _lost(at: Loc, job: JobSpec) -> Iterator[Finding]:
    places = []
    for role, pod in rendered_pods(job):
        names = [container.get("name") for _, container in mappings((), pod.get("containers"))]
        place, _ = overriding(at, job, role, "containers")
        if TENSORFLOW_CONTAINER not in names and place not in places:
            places.append(place)
            yield Finding(
                code="training-container-lost",
                place=place,
                message=f"nothing is left of the container {TENSORFLOW_CONTAINER}, without which the "
                "operator makes no pod",
                remedy=f"write a list of containers, each with a name; that of the training is "
                f"{TENSORFLOW_CONTAINER}",
            )


def _added(at: Loc, job: JobSpec) -> Iterator[Finding]:
    for field, raw in overrides(at, job):
        seen = []
        for place, container in mappings((*field, "containers"), raw.get("containers")):
            name = container.get("name")
            if isinstance(name, str) and name in seen:
                yield Finding(
                    code="container-name-twice",
                    place=(*place, "name"),
                    message=f"{name} is the name of another container here",
                    remedy="give it a name of its own",
                )
            elif name != TENSORFLOW_CONTAINER and isinstance(name, str):
                yield Finding(
                    severity="warning",
                    code="container-keeps-pod-alive",
                    place=(*place, "name"),
                    message=f"{name} is no container of the job, so this adds one, and the pod lives as long "
                    "as it runs",
                    remedy="write it under sidecars, which end with the training, or "
                    f"{TENSORFLOW_CONTAINER} for the training itself",
                )
            seen.append(name)
