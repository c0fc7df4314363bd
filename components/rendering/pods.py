"""The pods of one role of a job."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from components.rendering.containers import container_beside, training_container
from components.rendering.objects import Object, stated
from components.rendering.overrides import merged
from components.rendering.placement import placement
from components.rendering.volumes import script_mount, volume_mounts, volumes
from infra.models import PoolSpec
from infra.models.jobs import JobSpec, RoleSpec, SecuritySpec
from infra.vocabulary import ISTIO_INJECT, JOB_LABEL

if TYPE_CHECKING:
    import pulumi

# A sidecar of Istio's outlives the training, and the pod never completes. The TFJob's own metadata
# does not reach its pods, so each template says so, as label and annotation for new and old Istio.
_NO_ISTIO = {ISTIO_INJECT: "false"}
_KUBERNETES_GRACE_PERIOD_SECONDS = 30


def pod_template(
    job: JobSpec,
    role: RoleSpec,
    *,
    priority_class: pulumi.Input[str],
    pool: PoolSpec | None,
    script_name: pulumi.Input[str] | None,
    claims: Mapping[str, pulumi.Input[str]],
) -> Object:
    """Metadata and spec of a role's pods; the `pod_overrides` of job and role have the last word."""
    mounts = volume_mounts(job)
    grace = job.termination_grace_period_seconds
    pod = {
        "priorityClassName": priority_class,
        **placement(job, role, pool),
        "securityContext": _security_context(job.security),
        # Python as process 1 does not hear SIGTERM, and each stop would take the whole grace
        # period; with the pod's processes in one namespace, the pause process is number 1.
        "shareProcessNamespace": True,
        # What Kubernetes does unasked stays unsaid: each word more is a new run of every job.
        "terminationGracePeriodSeconds": None if grace == _KUBERNETES_GRACE_PERIOD_SECONDS else grace,
        "serviceAccountName": job.service_account,
        "automountServiceAccountToken": job.service_account is not None,
        "enableServiceLinks": False,
        "initContainers": _init_containers(job, mounts),
        "containers": [training_container(job, role, [*mounts, *script_mount(job)])],
        "volumes": volumes(job, script_name, claims),
        "imagePullSecrets": [{"name": secret} for secret in job.image_pull_secrets],
    }
    overridden = merged(merged(stated(pod), job.pod_overrides), role.pod_overrides)
    return {"metadata": _metadata(job), "spec": overridden}


def _init_containers(job: JobSpec, mounts: list[Object]) -> list[Object]:
    """Those that end, then those that run on.

    A sidecar is an init container that is always restarted: the training need not wait for its end,
    and it is stopped when the training has ended. It comes after the others since it belongs to the
    training, and may count on what they have fetched; before them, its requests would add to theirs.
    """
    ending = [container_beside(beside, job, mounts) for beside in job.init_containers]
    running = [container_beside(beside, job, mounts) | {"restartPolicy": "Always"} for beside in job.sidecars]
    return ending + running


def _metadata(job: JobSpec) -> Object:
    # Runs of a schedule have names of their own: what belongs together is told apart by this label.
    of_schedule = {JOB_LABEL: job.name} if job.schedule is not None else {}
    return {
        "labels": {**job.labels, **of_schedule, **_NO_ISTIO},
        "annotations": {**job.annotations, **_NO_ISTIO},
    }


def _security_context(security: SecuritySpec) -> Object:
    group = security.fs_group
    rendered = {
        "runAsNonRoot": security.run_as_non_root,
        "runAsUser": security.run_as_user,
        "runAsGroup": security.run_as_group,
        "fsGroup": group,
        # Else each start walks through every file of a large volume.
        "fsGroupChangePolicy": None if group is None else "OnRootMismatch",
        "seccompProfile": {"type": "RuntimeDefault"},
    }
    return stated(rendered)
