"""One job of the small stack with a change, and what is found in it."""

from collections.abc import Iterable

from infra.checks import Finding, Subject, examine
from infra.models import Stack
from tests.infra.conftest import SMALL

SECRET = {"secret": "registry", "key": "password"}
OF_SEVERAL_PODS = "preemption-fails-the-job"
MANY = {"worker": {"replicas": 2, "resources": {"gpus": 1}}}
"""What makes the job a distributed one."""


def examined(*, text: str = "print()", stack: dict | None = None, **job) -> tuple[Finding, ...]:
    """The findings in a stack whose only job has these fields; `text` is that of its script.

    But for what is said of every job of several pods.
    """
    data = SMALL | (stack or {}) | {"jobs": [SMALL["jobs"][0] | job]}
    return but_for_several_pods(examine(Subject(Stack.model_validate(data), {"train.py": text})))


def but_for_several_pods(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    return tuple(finding for finding in findings if finding.code != OF_SEVERAL_PODS)


def found(**changes) -> list[tuple[str, str, tuple]]:
    """Severity, code and the place inside the job of each finding."""
    return [(f.severity, f.code, f.place[2:]) for f in examined(**changes)]
