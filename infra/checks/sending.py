"""From a stack to the pods that it sends, with what the API server fills in before it looks at them."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Any

from components.rendering.start_pod import LIMITS, REQUESTS
from components.rendering.tfjob import tfjob_spec
from infra.checks.parts import CONTAINER_FIELDS, mapping, mappings
from infra.checks.pods import (
    KINDS,
    Container,
    Defaults,
    Kind,
    Pods,
    Requirement,
    Toleration,
    Workload,
)
from infra.models import JobSpec, PoolSpec, Stack
from infra.models.base import Loc
from infra.models.names import label_key
from infra.models.quantities import amount, count, cpu, memory
from infra.pod_resources import ContainerKind
from infra.vocabulary import GPU_RESOURCE, TENSORFLOW_CONTAINER, TRAINING_OPERATOR


def workloads(stack: Stack) -> Iterator[Workload]:
    """Every job with its pods, in the order of the stack."""
    pools = {pool.name: pool for pool in stack.pools}
    defaults = {tenant.name: Defaults.of(tenant.limit_range) for tenant in stack.tenants}
    for i, job in enumerate(stack.jobs):
        pool, given = pools.get(job.pool or ""), defaults.get(job.tenant, Defaults())
        yield Workload(place=("jobs", i), job=job, pods=tuple(_pods(("jobs", i), job, pool, given)))


def operator_pods(stack: Stack) -> Pods:
    """The training operator's own pod, which takes part in its namespace's quota."""
    spec = stack.training_operator
    limit_ranges = {tenant.name: tenant.limit_range for tenant in stack.tenants}
    resources = {
        "requests": spec.resources.requests.as_kubernetes(),
        "limits": spec.resources.limits.as_kubernetes(),
    }
    raw = {"name": TRAINING_OPERATOR, "resources": resources}
    place: Loc = ("training_operator",)
    container = _container(
        raw, "main", (*place, "resources"), {}, Defaults.of(limit_ranges.get(spec.namespace))
    )
    default = next((p.name for p in stack.priorities if p.global_default), None)
    return Pods(place=place, role=None, replicas=1, containers=(container,), priority=default)


def starting_pods(stack: Stack, tenant: str) -> Iterator[Pods]:
    """The pods that start runs and wait for them, which take part in the quota of their namespace too."""
    for i, job in enumerate(stack.jobs):
        if job.schedule is not None and job.tenant == tenant:
            raw = {"name": "start-run", "resources": {"requests": REQUESTS, "limits": LIMITS}}
            place: Loc = ("jobs", i, "schedule")
            yield Pods(
                place=place,
                role=None,
                # While one run replaces another, or runs beside it, there are two.
                replicas=1 if job.schedule.concurrency_policy == "Forbid" else 2,
                containers=(_container(raw, "main", place, {}, Defaults()),),
                priority=job.priority,
            )


def _pods(place: Loc, job: JobSpec, pool: PoolSpec | None, defaults: Defaults) -> Iterator[Pods]:
    sent = tfjob_spec(job, priority_class=job.priority, pool=pool)["tfReplicaSpecs"]
    of_the_job = _override_places(place, job.pod_overrides)
    written = {name: at for name, (at, _) in of_the_job.items()}
    for kind in ("init_containers", "sidecars"):
        written |= {c.name: (*place, kind, j, "resources") for j, c in enumerate(getattr(job, kind))}
    for (role, spec), replica in zip(job.roles(), sent.values(), strict=True):
        pod = mapping(replica["template"]["spec"])
        overrides = {**of_the_job, **_override_places((*place, role), spec.pod_overrides)}
        here = {**{name: at for name, (at, _) in overrides.items()}, **written}
        here[TENSORFLOW_CONTAINER] = (*place, role, "resources")
        containers = [
            _container(raw, kind, here[raw["name"]], overrides.get(raw["name"], ((), {}))[1], defaults)
            for kind, raw in _containers(pod)
        ]
        yield Pods(
            place=(*place, role),
            role=role,
            replicas=spec.replicas,
            containers=tuple(containers),
            priority=pod.get("priorityClassName"),
            node_terms=tuple(_node_terms(pod)),
            tolerations=tuple(_tolerations(pod.get("tolerations"))),
        )


def _containers(pod: Mapping[str, Any]) -> Iterator[tuple[ContainerKind, Any]]:
    """Those that run first come first, in their order: what a pod needs depends on it."""
    for _, raw in mappings((), pod.get("initContainers")):
        if isinstance(raw.get("name"), str):
            yield "sidecar" if raw.get("restartPolicy") == "Always" else "init", raw
    for _, raw in mappings((), pod.get("containers")):
        if isinstance(raw.get("name"), str):
            yield "main", raw


_Overrides = Mapping[tuple[Kind, str], Loc]
"""Where pod_overrides state amounts of one container."""


def _tolerations(value: Any) -> Iterator[Toleration]:
    if value is not None and not isinstance(value, list):
        yield Toleration(operator="Exists")  # what no list is says nothing that could be weighed
    yield from (Toleration.of(raw) for _, raw in mappings((), value))


def _override_places(place: Loc, raw_fields: Mapping[str, Any]) -> Mapping[str, tuple[Loc, _Overrides]]:
    """By container: its resources in pod_overrides, and each amount there."""
    found: dict[str, tuple[Loc, _Overrides]] = {}
    for listed in CONTAINER_FIELDS:
        for here, raw in mappings((*place, "pod_overrides", listed), raw_fields.get(listed)):
            name = raw.get("name")
            if isinstance(name, str):
                resources = mapping(raw.get("resources"))
                at: Loc = (*here, "resources")
                places = {(kind, r): (*at, kind, r) for kind in KINDS for r in mapping(resources.get(kind))}
                found[name] = at, places
    return found


def _container(
    raw: Mapping[str, Any],
    kind: ContainerKind,
    place: Loc,
    overrides: _Overrides,
    defaults: Defaults,
) -> Container:
    resources = mapping(raw.get("resources"))
    stated: dict[Kind, dict[str, str]] = {"requests": {}, "limits": {}}
    read: dict[Kind, dict[str, Decimal]] = {"requests": {}, "limits": {}}
    unreadable = []
    for which in KINDS:
        for resource, value in mapping(resources.get(which)).items():
            stated[which][resource] = str(value)
            try:
                read[which][resource] = _amount(resource, value)
            except (ValueError, TypeError) as error:
                where = overrides.get((which, resource), (*place, which, resource))
                text = f"{value!r} is not an amount; write one such as 2" if _no_scalar(value) else str(error)
                unreadable.append((where, text))
    # In this order: the API server copies limits that have no request, then the LimitRange acts.
    return Container(
        name=raw["name"],
        kind=kind,
        place=place,
        stated=stated,
        requests={**defaults.requests, **read["limits"], **read["requests"]},
        limits={**defaults.limits, **read["limits"]},
        unreadable=tuple(unreadable),
        overrides=overrides,
    )


def _no_scalar(value: Any) -> bool:
    return not isinstance(value, str | int | float)


@lru_cache(maxsize=4096, typed=True)  # a thousand jobs write the same few amounts
def _amount(resource: str, value: Any) -> Decimal:
    parsers = {"cpu": cpu, "memory": memory, "ephemeral-storage": memory}
    if resource.startswith("hugepages-"):
        return _pages(resource, value)
    if "/" in resource:
        label_key(resource)  # of the same form
        return amount(count(value))
    if resource not in parsers:
        near = GPU_RESOURCE if "gpu" in resource.lower() else "cpu, memory or ephemeral-storage"
        raise ValueError(f"{resource} is no resource of Kubernetes; write {near}")
    return amount(parsers[resource](value))


def _pages(resource: str, value: Any) -> Decimal:
    bytes_in_all, page = amount(memory(value)), amount(resource.removeprefix("hugepages-"))
    if not page or bytes_in_all % page:
        raise ValueError(f"{value!r} is not in whole pages; write a multiple of {resource[10:]}")
    return bytes_in_all


def _node_terms(pod: Mapping[str, Any]) -> Iterator[tuple[Requirement, ...]]:
    chosen = mapping(pod.get("nodeSelector")).items()
    selector: list[Requirement] = [(key, "In", (str(value),)) for key, value in chosen]
    affinity = mapping(mapping(pod.get("affinity")).get("nodeAffinity"))
    required = mapping(affinity.get("requiredDuringSchedulingIgnoredDuringExecution"))
    terms = [term for _, term in mappings((), required.get("nodeSelectorTerms"))] or [{}]
    for term in terms:
        wanted: list[Requirement] = [
            (str(raw.get("key")), str(raw.get("operator")), tuple(map(str, _list(raw.get("values")))))
            for _, raw in mappings((), term.get("matchExpressions"))
        ]
        yield (*selector, *wanted)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
