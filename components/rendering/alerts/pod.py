"""Alerts of pods: those of services, and those of training."""

from collections.abc import Iterator

from components.rendering.alerts.exprs import made_for_a_run, of_workload, one_of
from components.rendering.alerts.facts import Facts
from components.rendering.alerts.rule import (
    BY_WORKLOAD,
    COUNT,
    DURATION,
    PERCENT,
    PLATFORM,
    POD,
    TRAINING,
    VALUE,
    Alert,
    Text,
    label,
)

_POD = "namespace, pod"
_CONTAINER = "namespace, pod, container"
_OF = f"Container {label('container')} of {label('workload')} pod {POD}"
_OF_ZH = f"Pod {POD}（{label('workload')}）的容器 {label('container')}"
_REASON = label("reason")
_RESOURCE, _QUOTA, _NAMESPACE = label("resource"), label("resourcequota"), label("namespace")


def alerts(facts: Facts) -> Iterator[Alert]:
    """What keeps a pod from running, or makes it run badly."""
    if facts.online_classes or facts.offline_classes:
        yield from _any_pod(facts)
    if facts.offline_classes:
        yield from _offline(facts)
    if facts.online_classes:
        yield from _online(facts)
    if facts.namespaces:
        yield _quota(facts)


def _any_pod(facts: Facts) -> Iterator[Alert]:
    limits = facts.limits
    yield Alert(
        name="PodRestarting",
        severity="warning",
        team=BY_WORKLOAD,
        expr=of_workload(
            f"max by ({_CONTAINER}) (increase(kube_pod_container_status_restarts_total[1h]))"
            f" > {limits.restarts_per_hour}"
        ),
        summary=Text(f"{POD} restarts again and again", f"{POD} 频繁重启"),
        description=Text(
            f"{_OF} has restarted {COUNT} times within an hour.",
            f"{_OF_ZH} 一小时内重启了 {COUNT} 次。",
        ),
    )
    yield Alert(
        name="PodOOMKilled",
        severity="warning",
        team=BY_WORKLOAD,
        expr=of_workload(f"""max by ({_CONTAINER}) (
  kube_pod_container_status_terminated_reason{{reason="OOMKilled"}} == 1
  or kube_pod_container_status_last_terminated_reason{{reason="OOMKilled"}} == 1
    and on ({_CONTAINER}) increase(kube_pod_container_status_restarts_total[15m]) > 0
)"""),
        summary=Text(f"{POD} was killed for its memory", f"{POD} 因内存超限被杀"),
        description=Text(
            f"{_OF} wanted more memory than its limit or its node has, and was killed (OOMKilled).",
            f"{_OF_ZH} 内存超过上限或节点所余，被杀死（OOMKilled）。",
        ),
    )
    yield Alert(
        name="PodNearMemoryLimit",
        for_="5m",
        severity="warning",
        team=BY_WORKLOAD,
        expr=of_workload(f"""100 * max by ({_CONTAINER}) (container_memory_working_set_bytes{{container!=""}})
  / max by ({_CONTAINER}) (kube_pod_container_resource_limits{{resource="memory"}})
  > {limits.memory_limit_percent}"""),
        summary=Text(f"{POD} is near its memory limit", f"{POD} 内存接近上限"),
        description=Text(
            f"{_OF} uses {PERCENT} of its memory limit, and is killed when it reaches it.",
            f"{_OF_ZH} 已使用内存上限的 {PERCENT}，达到上限会被杀死。",
        ),
    )
    reasons = "ImagePullBackOff|ErrImagePull|ErrImageNeverPull|InvalidImageName"
    yield Alert(
        name="PodImagePullFailing",
        for_="5m",
        severity="warning",
        team=BY_WORKLOAD,
        expr=of_workload(f"""max by ({_CONTAINER}) (
  kube_pod_container_status_waiting_reason{{reason=~"{reasons}"}}
  or kube_pod_init_container_status_waiting_reason{{reason=~"{reasons}"}}
) == 1"""),
        summary=Text(f"{POD} cannot get its image", f"{POD} 拉取镜像失败"),
        description=Text(
            f"{_OF} waits for an image that cannot be pulled.",
            f"{_OF_ZH} 的镜像无法拉取。",
        ),
    )


def _waiting(seconds: int) -> str:
    return f"""time() - max by ({_POD}) (kube_pod_created) > {seconds}
and max by ({_POD}) (kube_pod_status_phase{{phase="Pending"}}) == 1"""


