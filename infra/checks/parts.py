"""The parts of a job that several checks go through."""

from collections.abc import Iterator, Mapping
from typing import Any

from components.rendering.pods import pod_template
from infra.models import ContainerSpec, JobSpec, RoleName, RoleSpec
from infra.models.base import Loc

CONTAINER_FIELDS = ("containers", "initContainers")


def extra_containers(at: Loc, job: JobSpec) -> Iterator[tuple[Loc, ContainerSpec]]:
    """The containers beside the training one, each with its place."""
    for field, containers in (("init_containers", job.init_containers), ("sidecars", job.sidecars)):
        for j, container in enumerate(containers):
            yield (*at, field, j), container


def started(at: Loc, job: JobSpec) -> Iterator[tuple[Loc, JobSpec | RoleSpec | ContainerSpec]]:
    """Whatever says of a container which image, command, arguments and variables it has."""
    yield at, job
    for role, spec in job.roles():
        yield (*at, role), spec
    yield from extra_containers(at, job)


def overrides(at: Loc, job: JobSpec) -> Iterator[tuple[Loc, Mapping[str, Any]]]:
    """The `pod_overrides` of the job, then those of its roles, each with its place."""
    yield (*at, "pod_overrides"), job.pod_overrides
    for role, spec in job.roles():
        yield (*at, role, "pod_overrides"), spec.pod_overrides


def overridden_containers(at: Loc, job: JobSpec) -> Iterator[tuple[Loc, Mapping[str, Any]]]:
    """What `pod_overrides` say of containers, each with its place."""
    for place, raw in overrides(at, job):
        for field in CONTAINER_FIELDS:
            yield from mappings((*place, field), raw.get(field))


def overriding(at: Loc, job: JobSpec, role: RoleName, field: str) -> tuple[Loc, Any]:
    """What has the last word on a field of a role's pods, with its place; None if neither says it."""
    of_role = dict(job.roles())[role].pod_overrides
    if field in of_role:
        return (*at, role, "pod_overrides", field), of_role[field]
    return (*at, "pod_overrides", field), job.pod_overrides.get(field)


def rendered_pods(job: JobSpec) -> Iterator[tuple[RoleName, Mapping[str, Any]]]:
    """The `spec` of each role's pods as it is sent, with the overrides in it."""
    for role, spec in job.roles():
        template = pod_template(
            job, spec, priority_class=job.priority, pool=None, script_name=None, claims={}
        )
        yield role, template["spec"]


def mapping(value: Any) -> Mapping[str, Any]:
    """What should be a mapping; overrides may hold anything."""
    return value if isinstance(value, Mapping) else {}


def mappings(at: Loc, value: Any) -> Iterator[tuple[Loc, Mapping[str, Any]]]:
    """The mappings in what should be a list of them, each with its place."""
    for j, item in enumerate(value if isinstance(value, list) else ()):
        if isinstance(item, Mapping):
            yield (*at, j), item
