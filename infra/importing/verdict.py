"""The entry under the rules of a stack, judged as a manifest that stands alone."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from pydantic import ValidationError

from infra.checks import Finding, Subject, examine
from infra.complaints import complaints
from infra.importing.entry import Entry
from infra.models import JobSpec, Stack
from infra.models.base import Loc

_IN_A_STACK = (
    "gpus-without-pool",
    "image-without-version",
    "no-checkpoint-path",
    "no-restart-after-preemption",
    "no-time-for-a-checkpoint",
    "override-of-priority",
    "preemption-fails-the-job",
    "pod-security-refuses",
    "secret-in-plain-text",
    "tenant-takes-system-namespace",
    "ttl-trains-again",
)
"""What a stack refuses, and the manifest does by itself: advice."""
_SAID = {
    "no-restart-after-preemption": "restart-policy-unset",
    "pod-security-refuses": "may-be-root",
    "tenant-takes-system-namespace": "no-namespace",
}
"""What of the checks need not be said again after a remark of the import."""
_CAUSES = ("role-unknown", "no-pods")
"""After one of these, that no role is left is no news."""


def findings(entry: Entry) -> tuple[Finding, ...]:
    """What the model and the checks say, at places of the manifest, beside what is found already."""
    found = []
    for finding in _said(entry):
        if finding.code in _IN_A_STACK:
            finding = replace(finding, severity="advice")
        elif finding.presumes is not None:
            continue  # of what the stack declares, which is not known yet
        if not any(_implied(finding, cause) for cause in entry.findings):
            found.append(finding)
    return tuple(found)


def _implied(finding: Finding, cause: Finding) -> bool:
    """Whether one fault, or one remark, makes another needless."""
    below = finding.place[: len(cause.place)] == cause.place
    if finding.severity == cause.severity == "fault":
        return below or (cause.code in _CAUSES and cause.place[: len(finding.place)] == finding.place)
    return below and _SAID.get(finding.code) == cause.code


def _said(entry: Entry) -> Iterator[Finding]:
    try:
        JobSpec.model_validate(entry.data)
    except ValidationError as error:
        for found in complaints(error, JobSpec):
            yield replace(found, place=entry.place(found.place))
        return
    for found in examine(Subject(_stack_of(entry.data), {})):
        if (place := _of_the_job(found.place)) is not None:
            yield replace(found, place=entry.place(place))


def _stack_of(job: dict[str, Any]) -> Stack:
    """A stack in which all that the job names is declared."""
    return Stack.model_validate(
        {
            "tenants": [{"name": job["tenant"], "pod_security": "privileged"}],
            "priorities": [
                {"name": "online", "value": 1_000_000, "kind": "online", "global_default": True},
                {"name": job["priority"], "value": 1000, "kind": "offline"},
            ],
            "jobs": [job],
        }
    )


def _of_the_job(place: Loc) -> Loc | None:
    """A place in that stack as one in the job; None for what was only put around it."""
    if place[:2] == ("jobs", 0):
        return place[2:]
    return ("tenant",) if place[:2] == ("tenants", 0) else None
