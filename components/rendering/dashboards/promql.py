"""Parts of PromQL that several dashboards have in common.

What comes of kube-state-metrics is aggregated before it is joined: where its pod was replaced, there are two
series of everything for a while, and Prometheus refuses the whole question.
"""

from typing import Final

PER_SECOND: Final = "[$__rate_interval]"
"""The range of a rate: Grafana makes it four scrapes at least, and no shorter than a point of the picture."""
CHOSEN: Final = 'namespace=~"$namespace"'
ALIVE: Final = 'group by (namespace, pod) (kube_pod_status_phase{phase=~"Pending|Running"} == 1)'
"""Pods that hold what they request; those that have ended are still shown, and hold nothing."""


def cpu(matchers: str) -> str:
    """Cores that each container uses."""
    return f'rate(container_cpu_usage_seconds_total{{{matchers}, container!=""}}{PER_SECOND})'


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


def of_class(expr: str, matcher: str) -> str:
    """A value of pods, those of some priority classes only."""
    pods = f"group by (namespace, pod, priority_class) (kube_pod_info{{{CHOSEN}, {matcher}}})"
    return f"({expr}) * on (namespace, pod) group_left (priority_class) {pods}"
