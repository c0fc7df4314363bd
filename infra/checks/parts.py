"""The parts of a job that several checks go through."""

from collections.abc import Iterator, Mapping

from pydantic import JsonValue

from infra.models import ContainerSpec, JobSpec
from infra.models.base import Loc


def extra_containers(at: Loc, job: JobSpec) -> Iterator[tuple[Loc, ContainerSpec]]:
    """The containers beside the training one, each with its place."""
    for field, containers in (("init_containers", job.init_containers), ("sidecars", job.sidecars)):
        for j, container in enumerate(containers):
            yield (*at, field, j), container


def overridden(at: Loc, job: JobSpec, field: str) -> Iterator[tuple[Loc, Mapping[str, JsonValue]]]:
    """The items of a list in the job's `pod_overrides`, such as `containers`, each with its place."""
    yield from mappings((*at, "pod_overrides", field), job.pod_overrides.get(field))


def overridden_containers(at: Loc, job: JobSpec) -> Iterator[tuple[Loc, Mapping[str, JsonValue]]]:
    """Containers of every kind in the job's `pod_overrides`."""
    for field in ("containers", "initContainers"):
        yield from overridden(at, job, field)


def mappings(at: Loc, value: JsonValue) -> Iterator[tuple[Loc, Mapping[str, JsonValue]]]:
    """The mappings in what should be a list of them."""
    for j, item in enumerate(value if isinstance(value, list) else ()):
        if isinstance(item, dict):
            yield (*at, j), item
