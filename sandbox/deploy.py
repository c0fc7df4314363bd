"""From a running sandbox to a trained model: `pulumi up`, wait for the jobs, say what came of it."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from infra import versions
from infra.cluster.jobs import SETTLED, TFJob
from infra.cluster.pods import Pod
from infra.vocabulary import TFJOB_CRD
from sandbox import cluster, kubectl, paths, pulumi, simulated_nodes
from sandbox.errors import SandboxError
from sandbox.progress import Progress, duration

JOBS_TIMEOUT_SECONDS = 900
ACCURACY = re.compile(r"^accuracy=([0-9.]+)", re.MULTILINE)
FINISHED = (*SETTLED, "Suspended")


@dataclass(frozen=True, kw_only=True)
class JobState:
    """A TFJob as it stands.

    Fields: leader is the pod whose end ends the job, its chief or first worker; state is its newest true
    condition; nodes are those of its pods; accuracy is what the leader's log reports; simulated tells that
    no machine runs it.
    """

    namespace: str
    name: str
    leader: str
    state: str
    nodes: tuple[str, ...]
    accuracy: str | None
    simulated: bool

    @property
    def settled(self) -> bool:
        """Whether there is nothing to wait for."""
        return self.state in FINISHED or (self.simulated and self.state == "Running")


def deploy(report: Progress) -> None:
    """Bring the sandbox up, deploy the stack, wait for its jobs and print a summary.

    Raises:
        SandboxError: a step failed; what came before it stays as it is.
    """
    cluster.up(report, cluster.build(report))
    workspace = pulumi.workspace(report)
    again = _failed_before(workspace)
    for job in again:
        report.say(f"{job} had failed: it runs again")
    with report.phase("pulumi up --stack dev"):
        replace = [f"--replace=urn:pulumi:{pulumi.STACK}::**::{job}-tfjob" for job in again]
        done = workspace.update("up", "--yes", "--skip-preview", *replace)
        if done.returncode != 0:
            raise SandboxError(
                "`pulumi up` failed, its messages are above; mend the cause and run `make up` again"
            )
    outputs = workspace.outputs()
    with report.phase("wait for the training jobs"):
        jobs = _wait_for_jobs(workspace, set(outputs["jobs"]), report)
    print("\n".join(_summary(jobs, outputs, workspace.last_changes(), report)))
    failed = [job for job in jobs if job.state == "Failed"]
    if failed:
        looks = "; ".join(f"`kubectl logs -n {job.namespace} {job.leader}`" for job in failed)
        raise SandboxError(f"training failed: {', '.join(job.name for job in failed)}; see {looks}")


def _failed_before(workspace: pulumi.Workspace) -> list[str]:
    """The stack's jobs that an earlier run has left failed, such as one that was killed with the sandbox.

    Nothing else would run them again: a stack that has not changed changes nothing.
    """
    declared = set(workspace.outputs().get("jobs") or {})
    jobs = map(TFJob, _items(workspace, TFJOB_CRD))
    return [job.name for job in jobs if job.name in declared and job.state == "Failed"]


def _wait_for_jobs(workspace: pulumi.Workspace, names: set[str], report: Progress) -> list[JobState]:
    """Until each of the stack's jobs that runs on a real node has ended."""
    deadline = time.monotonic() + JOBS_TIMEOUT_SECONDS
    told: dict[str, str] = {}
    while True:
        jobs = [job for job in job_states(workspace) if job.name in names]
        for job in jobs:
            if told.get(job.name) != job.state:
                told[job.name] = job.state
                report.say(f"{job.name}: {job.state}")
        unfinished = names - {job.name for job in jobs if job.settled}
        if not unfinished:
            return jobs
        if time.monotonic() > deadline:
            waiting = ", ".join(f"{name} ({told.get(name, 'not there')})" for name in sorted(unfinished))
            raise SandboxError(
                f"after {duration(JOBS_TIMEOUT_SECONDS)} these jobs have not ended: {waiting}; "
                "see `kubectl get pods -A` and `kubectl get events -A`"
            )
        time.sleep(1)


def job_states(workspace: pulumi.Workspace) -> list[JobState]:
    """All TFJobs of the cluster, by namespace and name."""
    pods = [Pod(raw) for raw in _items(workspace, "pods")]
    return [_job_state(workspace, TFJob(raw), pods) for raw in _items(workspace, TFJOB_CRD)]


def _job_state(workspace: pulumi.Workspace, job: TFJob, pods: Sequence[Pod]) -> JobState:
    ours = [pod for pod in pods if (pod.namespace, pod.job) == (job.namespace, job.name)]
    nodes = sorted({pod.node or "(unscheduled)" for pod in ours})
    simulated = {node.name for node in simulated_nodes.topology()}
    state = job.state or "Submitted"
    logs = ("logs", "-n", job.namespace, job.leader)
    found = ACCURACY.findall(kubectl.run(workspace.kubectl, *logs).stdout) if state == "Succeeded" else []
    return JobState(
        namespace=job.namespace,
        name=job.name,
        leader=job.leader,
        state=state,
        nodes=tuple(nodes),
        accuracy=found[-1] if found else None,
        simulated=bool(nodes) and set(nodes) <= simulated,
    )


def _items(workspace: pulumi.Workspace, kind: str) -> list[dict[str, Any]]:
    answer = kubectl.run(workspace.kubectl, "get", kind, "--all-namespaces", "-o", "json").stdout
    items: list[dict[str, Any]] = json.loads(answer or '{"items": []}')["items"]
    return items


def _summary(
    jobs: Sequence[JobState], outputs: Mapping[str, Any], changes: Mapping[str, int], report: Progress
) -> list[str]:
    lines = ["", f"The stack `{pulumi.STACK}` is deployed{_changed(changes)}.", ""]
    lines.append(f"  namespaces: {', '.join(outputs['namespaces'])}")
    if operator := outputs.get("training_operator"):
        lines.append(f"  training operator: {versions.TRAINING_OPERATOR} in {operator['namespace']}")
    for name, nodes in outputs["pools"].items():
        lines.append(f"  pool {name}: {', '.join(nodes) or 'no node yet'}")
    lines.append("")
    width = max((len(job.name) for job in jobs), default=0)
    for job in jobs:
        note = f"accuracy {job.accuracy}" if job.accuracy else ""
        if job.simulated:
            note = "scheduled for real; no machine behind it runs the pod"
        lines.append(
            f"  {job.name:<{width}}  {job.state:<10} on {', '.join(job.nodes) or '-'}  {note}".rstrip()
        )
    lines += ["", "Time taken:"]
    for phase in report.phases:
        lines.append(f"  {phase.name:<40} {duration(phase.seconds)}")
    lines += ["", "Try next:", '  eval "$(.venv/bin/colo sandbox env)"', "  kubectl get nodes"]
    simulated = {job.name for job in jobs if job.simulated}
    for name, follow in (outputs.get("jobs") or {}).items():
        # No machine behind it, no log.
        lines += [f"  {text}" for what, text in follow.items() if what != "logs" or name not in simulated]
    lines += ["  make preview", "  make down", "", f"kubeconfig: {paths.kubeconfig()}"]
    return lines


def _changed(changes: Mapping[str, int]) -> str:
    """What the update did, in Pulumi's own count and words."""
    if not changes:  # it kept no history
        return ""
    done = {operation: number for operation, number in changes.items() if operation != "same"}
    if not done:
        return f": nothing has changed, all of its {changes['same']} resources were as declared"
    return ": " + ", ".join(f"{operation} {number}" for operation, number in sorted(done.items()))
