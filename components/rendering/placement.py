"""Where the pods of a job may go."""

from collections.abc import Sequence

from components.rendering.objects import Object, stated
from infra.models import PoolSpec, Taint
from infra.models.jobs import (
    AffinitySpec,
    JobSpec,
    NodeAffinityTerm,
    PodAffinityTerm,
    RoleSpec,
    TolerationSpec,
    TopologySpreadSpec,
)
from infra.vocabulary import GPU_MODEL_LABEL, JOB_NAME_LABEL, POOL_LABEL, TFJOB_POD_LABELS


def placement(job: JobSpec, role: RoleSpec, pool: PoolSpec | None) -> Object:
    """The part of a role's pod spec that the scheduler reads."""
    labels: dict[str, str] = {}
    tolerations: list[Object] = []
    if pool is not None and on_the_pool(job, role):
        labels = {POOL_LABEL: pool.name, **pool.labels}
        tolerations = [_tolerated(taint) for taint in (*pool.taints, *pool.foreign_taints)]
    labels |= job.node_selector
    if job.gpu_model is not None and role.resources.gpus:
        labels[GPU_MODEL_LABEL] = job.gpu_model
    rendered = {
        "nodeSelector": labels,
        "tolerations": [*tolerations, *(_toleration(t) for t in job.tolerations)],
        "affinity": _affinity(job.affinity),
        "topologySpreadConstraints": [_spread(spread) for spread in job.topology_spread],
    }
    return stated(rendered)


def on_the_pool(job: JobSpec, role: RoleSpec) -> bool:
    """Whether a role's pods go to the job's pool: not where that would crowd out GPU work.

    Where some roles of a job ask GPUs and others do not (parameter servers, an evaluator), those
    without stay off the pool and run wherever there is room.
    """
    job_uses_gpus = any(other.resources.gpus for _, other in job.roles())
    return bool(role.resources.gpus) or not job_uses_gpus


def _tolerated(taint: Taint) -> Object:
    return {"key": taint.key, "operator": "Equal", "value": taint.value, "effect": taint.effect}


def _toleration(toleration: TolerationSpec) -> Object:
    rendered = {
        "key": toleration.key,
        "operator": toleration.operator,
        "value": toleration.value,
        "effect": toleration.effect,
        "tolerationSeconds": toleration.toleration_seconds,
    }
    return stated(rendered)


def _affinity(affinity: AffinitySpec) -> Object:
    rendered = {
        "nodeAffinity": _node_affinity(affinity.node_affinity),
        "podAffinity": _pod_affinity(affinity.pod_affinity),
        "podAntiAffinity": _pod_affinity(affinity.pod_anti_affinity),
    }
    return stated(rendered)


def _node_affinity(terms: Sequence[NodeAffinityTerm]) -> Object:
    # Terms of a selector are alternatives, expressions of a term all hold: so one term.
    musts = [_expression(term) for term in terms if term.weight is None]
    wishes = [
        {"weight": term.weight, "preference": {"matchExpressions": [_expression(term)]}}
        for term in terms
        if term.weight is not None
    ]
    selector = {"nodeSelectorTerms": [{"matchExpressions": musts}]} if musts else {}
    return _by_strength(selector, wishes)


def _expression(term: NodeAffinityTerm) -> Object:
    return stated({"key": term.key, "operator": term.operator, "values": list(term.values)})


def _pod_affinity(terms: Sequence[PodAffinityTerm]) -> Object:
    musts = [_pod_term(term) for term in terms if term.weight is None]
    wishes = [
        {"weight": term.weight, "podAffinityTerm": _pod_term(term)}
        for term in terms
        if term.weight is not None
    ]
    return _by_strength(musts, wishes)


def _pod_term(term: PodAffinityTerm) -> Object:
    return {"labelSelector": {"matchLabels": dict(term.labels)}, "topologyKey": term.topology_key}


def _by_strength(musts: Object | list[Object], wishes: list[Object]) -> Object:
    rendered = {
        "requiredDuringSchedulingIgnoredDuringExecution": musts,
        "preferredDuringSchedulingIgnoredDuringExecution": wishes,
    }
    return stated(rendered)


def _spread(spread: TopologySpreadSpec) -> Object:
    """Over the job's own pods: those whose job is the pod's own, whatever a schedule calls the run."""
    return {
        "maxSkew": spread.max_skew,
        "topologyKey": spread.topology_key,
        "whenUnsatisfiable": spread.when_unsatisfiable,
        "labelSelector": {"matchLabels": dict(TFJOB_POD_LABELS)},
        "matchLabelKeys": [JOB_NAME_LABEL],
    }
