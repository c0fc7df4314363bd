"""Roles: how they end, and what they know of each other, as the operator's v1.9.4 has it."""

import re
from collections.abc import Collection, Iterator

from infra.checks.findings import Finding, Subject
from infra.models import JobSpec, RoleSpec
from infra.models.base import Loc
from infra.models.quantities import amount, canonical

_READS_TF_CONFIG = re.compile(
    r"TF_CONFIG|TFConfigClusterResolver|MultiWorkerMirrored|ParameterServerStrategy"
)


def check(subject: Subject) -> Iterator[Finding]:
    """Each job: when it has succeeded, what stays, and who gets a TF_CONFIG."""
    asking = {name for name, text in subject.scripts.items() if _READS_TF_CONFIG.search(text)}
    for i, job in enumerate(subject.stack.jobs):
        at = ("jobs", i)
        yield from _endings(at, job)
        yield from _success_policy(at, job)
        yield from _kept_parameter_servers(at, job)
        yield from _dynamic_workers(at, job)
        yield from _evaluator(at, job)
        yield from _without_tf_config(at, job, asking)


def _without_tf_config(at: Loc, job: JobSpec, asking: Collection[str]) -> Iterator[Finding]:
    """Bug case A14. A script that asks for nothing of the kind has no use for the advice."""
    if not job.distributed and (job.script is None or job.script in asking):
        yield Finding(
            severity="advice",
            code="no-tf-config",
            place=at,
            message="a single replica: the operator will not set TF_CONFIG",
            remedy="let the training run without one",
        )


def _endings(at: Loc, job: JobSpec) -> Iterator[Finding]:
    """Bug case A5: a pod that is started again after success never reaches phase Succeeded."""
    for role, spec in job.roles():
        if spec.restart_policy != "Always" or role not in ("chief", "worker"):
            continue
        leads = role == "chief" or job.chief is None
        yield Finding(
            severity="warning",
            code="role-never-ends",
            place=(*at, role, "restart_policy"),
            message=f"a {role} that has finished starts again, "
            + ("so the job never succeeds" if leads else "and trains until the chief has finished"),
            remedy="write OnFailure",
        )


def _success_policy(at: Loc, job: JobSpec) -> Iterator[Finding]:
    if job.success_policy is not None and job.chief is not None:
        yield Finding(
            severity="warning",
            code="success-policy-without-effect",
            place=(*at, "success_policy"),
            message="with a chief, the job has succeeded when the chief has, whatever stands here",
            remedy="remove it, or make the chief a worker",
        )


def _kept_parameter_servers(at: Loc, job: JobSpec) -> Iterator[Finding]:
    """Bug case A3: parameter servers do not end by themselves."""
    if job.ps is not None and job.run_policy.clean_pod_policy == "None":
        yield Finding(
            severity="warning",
            code="parameter-servers-stay",
            place=(*at, "run_policy", "clean_pod_policy"),
            message=f"the parameter servers run on after the job's end and keep {_held(job.ps)}",
            remedy="write Running, which leaves the logs of pods that have finished",
        )


def _held(role: RoleSpec) -> str:
    """What all pods of a role have set aside: a limit without a request counts as one."""
    asked = dict(role.resources.limits.given()) | dict(role.resources.requests.given())
    parts = [
        f"{canonical(amount(asked[name]) * role.replicas, binary=name == 'memory')} {word}"
        for name, word in (("cpu", "CPU"), ("memory", "of memory"))
        if name in asked
    ]
    if role.resources.gpus:
        parts.append(f"{role.resources.gpus * role.replicas} GPUs")
    return ", ".join(parts) or f"the place of {role.replicas} pods"


def _dynamic_workers(at: Loc, job: JobSpec) -> Iterator[Finding]:
    """The TF_CONFIG of dynamic workers names the parameter servers and the pod itself, nothing else:
    `convertClusterSpecToSparseClusterSpec` in the operator's tensorflow.go."""
    if not job.enable_dynamic_worker:
        return
    # A lone worker has no TF_CONFIG: there the field does nothing but let it outlive a preemption.
    if job.distributed and (job.worker is None or job.ps is None):
        lacking = "worker" if job.worker is None else "ps"
        yield Finding(
            severity="warning",
            code="dynamic-workers-alone",
            place=(*at, "enable_dynamic_worker"),
            message=f"dynamic workers know the parameter servers only, and there is no {lacking}",
            remedy=f"add {lacking}:, or remove enable_dynamic_worker",
        )
    for role, _ in job.roles():
        if role in ("chief", "evaluator"):
            yield Finding(
                severity="warning",
                code="dynamic-workers-hide-peers",
                place=(*at, role),
                message=f"with enable_dynamic_worker, the TF_CONFIG of a {role} names no other pod",
                remedy=f"remove the {role}, or remove enable_dynamic_worker",
            )


def _evaluator(at: Loc, job: JobSpec) -> Iterator[Finding]:
    if job.evaluator is not None and job.checkpoint_path is None:
        yield Finding(
            severity="advice",
            code="evaluator-without-checkpoints",
            place=(*at, "evaluator"),
            message="an evaluator reads the checkpoints of the others, and the job names no place for them",
            remedy="add checkpoint_path: <folder on a claim>",
        )
