"""Parts of PromQL that several dashboards have in common.

What comes of kube-state-metrics is aggregated before it is joined: where its pod was replaced, there are two
series of everything for a while, and Prometheus refuses the whole question.
"""

from collections.abc import Sequence
from typing import Final

from components.rendering.alerts.exprs import one_of

PER_SECOND: Final = "[$__rate_interval]"
"""The range of a rate: Grafana makes it four scrapes at least, and no shorter than a point of the picture."""
CHOSEN: Final = 'namespace=~"$namespace"'
ALIVE: Final = 'group by (namespace, pod) (kube_pod_status_phase{phase=~"Pending|Running"} == 1)'
"""Pods that hold what they request; those that have ended are still shown, and hold nothing."""


def class_matchers(offline_classes: Sequence[str]) -> dict[str, str]:
    """Matchers of `kube_pod_info`, by what a pod is: online, offline or system.

    Pods that were there before there was a default class have none, and are services.
    """
    offline, system = one_of(offline_classes), "system-.*"
    return {
        "online": f'priority_class!~"{offline}|{system}"',
        "offline": f'priority_class=~"{offline}"',
        "system": f'priority_class=~"{system}"',
    }


def allocatable(resource: str, matchers: str = "") -> str:
    """What each node can give."""
    more = f", {matchers}" if matchers else ""
    return f'max by (node) (kube_node_status_allocatable{{resource="{resource}"{more}}})'


def cpu(matchers: str, per_second: str = PER_SECOND) -> str:
    """Cores that each container uses."""
    return f'rate(container_cpu_usage_seconds_total{{{matchers}, container!=""}}{per_second})'


def memory(matchers: str) -> str:
    """Bytes that each container uses and that the kernel cannot take back."""
    return f'container_memory_working_set_bytes{{{matchers}, container!=""}}'


def requests(resource: str, matchers: str) -> str:
    """What each container of a pod that is alive requests."""
    asked = f'kube_pod_container_resource_requests{{{matchers}, resource="{resource}"}}'
    each = f"max by (namespace, pod, container, node) ({asked})"
    return f"{each} * on (namespace, pod) group_left () {ALIVE}"


def of_jobs(expr: str) -> str:
    """A value of pods, as one of the chosen jobs that they belong to: label `tfjob`."""
    return f"sum by (namespace, tfjob) ({of_any_job(expr)})"


def of_pods_of_jobs(expr: str) -> str:
    """A value of pods, those of the chosen jobs only: labels `tfjob` and `pod`."""
    return f"sum by (namespace, tfjob, pod) ({of_any_job(expr)})"


def of_any_job(expr: str) -> str:
    """A value of pods, those of the chosen jobs only, with its own labels and `tfjob`."""
    label = "label_training_kubeflow_org_job_name"
    jobs = f'kube_pod_labels{{{CHOSEN}, {label}=~"$tfjob"}}'
    named = f'label_replace({jobs}, "tfjob", "$1", "{label}", "(.+)")'
    return f"({expr}) * on (namespace, pod) group_left (tfjob) group by (namespace, pod, tfjob) ({named})"


def of_class(expr: str, matcher: str, chosen: str = CHOSEN) -> str:
    """A value of pods, those of some priority classes only."""
    pods = f"group by (namespace, pod) (kube_pod_info{{{chosen}, {matcher}}})"
    return f"({expr}) * on (namespace, pod) group_left () {pods}"


def throttling(matchers: str, per: str) -> tuple[str, str]:
    """Periods in which a container's CPU limit held it back, and all of its periods, within a time."""
    throttled, periods = (
        f'increase(container_cpu_cfs_{what}_total{{{matchers}, container!=""}}{per})'
        for what in ("throttled_periods", "periods")
    )
    return throttled, periods


def victims(per: str) -> str:
    """Pods of any class that the scheduler deleted to make room, within a time, if it is scraped."""
    return f'sum(increase(scheduler_preemption_victims_sum{{job="kube-scheduler"}}{per}))'
