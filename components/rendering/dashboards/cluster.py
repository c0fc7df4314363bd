"""The cluster as a whole: what it has, what is promised, what is used."""

from components.rendering.dashboards.parts import (
    NAMESPACE,
    Dashboard,
    Link,
    Panel,
    Query,
    Row,
    Threshold,
    Unit,
    link_to,
)
from components.rendering.dashboards.promql import CHOSEN, allocatable, cpu, memory, requests

_ANYWHERE = 'node!=""'
_UNSCHEDULED = 'kube_pod_status_scheduled{condition="false"}'


def cluster() -> Dashboard:
    return Dashboard(
        name="cluster",
        title="Colocation / Cluster",
        description="Capacity, requests and use of the whole cluster, by namespace.",
        variables=(NAMESPACE,),
        rows=(_state(), _against_capacity("CPU", "cpu"), _against_capacity("Memory", "memory"), _pods()),
    )


def _state() -> Row:
    ready = 'kube_node_status_condition{condition="Ready", status="true"}'
    under_pressure = (
        'kube_node_status_condition{condition=~"MemoryPressure|DiskPressure|PIDPressure", status="true"}'
    )
    return Row(
        title="State",
        panels=(
            Panel(
                title="Nodes ready",
                description="Nodes that take pods, as far as their kubelets say.",
                kind="stat",
                unit="short",
                queries=(Query(expr=f"sum({ready})"),),
                width=4,
                height=4,
            ),
            Panel(
                title="Nodes not ready",
                description="Nodes whose kubelet is silent or unwell.",
                kind="stat",
                unit="short",
                queries=(Query(expr=f"count({ready} == 0) or vector(0)"),),
                thresholds=(Threshold(1, "red"),),
                width=4,
                height=4,
            ),
            Panel(
                title="Nodes under pressure",
                description="Nodes that run out of memory, disk or process ids, and evict pods.",
                kind="stat",
                unit="short",
                queries=(Query(expr=f"sum(max by (node) ({under_pressure}))"),),
                thresholds=(Threshold(1, "red"),),
                width=4,
                height=4,
            ),
            Panel(
                title="Pods that find no node",
                description="Offline pods may wait; online ones should not. The pods' events say why.",
                kind="stat",
                unit="short",
                queries=(Query(expr=f"sum({_UNSCHEDULED}) or vector(0)"),),
                thresholds=(Threshold(1, "orange"),),
                width=4,
                height=4,
            ),
            _requested("CPU requested", "cpu"),
            _requested("Memory requested", "memory"),
        ),
    )


def _requested(title: str, resource: str) -> Panel:
    promised = f"sum({requests(resource, _ANYWHERE)})"
    return Panel(
        title=title,
        description="Share of what nodes can give that pods have been promised. Near 1 nothing new starts.",
        kind="stat",
        unit="percentunit",
        queries=(Query(expr=f"{promised} / sum({allocatable(resource)})"),),
        thresholds=(Threshold(0.8, "orange"), Threshold(0.95, "red")),
        width=4,
        height=4,
    )


def _against_capacity(title: str, resource: str) -> Row:
    used = cpu(CHOSEN) if resource == "cpu" else memory(CHOSEN)
    everywhere = cpu(_ANYWHERE) if resource == "cpu" else memory(_ANYWHERE)
    unit: Unit = "short" if resource == "cpu" else "bytes"
    measure = "Cores" if resource == "cpu" else "Bytes"
    return Row(
        title=title,
        panels=(
            Panel(
                title=f"{title} of the cluster",
                description=f"{measure} that nodes can give, that pods of all namespaces request, and that "
                "they use. Between requests and use is what offline work can fill.",
                unit=unit,
                queries=(
                    Query(
                        expr=f"sum({allocatable(resource)})",
                        legend="allocatable",
                    ),
                    Query(expr=f"sum({requests(resource, _ANYWHERE)})", legend="requested"),
                    Query(expr=f"sum({everywhere})", legend="used"),
                ),
            ),
            Panel(
                title=f"{title} used by namespace",
                description=f"{measure} that containers use.",
                unit=unit,
                stacked=True,
                queries=(Query(expr=f"sum by (namespace) ({used})", legend="{{namespace}}"),),
            ),
            Panel(
                title=f"{title} requested by namespace",
                description=f"{measure} that pods which have not ended request.",
                unit=unit,
                stacked=True,
                queries=(
                    Query(expr=f"sum by (namespace) ({requests(resource, CHOSEN)})", legend="{{namespace}}"),
                ),
            ),
        ),
    )


def _pods() -> Row:
    return Row(
        title="Pods",
        panels=(
            Panel(
                title="Pods by phase",
                description="Succeeded and Failed pods hold nothing, and stay until somebody deletes them.",
                unit="short",
                stacked=True,
                queries=(
                    Query(expr=f"sum by (phase) (kube_pod_status_phase{{{CHOSEN}}}) > 0", legend="{{phase}}"),
                ),
            ),
            Panel(
                title="Restarts of containers in an hour",
                description="By namespace; the reason stands in the pod's last state.",
                unit="short",
                thresholds=(Threshold(5, "orange"),),
                queries=(
                    Query(
                        expr="sum by (namespace) "
                        f"(increase(kube_pod_container_status_restarts_total{{{CHOSEN}}}[1h]))",
                        legend="{{namespace}}",
                    ),
                ),
            ),
            Panel(
                title="Use of nodes",
                description="Cores that the containers of each node use, as a share of what it can give. "
                "A click on a node shows it.",
                kind="table",
                unit="percentunit",
                thresholds=(Threshold(0.85, "orange"), Threshold(0.95, "red")),
                columns=("node",),
                value_column="CPU used",
                links=(
                    Link(
                        column="node",
                        title="Show the node",
                        url=link_to("node", node="${__value.text}"),
                    ),
                ),
                queries=(
                    Query(
                        expr=f"sum by (node) ({cpu(_ANYWHERE)})"
                        ' / max by (node) (kube_node_status_allocatable{resource="cpu"})'
                    ),
                ),
            ),
        ),
    )
