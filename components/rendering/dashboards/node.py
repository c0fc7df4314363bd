"""Machines: what node-exporter sees beneath the pods."""

from components.rendering.dashboards.parts import Dashboard, Panel, Query, Row, Threshold, Variable
from components.rendering.dashboards.promql import PER_SECOND, cpu, memory, requests

_WITH_NODE = 'node_uname_info{job="node-exporter"} * on (namespace, pod) group_left (node) '
_PODS = "group by (namespace, pod, node) (kube_pod_info"
_HOST = 'job="node-exporter", instance=~"$instance"'
_DISK = f'{_HOST}, fstype!~"tmpfs|overlay|squashfs|ramfs|iso9660", mountpoint!~"/var/lib/kubelet/.*"'
_NIC = f'{_HOST}, device!~"lo|veth.*|cali.*|cilium.*|lxc.*"'
_NODE = 'node=~"$node"'


def node() -> Dashboard:
    return Dashboard(
        name="node",
        title="Colocation / Nodes",
        description="CPU, memory, disk and network of machines, and the pods on them.",
        variables=(
            Variable(
                name="node",
                label="Node",
                query=f"query_result({_WITH_NODE}{_PODS}))",
                regex='/[{,]node="([^"]+)"/',
            ),
            # node-exporter knows its own address only; kube-state-metrics knows whose pod that is.
            Variable(
                name="instance",
                label="Instance",
                query=f"query_result({_WITH_NODE}{_PODS}{{{_NODE}}}))",
                regex='/[{,]instance="([^"]+)"/',
                hidden=True,
            ),
        ),
        rows=(_cpu(), _memory(), _disk_and_network(), _kubernetes()),
    )


def _cpu() -> Row:
    seconds = f"node_cpu_seconds_total{{{_HOST}"
    return Row(
        title="CPU",
        panels=(
            Panel(
                title="CPU used",
                description="Share of a machine's processors that is not idle.",
                unit="percentunit",
                maximum=1,
                thresholds=(Threshold(0.85, "orange"), Threshold(0.95, "red")),
                queries=(
                    Query(
                        expr=f'1 - avg by (instance) (rate({seconds}, mode="idle"}}{PER_SECOND}))',
                        legend="{{instance}}",
                    ),
                ),
            ),
            Panel(
                title="CPU stolen and waiting",
                description="Share of time that the hypervisor gave to other machines (steal), and that "
                "processors waited for disks (iowait). Stolen time slows online services first.",
                unit="percentunit",
                thresholds=(Threshold(0.05, "orange"), Threshold(0.2, "red")),
                queries=(
                    Query(
                        expr=f'avg by (instance, mode) (rate({seconds}, mode=~"steal|iowait"}}{PER_SECOND}))',
                        legend="{{instance}} {{mode}}",
                    ),
                ),
            ),
            Panel(
                title="Load by processor",
                description="Processes that run or want to, by processor. Above 1 they wait.",
                unit="short",
                thresholds=(Threshold(1, "orange"), Threshold(2, "red")),
                queries=(
                    Query(
                        expr=f"node_load5{{{_HOST}}} / on (instance) "
                        f'count by (instance) ({seconds}, mode="idle"}})',
                        legend="{{instance}}",
                    ),
                ),
            ),
        ),
    )


def _memory() -> Row:
    return Row(
        title="Memory",
        panels=(
            Panel(
                title="Memory used",
                description="Share of a machine's memory that nothing can get without taking it from others.",
                unit="percentunit",
                maximum=1,
                thresholds=(Threshold(0.85, "orange"), Threshold(0.95, "red")),
                queries=(
                    Query(
                        expr=f"1 - node_memory_MemAvailable_bytes{{{_HOST}}}"
                        f" / node_memory_MemTotal_bytes{{{_HOST}}}",
                        legend="{{instance}}",
                    ),
                ),
            ),
            Panel(
                title="Memory reclaimed",
                description="Pages that had to be read from disk again because memory was short, a second. "
                "Reclaim makes online services slow before anything is evicted.",
                unit="short",
                thresholds=(Threshold(500, "orange"), Threshold(1000, "red")),
                queries=(
                    Query(expr=f"rate(node_vmstat_pgmajfault{{{_HOST}}}{PER_SECOND})", legend="{{instance}}"),
                ),
            ),
            Panel(
                title="Processes killed for memory",
                description="By the kernel, in an hour, of containers and of the machine.",
                unit="short",
                thresholds=(Threshold(1, "red"),),
                queries=(
                    Query(expr=f"increase(node_vmstat_oom_kill{{{_HOST}}}[1h])", legend="{{instance}}"),
                ),
            ),
        ),
    )