def _offline(facts: Facts) -> Iterator[Alert]:
    limits = facts.limits
    yield Alert(
        name="OfflinePodPending",
        severity="warning",
        team=TRAINING,
        expr=of_workload(_waiting(limits.offline_wait_seconds), "offline"),
        summary=Text(f"{POD} has waited too long for room", f"{POD} 等待资源过久"),
        description=Text(
            f"Training pod {POD} has been pending for {DURATION}. Offline work waits for room, but not "
            "this long.",
            f"训练 Pod {POD} 已等待 {DURATION}。离线任务可以等待，但不应这么久。",
        ),
    )
    yield Alert(
        name="OfflinePodEvictedOften",
        severity="warning",
        team=TRAINING,
        expr=of_workload(
            f"count by ({_POD}) {made_for_a_run('6h')} - 1 >= {limits.evictions}",
            "offline",
        ),
        summary=Text(f"{POD} is preempted or evicted too often", f"{POD} 被抢占或驱逐过于频繁"),
        description=Text(
            f"Training pod {POD} was taken away and made again {VALUE} times within 6 hours; each time what "
            "it did after its last checkpoint was lost.",
            f"训练 Pod {POD} 在 6 小时内被移除并重建 {VALUE} 次，每次都会丢失最近检查点之后的进度。",
        ),
    )


def _online(facts: Facts) -> Iterator[Alert]:
    limits = facts.limits
    of = f'sum by ({_CONTAINER}) (rate(container_cpu_cfs_{{}}_total{{{{container!=""}}}}[5m]))'
    yield Alert(
        name="OnlinePodPending",
        severity="critical",
        team=PLATFORM,
        expr=of_workload(_waiting(limits.online_wait_seconds), "online"),
        summary=Text(f"Service pod {POD} does not start", f"在线服务 Pod {POD} 无法启动"),
        description=Text(
            f"Service pod {POD} has been pending for {DURATION}; services must not wait.",
            f"在线服务 Pod {POD} 已等待 {DURATION}，在线服务不应等待。",
        ),
    )
    yield Alert(
        name="OnlinePodEvicted",
        severity="warning",
        team=PLATFORM,
        expr=of_workload(
            f'max by ({_POD}, reason) (kube_pod_status_reason{{reason=~"Evicted|TerminationByKubelet"}})'
            " == 1",
            "online",
        ),
        summary=Text(f"Service pod {POD} was evicted", f"在线服务 Pod {POD} 被驱逐"),
        description=Text(
            f"The kubelet took service pod {POD} off its node ({_REASON}), which ran short although training "
            "should have gone first.",
            f"kubelet 驱逐了在线服务 Pod {POD}（{_REASON}）：节点资源不足，而本应先驱逐离线任务。",
        ),
    )
    yield Alert(
        name="OnlinePodCPUThrottled",
        for_="15m",
        severity="warning",
        team=PLATFORM,
        expr=of_workload(
            f"""100 * {of.format("throttled_periods")}
  / {of.format("periods")}
  > {limits.throttled_percent}""",
            "online",
        ),
        summary=Text(f"Service pod {POD} is throttled", f"在线服务 Pod {POD} CPU 被限流"),
        description=Text(
            f"{_OF} was held back by its CPU limit in {PERCENT} of all periods; it answers late.",
            f"{_OF_ZH} 在 {PERCENT} 的周期内被 CPU 上限限流，时延会升高。",
        ),
    )


def _quota(facts: Facts) -> Alert:
    of = f'namespace=~"{one_of(facts.namespaces)}"'
    by = "namespace, resourcequota, resource"
    return Alert(
        name="QuotaNearlyUsed",
        for_="15m",
        severity="info",
        team=TRAINING,
        expr=f"""100 * max by ({by}) (kube_resourcequota{{type="used", {of}}})
  / (max by ({by}) (kube_resourcequota{{type="hard", {of}}}) > 0)
  > {facts.limits.quota_percent}""",
        summary=Text(
            f"The quota of {_NAMESPACE} is nearly used up",
            f"命名空间 {_NAMESPACE} 的配额接近用满",
        ),
        description=Text(
            f"{PERCENT} of {_RESOURCE} in quota {_QUOTA} of namespace {_NAMESPACE} is used; more pods are "
            "refused.",
            f"命名空间 {_NAMESPACE} 的配额 {_QUOTA} 中 {_RESOURCE} 已使用 {PERCENT}，超出后 Pod 会被拒绝。",
        ),
    )
