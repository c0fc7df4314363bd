"""Pods that a node has taken, and whose containers do not come to run."""

from infra.cluster.pods import Pod
from infra.doctor.case import Case
from infra.doctor.rules.faults import PodFault, evidence, role_place, said

_PREPARED_SECONDS = 60
_MOUNTING = ("FailedMount", "FailedAttachVolume", "FailedMapVolume")


def of(case: Case, pod: Pod) -> PodFault | None:
    """What is missing for the containers."""
    if pod.phase != "Pending" or pod.node is None:
        return None
    for container in pod.containers:
        reason, message = container.waits or ("", "")
        if reason == "CreateContainerConfigError":
            return PodFault(
                code="config-absent",
                breaks_at="current",
                cause=f"what the container {container.name} is set up with is missing: {message}",
                fix=f"make it in the namespace {pod.namespace}, or mend env and volumes of "
                f"{role_place(case, pod).partition('.')[0]}",
                evidence=evidence(f"{pod.name}: {reason}", said(case, pod, "Failed")),
            )
    mounting = said(case, pod, *_MOUNTING)
    if mounting:
        return PodFault(
            code="volume-not-mounted",
            breaks_at="events",
            cause=f"a volume of {pod.name} cannot be mounted on node {pod.node}",
            fix=f"see that what it names is there: kubectl describe pod -n {pod.namespace} {pod.name}",
            evidence=evidence(f"{pod.name} is Pending on {pod.node}", mounting),
        )
    if case.state.seconds_since(pod.created) > _PREPARED_SECONDS:
        event = said(case, pod)
        if event and not any(c.running or c.ended for c in pod.containers):
            return PodFault(
                code="not-started",
                breaks_at="events",
                cause=f"node {pod.node} does not bring {pod.name} up",
                fix=f"kubectl describe node {pod.node}; kubectl describe pod -n {pod.namespace} {pod.name}",
                evidence=evidence(f"{pod.name} is Pending on {pod.node}", event),
            )
    return None
