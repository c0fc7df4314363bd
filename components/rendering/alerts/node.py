"""Alerts of nodes."""

from collections.abc import Iterator

from components.rendering.alerts.exprs import POD_WORKLOAD, at_node
from components.rendering.alerts.facts import Facts
from components.rendering.alerts.rule import COUNT, NODE, PERCENT, PLATFORM, Alert, Text, label

_FILES = 'fstype!~"tmpfs|ramfs|overlay|squashfs|iso9660|nsfs|fuse.*", mountpoint!~"/run/.+"'
_BY = "namespace, pod, instance"
_MOUNT = label("mountpoint")
_CONDITION = label("condition")


def alerts(facts: Facts) -> Iterator[Alert]:
    """What makes a node slow, full or lost."""
    limits = facts.limits
    yield Alert(
        name="NodeCPUHigh",
        for_="15m",
        severity="warning",
        team=PLATFORM,
        expr=at_node(
            f"""100 * (1 - sum by ({_BY}) (rate(node_cpu_seconds_total{{mode=~"idle|iowait"}}[5m]))
  / count by ({_BY}) (node_cpu_seconds_total{{mode="idle"}})) > {limits.node_cpu_percent}"""
        ),
        summary=Text(f"CPU of {NODE} is nearly used up", f"节点 {NODE} 的 CPU 接近用满"),
        description=Text(
            f"{PERCENT} of the CPU of node {NODE} has been busy for 15 minutes.",
            f"节点 {NODE} 的 CPU 使用率为 {PERCENT}，已持续 15 分钟。",
        ),
    )
    yield Alert(
        name="NodeMemoryHigh",
        for_="10m",
        severity="warning",
        team=PLATFORM,
        expr=at_node(
            "100 * (1 - node_memory_MemAvailable_bytes / node_memory_MemTotal_bytes)"
            f" > {limits.node_memory_percent}"
        ),
        summary=Text(f"Memory of {NODE} is nearly used up", f"节点 {NODE} 的内存接近用满"),
        description=Text(
            f"{PERCENT} of the memory of node {NODE} is in use; soon pods are evicted, offline ones first.",
            f"节点 {NODE} 的内存使用率为 {PERCENT}；即将开始驱逐 Pod，离线任务优先。",
        ),
    )
    yield from _disks(facts)
    yield Alert(
        name="NodeNotReady",
        for_="5m",
        severity="critical",
        team=PLATFORM,
        expr='max by (node) (kube_node_status_condition{condition="Ready", status="true"}) == 0',
        summary=Text(f"Node {NODE} is not ready", f"节点 {NODE} 未就绪"),
        description=Text(
            f"Node {NODE} has not been ready for 5 minutes; its pods are about to be moved.",
            f"节点 {NODE} 已有 5 分钟未就绪，其上的 Pod 即将被迁走。",
        ),
    )
    yield Alert(
        name="NodeUnderPressure",
        for_="2m",
        severity="warning",
        team=PLATFORM,
        expr="max by (node, condition) (kube_node_status_condition"
        '{condition=~"MemoryPressure|DiskPressure|PIDPressure", status="true"}) == 1',
        summary=Text(f"Node {NODE} runs short", f"节点 {NODE} 资源紧张"),
        description=Text(
            f"Node {NODE} says {_CONDITION}; the kubelet evicts pods, offline ones first.",
            f"节点 {NODE} 报告 {_CONDITION}，kubelet 会驱逐 Pod，离线任务优先。",
        ),
    )
    if facts.online_classes:
        yield from _beside_services(facts)


def _disks(facts: Facts) -> Iterator[Alert]:
    limits = facts.limits
    used = f"100 * (1 - node_filesystem_avail_bytes{{{_FILES}}} / node_filesystem_size_bytes)"
    writable = "node_filesystem_readonly == 0"
    yield Alert(
        name="NodeDiskFullSoon",
        for_="1h",
        severity="warning",
        team=PLATFORM,
        expr=at_node(
            f"{used} > {limits.disk_filling_percent}\nand {writable}\n"
            f"and predict_linear(node_filesystem_avail_bytes[6h], {limits.disk_full_within_seconds}) < 0",
            "device",
            "mountpoint",
        ),
        summary=Text(f"A disk of {NODE} will be full soon", f"节点 {NODE} 的磁盘即将写满"),
        description=Text(
            f"{PERCENT} of {_MOUNT} on node {NODE} is used; at the pace of the last 6 hours it is full "
            "within a day.",
            f"节点 {NODE} 的 {_MOUNT} 已用 {PERCENT}，按最近 6 小时的速度一天内写满。",
        ),
    )
    yield Alert(
        name="NodeDiskFull",
        for_="5m",
        severity="critical",
        team=PLATFORM,
        expr=at_node(f"{used} > {limits.node_disk_percent}\nand {writable}", "device", "mountpoint"),
        summary=Text(f"A disk of {NODE} is full", f"节点 {NODE} 的磁盘已满"),
        description=Text(
            f"{PERCENT} of {_MOUNT} on node {NODE} is used.",
            f"节点 {NODE} 的 {_MOUNT} 已用 {PERCENT}。",
        ),
    )


def _beside_services(facts: Facts) -> Iterator[Alert]:
    """What services feel first when training shares their node."""
    limits = facts.limits
    services = f'on (node) group by (node) ({POD_WORKLOAD}{{workload="online", node!=""}})'
    steal = at_node(
        f"""100 * sum by ({_BY}) (rate(node_cpu_seconds_total{{mode="steal"}}[5m]))
  / count by ({_BY}) (node_cpu_seconds_total{{mode="idle"}}) > {limits.cpu_steal_percent}"""
    )
    yield Alert(
        name="OnlineNodeCPUSteal",
        for_="10m",
        severity="warning",
        team=PLATFORM,
        expr=f"{steal}\nand {services}",
        summary=Text(
            f"The host takes CPU from {NODE}, where services run",
            f"运行在线服务的节点 {NODE} 被宿主机抢占 CPU",
        ),
        description=Text(
            f"{PERCENT} of the CPU time of node {NODE} goes to other machines of its host; services answer "
            "late, whatever training does.",
            f"节点 {NODE} 有 {PERCENT} 的 CPU 时间被宿主机占用，其上的在线服务时延会升高。",
        ),
    )
    # pgsteal and pgscan are not among what node-exporter shows unless told so; stalls and major faults are.
    reclaim = at_node(
        f"""100 * rate(node_pressure_memory_waiting_seconds_total[5m]) > {limits.reclaim_percent}
or rate(node_vmstat_pgmajfault[5m]) > {limits.reclaim_faults_per_second}
  unless on ({_BY}) node_pressure_memory_waiting_seconds_total"""
    )
    yield Alert(
        name="OnlineNodeMemoryReclaim",
        for_="10m",
        severity="warning",
        team=PLATFORM,
        expr=f"{reclaim}\nand {services}",
        summary=Text(
            f"{NODE}, where services run, waits for memory",
            f"运行在线服务的节点 {NODE} 正在等待内存回收",
        ),
        description=Text(
            f"Processes on node {NODE} wait for memory to be made free, and services answer late: {COUNT} % "
            "of the time, or as many pages read back each second.",
            f"节点 {NODE} 的进程在等待内存回收，在线服务时延会升高：{COUNT} % 的时间，或每秒重读的页数。",
        ),
    )
