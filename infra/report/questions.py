"""What a Prometheus is asked for a report. The expressions are those of dashboards and alert rules.

Everything is aggregated by what it is of before it is summed, so that two scrapes of one thing, as of two
instances of kube-state-metrics, do not count twice.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from components.rendering.alerts.exprs import one_of
from components.rendering.dashboards.promql import (
    allocatable,
    class_matchers,
    cpu,
    memory,
    of_class,
    requests,
    throttling,
    victims,
)

Class = Literal["online", "offline", "system"]
CLASSES: Final[tuple[Class, ...]] = ("online", "offline", "system")
Resource = Literal["cpu", "memory", "gpu"]
RESOURCES: Final[tuple[Resource, ...]] = ("cpu", "memory", "gpu")

_NAMES = {"cpu": "cpu", "memory": "memory", "gpu": "nvidia_com_gpu"}
_PLACED = 'node!=""'
"""A pod that waits for a node holds nothing."""
_PRESENT = 'group(kube_node_status_allocatable{resource="cpu"})'
"""There while kube-state-metrics is."""
_JOB = "namespace, tfjob"
_POD = "namespace, pod, uid"


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What the questions depend on."""

    offline_classes: Sequence[str]
    tenants: Sequence[str]
    """Namespaces."""
    rate_seconds: int
    """Over which a rate is taken: a step, and four scrapes at least."""
    window_seconds: int
    look_seconds: int
    """Between two looks at jobs, which may be short."""


def courses(asked: Asked) -> Iterator[tuple[str, str]]:
    """Names and expressions of what is looked at in time; one series each."""
    matchers = class_matchers(asked.offline_classes)
    per = f"[{asked.rate_seconds}s]"
    for resource in RESOURCES:
        there = allocatable(_NAMES[resource])
        seen = _seen(resource)
        measured = f"{there} and on (node) {seen}"
        yield f"{resource} there", f"sum({there})"
        yield f"{resource} nodes", f"count({there} > 0)"
        yield f"{resource} measured", f"sum({measured})"
        yield f"{resource} nodes measured", f"count(({measured}) > 0)"
        asks = requests(_NAMES[resource], _PLACED)
        uses = _used(resource, per)
        for kind in CLASSES:
            of = matchers[kind]
            yield f"{resource} requested {kind}", _sum(of_class(asks, of, _PLACED), f"sum({there})")
            on_measured = f"({asks}) and on (node) {seen}"
            yield (
                f"{resource} requested where measured {kind}",
                _sum(of_class(on_measured, of, _PLACED), f"sum({measured})"),
            )
            yield f"{resource} used {kind}", _sum(of_class(uses, of, _PLACED), f"sum({uses})")
    throttled, periods = throttling(_PLACED, per)
    for kind in ("online", "offline"):
        yield f"throttled {kind}", f"sum({of_class(throttled, matchers[kind], _PLACED)})"
        yield f"periods {kind}", f"sum({of_class(periods, matchers[kind], _PLACED)})"
    if asked.tenants:
        yield "jobs running", f"sum({_condition('Running', asked)}) or 0 * {_PRESENT}"


def moments(asked: Asked) -> Iterator[tuple[str, str]]:
    """Names and expressions of what is counted over the window, at its end."""
    matchers, over = class_matchers(asked.offline_classes), f"[{asked.window_seconds}s]"
    reasons = {
        "preempted": 'kube_pod_status_disruption_reason{reason="PreemptionByScheduler"}',
        "evicted": 'kube_pod_status_reason{reason=~"Evicted|TerminationByKubelet"}',
    }
    for what, metric in reasons.items():
        for kind in ("online", "offline"):
            yield f"{what} {kind}", _pods_that_became(metric, matchers[kind], over)
    yield "victims", victims(over)
    if not asked.tenants:
        return
    owned = f'kube_pod_info{{created_by_kind="TFJob", namespace=~"{one_of(asked.tenants)}"}}'
    yield "pods of jobs", f"count(last_over_time({owned}{over}))"
    yield "started", _different("kube_tfjob_status_start_time", asked)
    for state in ("Succeeded", "Failed"):
        yield state.lower(), _different("kube_tfjob_status_completion_time", asked, state)
    yield "running", f"{_condition('Running', asked)} == 1"


def _seen(resource: Resource) -> str:
    """Nodes whose use somebody measures."""
    metric = "DCGM_FI_DEV_GPU_UTIL" if resource == "gpu" else "container_cpu_usage_seconds_total"
    return f"group by (node) ({metric}{{{_PLACED}}})"


def _used(resource: Resource, per: str) -> str:
    if resource == "gpu":  # in percent of the time in which anything runs on it
        return f"max by (namespace, pod, node, gpu) (DCGM_FI_DEV_GPU_UTIL{{{_PLACED}}}) / 100"
    each = cpu(_PLACED, per) if resource == "cpu" else memory(_PLACED)
    return f"max by (namespace, pod, container, node) ({each})"


def _sum(of_some: str, present: str) -> str:
    """Nothing of it is 0 where it would be seen, and unknown where it would not."""
    return f"sum({of_some}) or 0 * {present}"


def _condition(state: str, asked: Asked) -> str:
    of = f'condition="{state}", namespace=~"{one_of(asked.tenants)}"'
    return f"max by ({_JOB}) (kube_tfjob_status_condition{{{of}}})"


def _different(metric: str, asked: Asked, state: str | None = None) -> str:
    """The values that a metric of each job has had, as label `at`: one of each run of the name."""
    value = f'max by ({_JOB}) ({metric}{{namespace=~"{one_of(asked.tenants)}"}})'
    if state:
        value = f"{value} and on ({_JOB}) ({_condition(state, asked)} == 1)"
    looks = f"[{asked.window_seconds}s:{asked.look_seconds}s]"
    return f'count_over_time(count_values by ({_JOB}) ("at", {value}){looks})'


def _pods_that_became(metric: str, matcher: str, over: str) -> str:
    """How many pods are in a state that they were not in when the window began, also if they are gone."""
    ever = f"max by ({_POD}) (max_over_time({metric}{over})) == 1"
    before = f"max by ({_POD}) ({metric} offset {over.strip('[]')}) == 1"
    of_these = f"group by ({_POD}) (last_over_time(kube_pod_info{{{matcher}}}{over}))"
    known = f"group(last_over_time(kube_pod_info{over}))"
    return f"count(({ever} unless on ({_POD}) ({before})) and on ({_POD}) {of_these}) or 0 * {known}"
