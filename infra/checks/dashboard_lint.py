"""What a dashboard asks for that this monitoring stack does not have, so that its panels stay empty."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from promql_parser import Call, StringLiteral

from infra.checks.grafana_queries import CHOSEN, Asked, asked, readable
from infra.checks.series import dead_labels, dropped, from_exporters, misspelt
from infra.promql import PromqlError, Selector, labels_used, nodes, parse, selectors
from infra.vocabulary import MONITORING_RELEASE

_DEAD_LABELS = {
    "systemd_service_name": "container, since only pods are shown",
    # Of a collection of dashboards whose service discovery sets them.
    "vendor": "instance",
    "account": "instance",
    "iid": "instance",
}
_DEAD_METRICS = {
    "kubelet_running_pod_count": "kubelet_running_pods",
    "kubelet_running_container_count": "kubelet_running_containers",
    "kube_pod_container_resource_requests_cpu_cores": 'kube_pod_container_resource_requests{resource="cpu"}',
    "kube_pod_container_resource_requests_memory_bytes": (
        'kube_pod_container_resource_requests{resource="memory"}'
    ),
    "kube_pod_container_resource_limits_cpu_cores": 'kube_pod_container_resource_limits{resource="cpu"}',
    "kube_pod_container_resource_limits_memory_bytes": (
        'kube_pod_container_resource_limits{resource="memory"}'
    ),
    "kube_node_status_allocatable_cpu_cores": 'kube_node_status_allocatable{resource="cpu"}',
    "kube_node_status_allocatable_memory_bytes": 'kube_node_status_allocatable{resource="memory"}',
    "kube_node_status_capacity_cpu_cores": 'kube_node_status_capacity{resource="cpu"}',
    "kube_node_status_capacity_memory_bytes": 'kube_node_status_capacity{resource="memory"}',
}
_JOBS = {
    *("node-exporter", "kube-state-metrics", "kubelet", "apiserver", "coredns", "kube-controller-manager"),
    *("kube-scheduler", "kube-etcd", "kube-proxy", "dcgm-exporter", "training-operator", "training-pods"),
    *(f"{MONITORING_RELEASE}-{part}" for part in ("prometheus", "alertmanager", "operator", "grafana")),
}
"""`job` labels of the stack."""
_ELSEWHERE = {
    f"{MONITORING_RELEASE}-node-exporter": "node-exporter",
    f"{MONITORING_RELEASE}-prometheus-node-exporter": "node-exporter",
    "prometheus-node-exporter": "node-exporter",
    "node_exporter": "node-exporter",
    "node": "node-exporter",
    "kubernetes-node-exporter": "node-exporter",
    f"{MONITORING_RELEASE}-kube-state-metrics": "kube-state-metrics",
    "kube_state_metrics": "kube-state-metrics",
    "prometheus-kube-state-metrics": "kube-state-metrics",
    "kubernetes-cadvisor": "kubelet",
    "kubernetes-nodes": "kubelet",
    "kubernetes-nodes-cadvisor": "kubelet",
    "kubernetes-kubelet": "kubelet",
    "cadvisor": "kubelet",
    "kubernetes-apiservers": "apiserver",
    "kube-dns": "coredns",
    "etcd": "kube-etcd",
    "kubernetes-pods": "training-pods",
    "dcgm": "dcgm-exporter",
    "dcgm_exporter": "dcgm-exporter",
    "nvidia-dcgm-exporter": "dcgm-exporter",
    "gpu-metrics": "dcgm-exporter",
    "prometheus": f"{MONITORING_RELEASE}-prometheus",
    "alertmanager": f"{MONITORING_RELEASE}-alertmanager",
    "grafana": f"{MONITORING_RELEASE}-grafana",
}
"""Names by which dashboards from elsewhere call the same."""


@dataclass(frozen=True)
class Flaw:
    """One thing that leaves a panel empty."""

    code: str
    message: str
    """Begins with the panel, by its title."""
    remedy: str


def flaws(page: Mapping[str, Any], *, installed: bool, own_gpus: bool = True) -> Iterator[Flaw]:
    """Whatever a dashboard asks for in vain; the same thing once a panel.

    `installed`: the chart is installed with this project's values.
    `own_gpus`: the exporter of GPU metrics is this stack's.
    """
    seen: set[Flaw] = set()
    for question in asked(page):
        for flaw in _of(question, installed, own_gpus):
            if flaw not in seen:
                seen.add(flaw)
                yield flaw


def _of(question: Asked, installed: bool, own_gpus: bool) -> Iterator[Flaw]:
    where, text = question.where, question.promql
    try:
        expression = readable(text) if text else ""
    except PromqlError as error:
        yield Flaw(
            "dashboard-query",
            f"{where} asks what Prometheus cannot read ({error})",
            "mend it in Grafana, and export the dashboard again",
        )
        return
    if expression is None:
        return
    found = selectors(expression) if expression else ()
    yield from _labels(where, expression, found, question.legend, own_gpus)
    for selector in found:
        yield from _metric(where, selector)
        yield from _job(where, selector)
        if lacking := dropped(selector, throttling_kept=installed):
            series, remedy = lacking
            yield Flaw(
                "dashboard-dropped-series", f"{where} asks for {series}, which the chart drops", remedy
            )


def _labels(
    where: str, expression: str, found: tuple[Selector, ...], legend: str, own_gpus: bool
) -> Iterator[Flaw]:
    used = {label for s in found for label in s.labels if from_exporters(s.metric)}
    if all(from_exporters(s.metric) for s in found):  # also where only a label is asked for
        used |= labels_used(expression) if expression else set()
        used |= set(re.findall(r"\{\{\s*(\w+)\s*\}\}", legend))
    dead = {**dead_labels(found, own_gpus=own_gpus), **_DEAD_LABELS}
    for label in sorted(used & dead.keys() - _made(expression)):
        exported = label.startswith("exported_")
        yield Flaw(
            "dashboard-exported-label" if exported else "dashboard-dead-label",
            f"{where} uses the label {label}, which no exporter of this stack sets",
            f"write {dead[label]}",
        )


def _made(expression: str) -> set[str]:
    """Labels that the expression itself makes."""
    calls = [node for node in nodes(parse(expression)) if isinstance(node, Call)] if expression else []
    makers = [call for call in calls if call.func.name in ("label_replace", "label_join")]
    return {call.args[1].val for call in makers if isinstance(call.args[1], StringLiteral)}


def _metric(where: str, selector: Selector) -> Iterator[Flaw]:
    metric = selector.metric or ""
    if meant := misspelt(selector):
        series, near = meant
        yield Flaw(
            "dashboard-dead-metric", f"{where} asks for {series}, which no training serves", f"write {near}"
        )
    if metric in _DEAD_METRICS:
        yield Flaw(
            "dashboard-dead-metric",
            f"{where} asks for {metric}, which is gone",
            f"write {_DEAD_METRICS[metric]}",
        )
    for label, _, value in selector.matchers:
        if label == "name" and metric.startswith("container_") and re.match(r"\^?k8s_", value):
            yield Flaw(
                "dashboard-dead-label",
                f"{where} looks for containers by the name that Docker gave them (k8s_...)",
                'write container!=""',
            )


def _job(where: str, selector: Selector) -> Iterator[Flaw]:
    for label, operator, value in selector.matchers:
        if label != "job" or CHOSEN in value or operator not in ("=", "=~"):
            continue
        right = _ELSEWHERE.get(value) if operator == "=" else _right_of(value)
        if right:
            yield Flaw(
                "dashboard-foreign-job",
                f'{where} asks for job{operator}"{value}", and this stack calls it {right}',
                f'write job="{right}"',
            )


def _right_of(pattern: str) -> str | None:
    """What this stack calls the first job that a pattern means, unless it means one of this stack's."""
    try:
        means = re.compile(pattern)
    except (re.error, RecursionError, OverflowError):
        return None
    if any(means.fullmatch(job) for job in _JOBS):
        return None
    return next((right for other, right in _ELSEWHERE.items() if means.fullmatch(other)), None)
