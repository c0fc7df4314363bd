"""Environment: each variable once, and those of the operator and of this project left alone."""

from collections.abc import Iterator

from infra.checks.findings import Finding, Subject
from infra.checks.parts import extra_containers, mappings, overridden_containers
from infra.models import ContainerSpec, JobSpec
from infra.models.base import Loc
from infra.vocabulary import ENV_PREFIX, NVIDIA_VISIBLE_DEVICES, TENSORFLOW_CONTAINER

_TF_CONFIG = "TF_CONFIG"
_NO_GPUS = ("", "none", "void")


def check(subject: Subject) -> Iterator[Finding]:
    """The variables of each job, of its roles and of the containers beside the training."""
    for i, job in enumerate(subject.stack.jobs):
        yield from _twice(("jobs", i), job)
        for place, name in _of_the_training(("jobs", i), job):
            yield from _reserved(place, name, job)
        yield from _gpus(("jobs", i), job)


def _twice(at: Loc, job: JobSpec) -> Iterator[Finding]:
    parts: list[tuple[Loc, JobSpec | ContainerSpec]] = [(at, job), *extra_containers(at, job)]
    for place, part in parts:
        for name in part.env_value_from:
            if name in part.env:
                yield Finding(
                    code="variable-twice",
                    place=(*place, "env_value_from", name),
                    message=f"{name} has a value in env too",
                    remedy="keep one of the two",
                )


def _of_the_training(at: Loc, job: JobSpec) -> Iterator[tuple[Loc, str]]:
    for field in ("env", "env_value_from"):
        for name in getattr(job, field):
            yield (*at, field, name), name
    for role, spec in job.roles():
        for name in spec.env:
            yield (*at, role, "env", name), name
    for place, container in overridden_containers(at, job):
        if container.get("name") == TENSORFLOW_CONTAINER:
            for entry, variable in mappings((*place, "env"), container.get("env")):
                yield (*entry, "name"), str(variable.get("name"))


def _reserved(place: Loc, name: str, job: JobSpec) -> Iterator[Finding]:
    if name == _TF_CONFIG and job.distributed:
        yield Finding(
            code="tf-config-set",
            place=place,
            message=f"the operator sets {_TF_CONFIG} on each pod, and this is a second one",
            remedy="remove it",
        )
    elif name == _TF_CONFIG:
        yield Finding(
            severity="warning",
            code="tf-config-of-one-pod",
            place=place,
            message=f"{_TF_CONFIG} describes a cluster, and this job is one pod",
            remedy="remove it: the operator sets it where a job has more than one",
        )
    elif name.startswith(ENV_PREFIX):
        yield Finding(
            severity="warning",
            code="variable-reserved",
            place=place,
            message=f"variables with {ENV_PREFIX} are set by this project itself",
            remedy="use a name of your own",
        )


def _gpus(at: Loc, job: JobSpec) -> Iterator[Finding]:
    """A role that asks for no GPU is shown none; a variable that undoes this takes other jobs' GPUs."""
    for role, spec in job.roles():
        value = {**job.env, **spec.env}.get(NVIDIA_VISIBLE_DEVICES, "none")
        if not spec.resources.gpus and value not in _NO_GPUS:
            here = (*at, role) if NVIDIA_VISIBLE_DEVICES in spec.env else at
            yield Finding(
                severity="warning",
                code="gpus-taken-uncounted",
                place=(*here, "env", NVIDIA_VISIBLE_DEVICES),
                message=f"{role} asks for no GPU and would see the node's all the same",
                remedy=f"remove it, and write {role}.resources.gpus where GPUs are needed",
            )
