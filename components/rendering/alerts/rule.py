"""What an alert is, before it is written as Prometheus wants it."""

from dataclasses import dataclass
from typing import Any, Final

from infra.models.alerts.alerts import Language
from infra.models.alerts.routes import Severity

PLATFORM: Final = "platform"
TRAINING: Final = "training"
BY_WORKLOAD: Final = (
    f'{{{{ if eq $labels.workload "offline" }}}}{TRAINING}{{{{ else }}}}{PLATFORM}{{{{ end }}}}'
)
"""The team of whoever runs the pod: for rules that hold for services and for training."""

VALUE: Final = "{{ $value }}"
COUNT: Final = '{{ printf "%.0f" $value }}'
PERCENT: Final = f"{COUNT} %"
HUMANIZED: Final = "{{ $value | humanize }}"
DURATION: Final = "{{ $value | humanizeDuration }}"
"""Of seconds."""


def label(name: str) -> str:
    """What a text says of a label."""
    return f"{{{{ $labels.{name} }}}}"


NODE: Final = label("node")
POD: Final = f"{label('namespace')}/{label('pod')}"
JOB: Final = f"{label('namespace')}/{label('tfjob')}"

RUNBOOKS: Final = "docs/runbooks"
"""Where runbooks are: a folder of this repository."""


@dataclass(frozen=True)
class Text:
    """One text in each language; templates as in Prometheus."""

    en: str
    zh: str

    def of(self, language: Language) -> str:
        return self.zh if language == "zh" else self.en


@dataclass(frozen=True, kw_only=True)
class Alert:
    """One alerting rule. Each has a page in docs/runbooks."""

    name: str
    expr: str
    for_: str | None = None
    """How long the expression must have had the result, as in 10m."""
    severity: Severity
    team: str
    summary: Text
    description: Text

    def rule(self, language: Language, runbooks: str = RUNBOOKS) -> dict[str, Any]:
        """As Prometheus wants it. `runbooks`: where people read the pages."""
        return {
            "alert": self.name,
            "expr": self.expr,
            **({"for": self.for_} if self.for_ else {}),
            "labels": {"severity": self.severity, "team": self.team},
            "annotations": {
                "summary": self.summary.of(language),
                "description": self.description.of(language),
                "runbook_url": f"{runbooks.rstrip('/')}/{self.name}.md",
            },
        }


@dataclass(frozen=True, kw_only=True)
class Record:
    """A series that alerts and dashboards ask for, worked out beforehand."""

    name: str
    expr: str

    def rule(self) -> dict[str, Any]:
        """As Prometheus wants it."""
        return {"record": self.name, "expr": self.expr}
