"""One job of the small stack with a change, and what is found in it."""

from infra.checks import Finding, Subject, examine
from infra.models import Stack
from tests.infra.conftest import SMALL

SECRET = {"secret": "registry", "key": "password"}
MANY = {"worker": {"replicas": 2, "resources": {"gpus": 1}}}
"""What makes the job a distributed one."""


def examined(*, text: str = "print()", stack: dict | None = None, **job) -> tuple[Finding, ...]:
    """The findings in a stack whose only job has these fields; `text` is that of its script."""
    data = SMALL | (stack or {}) | {"jobs": [SMALL["jobs"][0] | job]}
    return examine(Subject(Stack.model_validate(data), {"train.py": text}))


def found(**changes) -> list[tuple[str, str, tuple]]:
    """Severity, code and the place inside the job of each finding."""
    return [(f.severity, f.code, f.place[2:]) for f in examined(**changes)]
