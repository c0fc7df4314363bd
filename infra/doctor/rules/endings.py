"""Containers that ended otherwise than well: memory, command, script, and what else an exit code says."""

from infra.cluster.containers import Container, Ended
from infra.cluster.pods import Pod
from infra.doctor.case import Case
from infra.doctor.rules import tracebacks
from infra.doctor.rules.faults import PodFault, evidence, role_place, said

_UNSTARTED = ("StartError", "ContainerCannotRun", "RunContainerError")
_UNSTARTED_CODES = (126, 127)
_STARTING_AGAIN = ("CrashLoopBackOff", "RunContainerError", "CreateContainerError")
_SIGNALS = {134: "SIGABRT", 137: "SIGKILL", 139: "SIGSEGV", 143: "SIGTERM"}


def of(case: Case, pod: Pod) -> PodFault | None:
    """The pod as a whole, then its first container that ended ill."""
    if pod.reason == "Evicted":
        return PodFault(
            code="evicted",
            breaks_at="current",
            cause=f"node {pod.node} ran short of something and put {pod.name} out",
            fix=f"ask for what it uses in {role_place(case, pod)}.resources.requests; "
            f"kubectl describe node {pod.node}",
            evidence=evidence(f"{pod.name}: Evicted, {pod.message}", said(case, pod)),
        )
    for container in pod.containers:
        ended = ill(pod, container)
        if ended is not None:
            return _fault(case, pod, container, ended)
    return None


def ill(pod: Pod, container: Container) -> Ended | None:
    """A container's bad end, if it still matters: it is down, or came up again in a pod that lives."""
    now, before = container.ended, container.ended_before
    if now is not None:
        return now if now.code else None
    if before is not None and before.code and not pod.over:
        return before
    if container.waits and container.waits[0] in _STARTING_AGAIN:
        return before or Ended({"reason": container.waits[0], "message": container.waits[1]})
    return None


def _fault(case: Case, pod: Pod, container: Container, ended: Ended) -> PodFault:
    place = role_place(case, pod)
    again = container.ended is None
    log = case.log(pod.namespace, pod.name, container.name, before=again)
    code, cause, fix, lines = _why(pod, container, ended, log.lines, place)
    how = f"{pod.name}: container {container.name} ended with exit code {ended.code}"
    if ended.reason not in ("", "Error"):
        how += f" ({ended.reason})"
    if container.restarts:
        how += f", {container.restarts} restart{'s' if container.restarts > 1 else ''}"
    if log.refusal:
        lines = (f"could not be read: {log.refusal}",)
    return PodFault(
        severity="warning" if container.running else "fault",
        code=code,
        breaks_at="current" if code in ("oom-killed", "command-not-found") else "logs",
        cause=cause + (", and was started again" if container.running else ""),
        fix=fix,
        evidence=evidence(how, said(case, pod, "BackOff", "Failed"), lines),
    )


def _why(
    pod: Pod, container: Container, ended: Ended, lines: tuple[str, ...], place: str
) -> tuple[str, str, str, tuple[str, ...]]:
    job = place.partition(".")[0]
    if ended.reason == "OOMKilled":
        limit = pod.limit(container.name, "memory") or "what the node has"
        cause = f"{pod.name} was killed for its memory: it may use {limit}"
        return (
            "oom-killed",
            cause,
            f"raise {place}.resources.limits.memory, or use less (smaller batches)",
            (),
        )
    command = pod.command(container.name) or "the image's own entry point"
    absent = tracebacks.missing_file(lines)
    if ended.reason in _UNSTARTED or ended.code in _UNSTARTED_CODES or (absent and ended.code == 2):
        told = (ended.message or absent or "").splitlines()[-1:]
        cause = f"{pod.name} cannot start its command: {command.splitlines()[0][:120]}"
        return "command-not-found", cause, f"mend command, args or script of {job}, or the image", tuple(told)
    found = tracebacks.crash(lines)
    unresolved, unreached = tracebacks.unresolved(lines[-40:]), tracebacks.unreached(lines[-40:])
    if unresolved:
        cause = f"{pod.name} ended since it could not resolve the name of a peer"
        fix = (
            "kubectl get pods -n kube-system -l k8s-app=kube-dns; "
            "another DNS domain: training_operator.cluster_domain"
        )
        return "peer-not-resolved", cause, fix, (unresolved,)
    if found:
        where = f" ({found.frame})" if found.frame else ""
        return (
            "script-error",
            f"the training script failed: {found.error[:200]}{where}",
            f"mend the script of {job}: kubectl logs -n {pod.namespace} {pod.name}",
            tuple(line for line in (found.frame, found.error) if line),
        )
    if unreached:
        cause = f"{pod.name} ended since a peer did not answer"
        return "peer-unreachable", cause, "look at the peers' pods and Services", (unreached,)
    signal = _SIGNALS.get(ended.code)
    by = f", by {signal}" if signal else ""
    return (
        "exited",
        f"{pod.name} ended with exit code {ended.code}{by}",
        f"kubectl logs -n {pod.namespace} {pod.name}" + ("" if container.ended else " --previous"),
        lines[-3:],
    )
