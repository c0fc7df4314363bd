"""A stack that is fit to be declared: loaded, checked, with its scripts at hand."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from infra.checks import Finding, Subject, examine
from infra.load import Loaded, StackFileError, load
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
    loaded = load(file)
    scripts = _scripts(file.parent / "scripts")
    findings = examine(Subject(loaded.stack, scripts))
    faults = _lines(loaded, [f for f in findings if f.severity == "fault"])
    warnings = _lines(loaded, [f for f in findings if f.severity == "warning"])
    if faults:
        raise StackFileError(faults, warnings)
    return Plan(_with_source(loaded.stack, operator_source), scripts, warnings)


def _with_source(stack: Stack, source: str | None) -> Stack:
    if source is None or not stack.training_operator.install:
        return stack
    operator = stack.training_operator.model_copy(update={"source": source})
    return stack.model_copy(update={"training_operator": operator})


def _lines(loaded: Loaded, findings: list[Finding]) -> tuple[str, ...]:
    source = loaded.source
    ordered = sorted(findings, key=lambda finding: source.line(finding.place))
    return tuple(source.say(finding.place, str(finding)) for finding in ordered)


def _scripts(folder: Path) -> Mapping[str, str]:
    scripts = {}
    for file in sorted(folder.glob("*.py")):
        try:
            scripts[file.name] = file.read_text("utf-8")
        except (OSError, UnicodeDecodeError):
            continue  # as if it were not there: a job that names it is refused
    return scripts
