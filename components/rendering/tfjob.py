"""A TFJob as plain data. The rendering of jobs imports no Pulumi, so that checks may look at it too."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from components.rendering.objects import Object, stated
from components.rendering.pods import pod_template
from components.rendering.run_policy import run_policy
from infra.models import JobSpec, PoolSpec, RoleName
from infra.vocabulary import QUEUE_NAME_LABEL, TFJOB_KIND, TRAINING_API_VERSION

if TYPE_CHECKING:
    import pulumi

_ROLE_KEYS: Mapping[RoleName, str] = {
    "chief": "Chief",
    "worker": "Worker",
    "ps": "PS",
    "evaluator": "Evaluator",
}


def tfjob_manifest(
    spec: JobSpec,
    namespace: pulumi.Input[str],
    *,
    priority_class: pulumi.Input[str],
    pool: PoolSpec | None = None,
    script_name: pulumi.Input[str] | None = None,
    claims: Mapping[str, pulumi.Input[str]] | None = None,
    queue_name: pulumi.Input[str] | None = None,
) -> Object:
    """The whole object: of a job that runs once, or of one run of a scheduled job.

    With `queue_name` it waits in that queue: Kueue suspends it as it comes, and alone says when it goes on.
    """
    metadata = {
        "name": spec.name,
        "namespace": namespace,
        "labels": {**spec.labels, **({} if queue_name is None else {QUEUE_NAME_LABEL: queue_name})},
        "annotations": dict(spec.annotations),
    }
    rendered = tfjob_spec(
        spec,
        priority_class=priority_class,
        pool=pool,
        script_name=script_name,
        claims=claims,
        queued=queue_name is not None,
    )
    return {
        "apiVersion": TRAINING_API_VERSION,
        "kind": TFJOB_KIND,
        "metadata": stated(metadata),
        "spec": rendered,
    }


RESTARTED = ("OnFailure", "Always")
"""Restart policies under which the kubelet starts a container again, and the backoff limit counts it."""


def tfjob_spec(
    spec: JobSpec,
    *,
    priority_class: pulumi.Input[str],
    pool: PoolSpec | None = None,
    script_name: pulumi.Input[str] | None = None,
    claims: Mapping[str, pulumi.Input[str]] | None = None,
    queued: bool = False,
) -> Object:
    """The object's `spec`.

    `pool` is the pool that the job names, `script_name` the ConfigMap of its script, and `claims` the
    claims by the name of their storage: one that is not among them renders under its storage's name.
    """
    replicas = {}
    for role, replica in spec.roles():
        template = pod_template(
            spec,
            replica,
            priority_class=priority_class,
            pool=pool,
            script_name=script_name,
            claims=claims or {},
        )
        replicas[_ROLE_KEYS[role]] = {
            "replicas": replica.replicas,
            "restartPolicy": replica.restart_policy,
            "template": template,
        }
    rendered = {
        "runPolicy": run_policy(spec, queued=queued),
        "successPolicy": spec.success_policy,
        "enableDynamicWorker": spec.enable_dynamic_worker or outlives_preemption(spec) or None,
        "tfReplicaSpecs": replicas,
    }
    return stated(rendered)


def outlives_preemption(spec: JobSpec) -> bool:
    """Whether dynamic workers let a job outlive its preemption, and change nothing else of it.

    The operator takes a running pod that is being deleted for a failed one, and fails the job whatever
    the restart policy says, but for dynamic workers (`UpdateJobStatus` of v1.9.4, kubeflow/trainer#2124).
    A lone worker has no TF_CONFIG, which is what else they change. Where the kubelet does not start it
    again, and so the backoff limit counts nothing, a training that has failed would never fail its job.
    """
    return not spec.distributed and spec.worker is not None and spec.worker.restart_policy in RESTARTED
