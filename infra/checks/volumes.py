"""Mounts of a job: none hidden by another, and checkpoints on one that stays."""

from collections.abc import Iterator

from infra.checks.findings import Finding, Subject
from infra.models import JobSpec, VolumeSpec
from infra.models.base import Loc
from infra.vocabulary import SCRIPT_MOUNT


def check(subject: Subject) -> Iterator[Finding]:
    """The mount paths and the checkpoint path of every job."""
    for i, job in enumerate(subject.stack.jobs):
        yield from _nested(("jobs", i, "volumes"), job)
        yield from _over_the_script(("jobs", i, "volumes"), job)
        yield from _checkpoints(("jobs", i, "checkpoint_path"), job)


def _nested(at: Loc, job: JobSpec) -> Iterator[Finding]:
    for j, volume in enumerate(job.volumes):
        outer = next((other for other in job.volumes if _below(volume.mount_path, other.mount_path)), None)
        if outer is not None:
            yield Finding(
                severity="warning",
                code="mount-inside-mount",
                place=(*at, j, "mount_path"),
                message=f"{volume.mount_path} lies in {outer.mount_path}, which another volume is mounted "
                "at: it needs a folder there and hides what the folder holds",
                remedy="mount the two side by side",
            )


def _over_the_script(at: Loc, job: JobSpec) -> Iterator[Finding]:
    for j, volume in enumerate(job.volumes):
        path = volume.mount_path
        if job.script is not None and (path == SCRIPT_MOUNT or _below(path, SCRIPT_MOUNT)):
            yield Finding(
                code="mount-over-script",
                place=(*at, j, "mount_path"),
                message=f"the script is mounted at {SCRIPT_MOUNT}, and {path} is in its way",
                remedy="use another path",
            )


def _checkpoints(place: Loc, job: JobSpec) -> Iterator[Finding]:
    path = job.checkpoint_path
    if path is None:
        return
    volume = _holding(path, job)
    if volume is None or (volume.claim is None and volume.existing_claim is None):
        yield Finding(
            code="checkpoints-lost",
            place=place,
            message=f"{path} is on no claim, so what is saved there goes with the pod",
            remedy=_remedy(job),
        )
    elif volume.read_only:
        yield Finding(
            code="checkpoints-read-only",
            place=place,
            message=f"{path} is on a claim that is mounted read only",
            remedy=f"remove read_only from the volume at {volume.mount_path}",
        )


def _remedy(job: JobSpec) -> str:
    claims = [v.mount_path for v in job.volumes if (v.claim or v.existing_claim) and not v.read_only]
    if claims:
        return f"write a folder below {' or '.join(claims)}"
    return "add a volume with a claim, and write a folder below its mount_path"


def _holding(path: str, job: JobSpec) -> VolumeSpec | None:
    """The innermost volume that a path lies on."""
    around = [v for v in job.volumes if path == v.mount_path or _below(path, v.mount_path)]
    return max(around, key=lambda volume: len(volume.mount_path), default=None)


def _below(path: str, folder: str) -> bool:
    return path.startswith(f"{folder}/")
