"""What is mounted into the containers of a job."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from components.rendering.objects import Object, stated
from infra.models import JobSpec, VolumeSpec
from infra.vocabulary import SCRIPT_MOUNT

if TYPE_CHECKING:
    import pulumi

SCRIPT_VOLUME = "colocation-script"
_LONGEST_NAME = 63


def volumes(
    job: JobSpec,
    script_name: pulumi.Input[str] | None,
    claims: Mapping[str, pulumi.Input[str]],
) -> list[Object]:
    """The volumes of a pod, one a source, and the script last."""
    by_name = dict(_named(job))
    rendered = [{"name": name, **_source(volume, claims)} for name, volume in by_name.items()]
    if job.script is not None:
        config_map = script_name if script_name is not None else f"{job.name}-script"
        rendered.append({"name": SCRIPT_VOLUME, "configMap": {"name": config_map}})
    return rendered


def volume_mounts(job: JobSpec) -> list[Object]:
    """Where each container finds them. Several mounts may show parts of one volume."""
    return [
        stated(
            {
                "name": name,
                "mountPath": volume.mount_path,
                "subPath": volume.sub_path,
                "readOnly": volume.read_only,
            }
        )
        for name, volume in _named(job)
    ]


def script_mount(job: JobSpec) -> list[Object]:
    """Where the training finds its script, if it has one."""
    if job.script is None:
        return []
    return [{"name": SCRIPT_VOLUME, "mountPath": SCRIPT_MOUNT, "readOnly": True}]


def _named(job: JobSpec) -> Iterator[tuple[str, VolumeSpec]]:
    """The job's volumes with the name of each in the pod: that of its source, as far as it may be.

    A source may have a longer name, or one with dots, and sources of two kinds may share one.
    """
    names: dict[tuple[str, str], str] = {}
    for volume in job.volumes:
        kind, source = _identity(volume)
        if (kind, source) not in names:
            names[kind, source] = _free_name(source, {SCRIPT_VOLUME, *names.values()})
        yield names[kind, source], volume


def _identity(volume: VolumeSpec) -> tuple[str, str]:
    """What two mounts of one volume have in common. Scratch space is each mount's own."""
    for kind in ("claim", "existing_claim", "config_map", "secret"):
        source: str | None = getattr(volume, kind)
        if source is not None:
            return kind, source
    return "empty_dir", volume.mount_path


def _free_name(source: str, taken: set[str]) -> str:
    base = re.sub(r"[^a-z0-9-]", "-", source.lower())[:_LONGEST_NAME].strip("-") or "volume"
    name, number = base, 1
    while name in taken:
        number += 1
        suffix = f"-{number}"
        name = base[: _LONGEST_NAME - len(suffix)] + suffix
    return name


def _source(volume: VolumeSpec, claims: Mapping[str, pulumi.Input[str]]) -> Object:
    if volume.claim is not None:
        return {"persistentVolumeClaim": {"claimName": claims.get(volume.claim, volume.claim)}}
    if volume.existing_claim is not None:
        return {"persistentVolumeClaim": {"claimName": volume.existing_claim}}
    if volume.config_map is not None:
        return {"configMap": {"name": volume.config_map}}
    if volume.secret is not None:
        return {"secret": {"secretName": volume.secret}}
    scratch = volume.empty_dir
    medium = "Memory" if scratch is not None and scratch.in_memory else None
    size_limit = scratch.size_limit if scratch is not None else None
    return {"emptyDir": stated({"medium": medium, "sizeLimit": size_limit})}
