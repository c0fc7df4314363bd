"""Alerts of GPUs. Labels pod and namespace are those of the pod that holds the GPU, where it is known."""

from collections.abc import Iterator

from components.rendering.alerts.facts import Facts
from components.rendering.alerts.rule import NODE, PLATFORM, POD, TRAINING, VALUE, Alert, Text, label

_GPU = "node, gpu, UUID"
_HELD = f"{_GPU}, namespace, pod"
_ON = f"GPU {label('gpu')} of node {NODE}"
_ON_ZH = f"节点 {NODE} 的 GPU {label('gpu')}"
_BY_POD = f"{{{{ if $labels.pod }}}}, held by {POD}{{{{ end }}}}"
_BY_POD_ZH = f"{{{{ if $labels.pod }}}}（由 {POD} 占用）{{{{ end }}}}"


def alerts(facts: Facts) -> Iterator[Alert]:
    """What DCGM's default counters tell; nothing where the stack has no GPUs."""
    if not facts.gpus:
        return
    limits = facts.limits
    by = _HELD if facts.gpu_holders else _GPU
    yield Alert(
        name="GPUHighUtilization",
        for_="10m",
        severity="warning",
        team=TRAINING,
        expr=f"max by ({by}) (DCGM_FI_DEV_GPU_UTIL) > {limits.gpu_utilization_percent}",
        summary=Text(f"{_ON} is fully used", f"{_ON_ZH} 利用率过高"),
        description=Text(
            f"{_ON}{_BY_POD} has been at {VALUE} % for 10 minutes: memory or computing power is "
            "what the training waits for.",
            f"{_ON_ZH}{_BY_POD_ZH} 利用率为 {VALUE} %，已持续 10 分钟，显存或算力不足。",
        ),
    )
    yield Alert(
        name="GPUTemperatureHigh",
        for_="5m",
        severity="warning",
        team=PLATFORM,
        expr=f"max by ({by}) (DCGM_FI_DEV_GPU_TEMP) > {limits.gpu_celsius}",
        summary=Text(f"{_ON} is too hot", f"{_ON_ZH} 温度过高"),
        description=Text(
            f"{_ON}{_BY_POD} has {VALUE} degrees Celsius, and slows down to cool.",
            f"{_ON_ZH}{_BY_POD_ZH} 温度为 {VALUE} 摄氏度，会降频。",
        ),
    )
    # The gauge keeps the last code until the driver is loaded anew: only a change is news, also one in a gap
    # of the samples, and none is known of a GPU that was not seen before. Series begin and end with the pods
    # that hold the GPU, so the GPU is what is compared.
    xid = f"max by ({_GPU}) (DCGM_FI_DEV_XID_ERRORS)"
    xid_before = f"last_over_time({xid}[6h:1m] offset 15m)"
    yield Alert(
        name="GPUXidError",
        severity="critical",
        team=PLATFORM,
        expr=f"max by ({by}) (DCGM_FI_DEV_XID_ERRORS) > 0\nand on ({_GPU}) {xid} != {xid_before}",
        summary=Text(f"{_ON} reports XID {VALUE}", f"{_ON_ZH} 报告 XID {VALUE}"),
        description=Text(
            f"The driver has reported XID {VALUE} for {_ON}{_BY_POD} within the last 15 minutes.",
            f"驱动在最近 15 分钟内报告 {_ON_ZH}{_BY_POD_ZH} 出现 XID {VALUE}。",
        ),
    )
    rows = "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS"
    yield Alert(
        name="GPUMemoryErrors",
        severity="warning",
        team=PLATFORM,
        expr=f"max by ({_GPU}) ({rows}) - max by ({_GPU}) ({rows} offset 1h) > 0",
        summary=Text(f"Memory of {_ON} has ECC errors", f"{_ON_ZH} 显存出现 ECC 错误"),
        description=Text(
            f"Within an hour {VALUE} rows of the memory of {_ON} were replaced after errors that ECC cannot "
            "correct.",
            f"{_ON_ZH} 在一小时内有 {VALUE} 行显存因不可纠正的 ECC 错误被重映射。",
        ),
    )
    yield Alert(
        name="GPURowRemapFailed",
        severity="critical",
        team=PLATFORM,
        expr=f"max by ({_GPU}) (DCGM_FI_DEV_ROW_REMAP_FAILURE) > 0",
        summary=Text(f"{_ON} has no spare memory left", f"{_ON_ZH} 显存行重映射失败"),
        description=Text(
            f"A bad row of the memory of {_ON} could not be replaced; the GPU is to be exchanged.",
            f"{_ON_ZH} 的坏显存行无法重映射，需要更换 GPU。",
        ),
    )
    if not facts.gpu_holders:
        return
    yield Alert(
        name="GPUIdleThoughAllocated",
        for_=limits.gpu_idle_for,
        severity="warning",
        team=TRAINING,
        expr=f'max by ({by}) (DCGM_FI_DEV_GPU_UTIL{{pod!=""}}) < {limits.gpu_idle_percent}',
        summary=Text(
            f"{POD} holds a GPU and does not use it",
            f"{POD} 占用 GPU 但未使用",
        ),
        description=Text(
            f"{_ON} is held by {POD} and has been at {VALUE} % for {limits.gpu_idle_for}.",
            f"{_ON_ZH} 由 {POD} 占用，利用率仅 {VALUE} %，已持续 {limits.gpu_idle_for}。",
        ),
    )
