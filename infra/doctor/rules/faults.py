"""What ails one pod."""

from collections.abc import Sequence
from dataclasses import dataclass

from infra.checks.findings import Severity
from infra.cluster.pods import Pod
from infra.doctor.case import Case
from infra.doctor.chain import Evidence, Step


@dataclass(frozen=True, kw_only=True)
class PodFault:
    """As a Diagnosis, which is made of the faults of all pods of a job."""

    severity: Severity = "fault"
    code: str
    breaks_at: Step
    cause: str
    fix: str
    evidence: tuple[Evidence, ...] = ()


def said(case: Case, pod: Pod, *reasons: str) -> str | None:
    """The newest warning about a pod; with reasons, of one of these."""
    found = case.state.about("Pod", pod.namespace, pod.name, pod.uid)
    return next((str(e) for e in reversed(found) if (e.reason in reasons if reasons else e.warns)), None)


def evidence(current: str, event: str | None = None, logs: Sequence[str] = ()) -> tuple[Evidence, ...]:
    """What stands in the pod's status, what was said about it, and lines of its log."""
    events = (Evidence("events", event),) if event else ()
    return (Evidence("current", current), *events, *(Evidence("logs", line) for line in logs))


def role_place(case: Case, pod: Pod) -> str:
    """Where the stack says what the pod's role is like."""
    if pod.starts is not None:
        spec, part = case.spec(pod.namespace, pod.starts), "schedule"
    else:
        job = case.state.job(pod.namespace, pod.job) if pod.job else None
        spec, part = case.declared(job) if job else None, pod.role
    if spec is None:
        return f"the template of {pod.role or 'the pod'}"
    return f"{case.place(spec)}.{part}"
