"""A diagnosis: where the chain from what is declared to what runs breaks, why, and what mends it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from infra.checks.findings import Severity

Step = Literal["target", "current", "events", "logs"]
"""In the order in which they are looked at: what is declared, what is there, what controllers said, what
programs said."""
STEPS: tuple[Step, ...] = ("target", "current", "events", "logs")


@dataclass(frozen=True)
class Evidence:
    """What was seen, word for word where somebody said it."""

    step: Step
    text: str


@dataclass(frozen=True, kw_only=True)
class Diagnosis:
    """One cause."""

    severity: Severity = "fault"
    code: str
    """Short and stable; each has a section in docs/doctor."""
    object: str
    """Kind and name of what is ill: `TFJob kubeflow/tf-mnist-cpu`."""
    breaks_at: Step
    cause: str
    """One clause without a full stop."""
    fix: str
    """A command, or what to change in the stack."""
    evidence: tuple[Evidence, ...] = ()
    affects: tuple[str, ...] = ()
    """Jobs that it stops, by name; the object's own among them."""

    def shown(self) -> Iterator[tuple[Step, str]]:
        """The evidence in the order of the steps."""
        for step in STEPS:
            yield from ((step, found.text) for found in self.evidence if found.step == step)
