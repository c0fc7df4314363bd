"""A stack that is fit to be declared: loaded, checked, with its scripts at hand."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from infra.checks import Finding, Subject, examine
from infra.load import Draft, StackFileError, load
from infra.models import Stack


@dataclass(frozen=True)
class Plan:
    """What assembly needs, and what a person should be told beside it."""

    stack: Stack
    scripts: Mapping[str, str]
    warnings: tuple[str, ...] = ()


def plan(file: Path, operator_source: str | None = None) -> Plan:
    """Load and check a stack file; raises StackFileError with every fault.

    `operator_source`: the operator's manifests from elsewhere than the file says, for a machine
    that has them at hand.
    """
    draft = load(file)
    scripts = _scripts(file.parent / "scripts")
    findings = [
        finding
        for finding in examine(Subject(draft.part.stack, scripts))
        if finding.presumes not in draft.part.incomplete
    ]
    faults = sorted({*draft.faults, *_said(draft, findings, "fault")})
    warnings = tuple(text for _, text in sorted(_said(draft, findings, "warning")))
    if faults:
        raise StackFileError((text for _, text in faults), warnings)
    return Plan(_with_source(draft.part.stack, operator_source), scripts, warnings)


def _said(draft: Draft, findings: Iterable[Finding], severity: str) -> Iterator[tuple[int, str]]:
    """Line and text of the findings of one severity."""
    for finding in findings:
        if finding.severity == severity:
            place = draft.part.place(finding.place)
            yield draft.source.line(place), draft.source.say(place, str(finding))


def _with_source(stack: Stack, source: str | None) -> Stack:
    if source is None or not stack.training_operator.install:
        return stack
    operator = stack.training_operator.model_copy(update={"source": source})
    return stack.model_copy(update={"training_operator": operator})


def _scripts(folder: Path) -> Mapping[str, str]:
    scripts = {}
    for file in sorted(folder.glob("*.py")):
        try:
            scripts[file.name] = file.read_text("utf-8")
        except (OSError, UnicodeDecodeError):
            continue  # as if it were not there: a job that names it is refused
    return scripts
