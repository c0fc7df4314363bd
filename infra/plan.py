"""A stack that is fit to be declared: loaded, checked, with its scripts at hand."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from infra import places
from infra.charts import LocalChart, local_chart
from infra.checks import Located, Subject, examine
from infra.dashboard_files import dashboard_files
from infra.load import StackFileError, load
from infra.models import JobSpec, MonitoringSpec, QueueingSpec, Stack
from infra.scripts import scripts, with_imports
from infra.source import Source
from infra.stack_secrets import Stored, beside
from infra.vocabulary import KUEUE, MONITORING_RELEASE


@dataclass(frozen=True)
class Plan:
    """What assembly needs, and what a person should be told beside it."""

    stack: Stack
    scripts: Mapping[str, str]
    """Texts of the scripts that jobs name, and of what these import from beside them."""
    dashboards: Mapping[str, str]
    """The JSON of the dashboards that the stack brings, by the name of the file."""
    source: Source
    """Says in which line of the file something stands: `source.locate(finding)`."""
    findings: tuple[Located, ...] = ()
    """Warnings and advice, in the order of the file."""

    def files(self, job: JobSpec) -> Mapping[str, str]:
        """The job's script and what it imports from beside it, by name of the file."""
        names = with_imports(job.script, self.scripts) if job.script else ()
        return {name: self.scripts[name] for name in names if name in self.scripts}


def plan(file: Path, operator_source: str | None = None, stored: Stored | None = None) -> Plan:
    """Load and check a stack file; raises StackFileError with every fault.

    `operator_source`: the operator's manifests from elsewhere than the file says, for a machine
    that has them at hand. `stored`: which secrets there are; unset: those of the config file that belongs to
    the stack file, if it is there.
    """
    draft = load(file)
    named = {job.script for job in draft.part.stack.jobs if job.script}
    found = scripts(file.parent / "scripts", named)
    pages = dashboard_files(file.parent / "dashboards", {page.file for page in draft.part.stack.dashboards})
    subject = Subject(
        draft.part.stack,
        found.texts,
        unusable_scripts=found.unusable,
        other_scripts=found.others,
        chart=_chart(draft.part.stack.monitoring, MONITORING_RELEASE),
        queueing_chart=_chart(draft.part.stack.queueing, KUEUE),
        dashboards=pages,
        name=file.stem,
        stored=stored or beside(file),
    )
    findings = set(draft.faults)
    for finding in examine(subject):
        if draft.part.allows(finding.presumes):
            place = draft.part.place(finding.place)
            findings.add(draft.source.locate(replace(finding, place=place)))
    if any(finding.severity == "fault" for finding in findings):
        raise StackFileError(findings)
    stack = _with_source(draft.part.stack, operator_source)
    return Plan(stack, found.texts, pages.texts, draft.source, tuple(sorted(findings)))


def _chart(spec: MonitoringSpec | QueueingSpec | None, name: str) -> LocalChart | None:
    if spec is None or not spec.install or spec.chart.path is None:
        return None
    return local_chart(places.ROOT / spec.chart.path, name)


def _with_source(stack: Stack, source: str | None) -> Stack:
    if source is None or not stack.training_operator.install:
        return stack
    operator = stack.training_operator.model_copy(update={"source": source})
    return stack.model_copy(update={"training_operator": operator})
