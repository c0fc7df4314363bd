"""Secrets in plain sight: what stands in a stack file or in a pod's spec is read by many.

Findings never repeat a value.
"""

from collections.abc import Iterable, Iterator

from infra.checks.findings import Finding, Subject
from infra.checks.parts import mappings, overridden_containers, started
from infra.models import JobSpec
from infra.models.base import Loc
from infra.plain_secrets import holds_credential, named_like_a_secret
from infra.scripts import with_imports


def check(subject: Subject) -> Iterator[Finding]:
    """The variables and arguments of every container, and what is sent beside them."""
    for i, job in enumerate(subject.stack.jobs):
        for place, name, value in _variables(("jobs", i), job):
            if holds_credential(value) or named_like_a_secret(name, value):
                yield Finding(
                    code="secret-in-plain-text",
                    place=place,
                    message=f"{name} looks like a secret, and everybody who may read the job reads it",
                    remedy="put it into a Secret and name that under env_value_from",
                )
        for key, value in job.annotations.items():
            if holds_credential(value):
                yield Finding(
                    code="secret-in-plain-text",
                    place=("jobs", i, "annotations", key),
                    message="this looks like a secret, and everybody who may read the job reads it",
                    remedy="remove it, and replace the secret where it is valid",
                )
        for name in with_imports(job.script, subject.scripts) if job.script else ():
            if holds_credential(subject.scripts.get(name, "")):
                yield Finding(
                    severity="warning",
                    code="secret-in-script",
                    place=("jobs", i, "script"),
                    message=f"{name} seems to hold a secret, and whoever may read ConfigMaps reads it",
                    remedy="put it into a Secret, name that under env_value_from, and read the variable",
                )
        for place, value in _arguments(("jobs", i), job):
            if holds_credential(value):
                yield Finding(
                    code="secret-in-plain-text",
                    place=place,
                    message="this looks like a secret, and everybody who may read the job reads it",
                    remedy="put it into a Secret, name that under env_value_from, and write $(VARIABLE) here",
                )


def _variables(at: Loc, job: JobSpec) -> Iterator[tuple[Loc, str, str]]:
    for place, part in started(at, job):
        for name, value in part.env.items():
            yield (*place, "env", name), name, value
    for place, container in overridden_containers(at, job):
        for entry, variable in mappings((*place, "env"), container.get("env")):
            yield (*entry, "value"), str(variable.get("name")), str(variable.get("value", ""))


def _arguments(at: Loc, job: JobSpec) -> Iterator[tuple[Loc, str]]:
    for place, part in started(at, job):
        yield from _placed((*place, "command"), part.command)
        yield from _placed((*place, "args"), part.args)
    for place, container in overridden_containers(at, job):
        for field in ("command", "args"):
            value = container.get(field)
            yield from _placed((*place, field), map(str, value) if isinstance(value, list) else ())


def _placed(at: Loc, values: Iterable[str]) -> Iterator[tuple[Loc, str]]:
    for j, value in enumerate(values):
        yield (*at, j), value