def _disk_and_network() -> Row:
    return Row(
        title="Disk and network",
        panels=(
            Panel(
                title="Disk used",
                description="Share of each file system; at 85 % the kubelet begins to delete images, at "
                "90 % to evict pods.",
                unit="percentunit",
                maximum=1,
                thresholds=(Threshold(0.8, "orange"), Threshold(0.9, "red")),
                queries=(
                    Query(
                        expr=f"max by (instance, device) (1 - node_filesystem_avail_bytes{{{_DISK}}}"
                        f" / node_filesystem_size_bytes{{{_DISK}}})",
                        legend="{{instance}} {{device}}",
                    ),
                ),
            ),
            Panel(
                title="Disk busy",
                description="Share of time in which a disk worked. Near 1, reading training data is what "
                "everyone waits for.",
                unit="percentunit",
                maximum=1,
                thresholds=(Threshold(0.8, "orange"), Threshold(0.95, "red")),
                queries=(
                    Query(
                        expr=f"rate(node_disk_io_time_seconds_total{{{_HOST}}}{PER_SECOND})",
                        legend="{{instance}} {{device}}",
                    ),
                ),
            ),
            Panel(
                title="Network",
                description="Bytes a second that the machine receives, and, below zero, that it sends.",
                unit="Bps",
                queries=(
                    Query(
                        expr="sum by (instance) "
                        f"(rate(node_network_receive_bytes_total{{{_NIC}}}{PER_SECOND}))",
                        legend="{{instance}} in",
                    ),
                    Query(
                        expr="-sum by (instance) "
                        f"(rate(node_network_transmit_bytes_total{{{_NIC}}}{PER_SECOND}))",
                        legend="{{instance}} out",
                    ),
                ),
            ),
        ),
    )


def _kubernetes() -> Row:
    conditions = f'kube_node_status_condition{{{_NODE}, status="true"}}'
    return Row(
        title="What Kubernetes has there",
        panels=(
            Panel(
                title="Requests and use",
                description="What the node's pods request and use, as a share of what it can give.",
                unit="percentunit",
                thresholds=(Threshold(0.85, "orange"), Threshold(1, "red")),
                queries=(
                    _share(f"({requests('cpu', _NODE)})", "cpu", "CPU requested"),
                    _share(f"({cpu(_NODE)})", "cpu", "CPU used"),
                    _share(f"({requests('memory', _NODE)})", "memory", "memory requested"),
                    _share(f"({memory(_NODE)})", "memory", "memory used"),
                ),
            ),
            Panel(
                title="Pods on the node",
                description="Against the number that its kubelet takes.",
                unit="short",
                queries=(
                    Query(
                        expr=f"count by (node) (group by (namespace, pod, node) (kube_pod_info{{{_NODE}}})"
                        " * on (namespace, pod) group_left () group by (namespace, pod) "
                        '(kube_pod_status_phase{phase="Running"} == 1))',
                        legend="{{node}}",
                    ),
                    Query(
                        expr=f'kube_node_status_allocatable{{{_NODE}, resource="pods"}}',
                        legend="{{node}} at most",
                    ),
                ),
            ),
            Panel(
                title="Conditions",
                description="Ready should be there alone; a pressure means that the kubelet evicts pods.",
                kind="table",
                unit="short",
                columns=("node", "condition"),
                queries=(Query(expr=f"{conditions} == 1"),),
            ),
        ),
    )


def _share(expr: str, resource: str, what: str) -> Query:
    can_give = f'max by (node) (kube_node_status_allocatable{{{_NODE}, resource="{resource}"}})'
    return Query(
        expr=f"sum by (node) {expr} / on (node) {can_give}",
        legend=f"{{{{node}}}} {what}",
    )
