"""Two hours of a small cluster, minute by minute, whose figures can be worked out by hand.

n1 has 10 cores and 100 GiB and is measured; n3 has 10 cores, 100 GiB and 4 GPUs, of which DCGM tells; n2, as
large as n1, joins for the second hour and nobody measures it. Two instances of kube-state-metrics say
everything twice.
"""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

BEGIN = datetime(2026, 1, 1, 8, tzinfo=UTC)
END = BEGIN + timedelta(hours=2)
WINDOW = ("--from", BEGIN.isoformat(), "--to", END.isoformat())
GIB = 2**30
ALWAYS = (-200, 121)
"""Minutes from the beginning, the last one excluded."""


def samples(*without: str) -> str:
    """In OpenMetrics' notation; `without` metrics whose names begin so."""
    written: dict[str, list[str]] = {}
    for metric, labels, lasting, value in (*_state(), *_use(), *_jobs(), *_trouble()):
        if without and metric.startswith(without):
            continue
        pairs = ",".join(f'{name}="{text}"' for name, text in labels.items())
        for minute in range(*lasting):
            at = int((BEGIN + timedelta(minutes=minute)).timestamp())
            written.setdefault(metric, []).append(f"{metric}{{{pairs}}} {float(value(minute))} {at}")
    lines = [line for of_metric in written.values() for line in of_metric]
    return "\n".join((*lines, "# EOF\n"))


_Series = tuple[str, dict[str, str], tuple[int, int], Callable[[int], float]]


def _twice(metric: str, labels: dict[str, str], lasting: tuple[int, int], value: float) -> Iterator[_Series]:
    for instance in ("ksm-1", "ksm-2"):
        yield metric, {**labels, "instance": instance}, lasting, lambda _: value


# pod -> namespace, class, node, cores, GiB, GPUs requested, phase
_PODS = {
    "web": ("shop", "online-high", "n1", 4.0, 10, 0, "Running"),
    "legacy": ("shop", "", "n1", 0.5, 2, 0, "Running"),
    "proxy": ("kube-system", "system-node-critical", "n1", 1.0, 1, 0, "Running"),
    "train": ("vision", "offline-low", "n1", 2.0, 20, 0, "Running"),
    "gpu-train": ("vision", "offline-low", "n3", 1.0, 5, 2, "Running"),
    "waiting": ("vision", "offline-low", "", 100.0, 900, 4, "Pending"),
    "done": ("vision", "offline-low", "n1", 5.0, 50, 0, "Succeeded"),
}


def _state() -> Iterator[_Series]:
    metric = "kube_node_status_allocatable"
    for node, lasting in (("n1", ALWAYS), ("n2", (60, 121)), ("n3", ALWAYS)):
        yield from _twice(metric, {"node": node, "resource": "cpu"}, lasting, 10)
        yield from _twice(metric, {"node": node, "resource": "memory"}, lasting, 100 * GIB)
    yield from _twice(metric, {"node": "n3", "resource": "nvidia_com_gpu"}, ALWAYS, 4)
    for pod, (namespace, of, node, cores, gib, gpus, phase) in _PODS.items():
        named = {"namespace": namespace, "pod": pod}
        known = {**named, "uid": pod, "node": node} | ({"priority_class": of} if of else {})
        known |= {"created_by_kind": "TFJob"} if namespace == "vision" else {}
        yield from _twice("kube_pod_info", known, ALWAYS, 1)
        for each in ("Pending", "Running", "Succeeded"):
            yield from _twice("kube_pod_status_phase", {**named, "phase": each}, ALWAYS, each == phase)
        asked = {"cpu": cores, "memory": gib * GIB, "nvidia_com_gpu": gpus}
        for resource, amount in asked.items():
            labels = {**named, "container": "c", "node": node, "resource": resource}
            if amount:
                yield from _twice("kube_pod_container_resource_requests", labels, ALWAYS, amount)


def _counter(per_minute: float, restarts_at: int | None = None) -> Callable[[int], float]:
    """Grows evenly; begins at 0 again in that minute."""

    def value(minute: int) -> float:
        since = restarts_at if restarts_at is not None and minute >= restarts_at else ALWAYS[0]
        return per_minute * (minute - since)

    return value


def _use() -> Iterator[_Series]:
    used = {"web": (1.0, 5), "legacy": (0.25, 1), "proxy": (0.5, 1), "train": (3.0, 10)}
    for pod, (cores, gib) in used.items():
        labels = {"namespace": _PODS[pod][0], "pod": pod, "container": "c", "node": "n1"}
        restarts_at = 30 if pod == "web" else None
        yield "container_cpu_usage_seconds_total", labels, ALWAYS, _counter(60 * cores, restarts_at)
        yield "container_memory_working_set_bytes", labels, ALWAYS, lambda _, gib=gib: gib * GIB
    for pod, throttled in (("web", 60), ("train", 300)):
        labels = {"namespace": _PODS[pod][0], "pod": pod, "container": "c", "node": "n1"}
        yield "container_cpu_cfs_periods_total", labels, ALWAYS, _counter(600)
        yield "container_cpu_cfs_throttled_periods_total", labels, ALWAYS, _counter(throttled)
    for gpu, percent in enumerate((80, 40, 0, 0)):
        holder = {"namespace": "vision", "pod": "gpu-train"} if percent else {}
        labels = {"node": "n3", "gpu": str(gpu), **holder}
        yield "DCGM_FI_DEV_GPU_UTIL", labels, ALWAYS, lambda _, percent=percent: percent


def _job(
    name: str, lasting: tuple[int, int], started: int, ended: int | None, state: str
) -> Iterator[_Series]:
    """A run that is shown for a while; times in minutes from the beginning."""
    labels = {"namespace": "vision", "tfjob": name}
    at = BEGIN.timestamp()
    yield from _twice("kube_tfjob_status_start_time", labels, lasting, at + 60 * started)
    alive = (lasting[0], ended if ended is not None else lasting[1])
    if alive[0] < alive[1]:  # the samples of a series are in order
        yield from _twice("kube_tfjob_status_condition", {**labels, "condition": "Running"}, alive, 1)
    if ended is not None:
        over = (max(ended, lasting[0]), lasting[1])
        yield from _twice("kube_tfjob_status_completion_time", labels, over, at + 60 * ended)
        yield from _twice("kube_tfjob_status_condition", {**labels, "condition": state}, over, 1)
        yield from _twice("kube_tfjob_status_condition", {**labels, "condition": "Running"}, over, 0)


def _jobs() -> Iterator[_Series]:
    yield from _job("mnist", (10, 55), 10, 40, "Succeeded")
    yield from _job("mnist", (60, 90), 60, 75, "Failed")
    yield from _job("old", (-190, 121), -120, -60, "Succeeded")  # still shown
    yield from _job("long", (-60, 121), -60, None, "Running")
    yield from _job("gone", (20, 50), 20, None, "Running")


def _trouble() -> Iterator[_Series]:
    for pod, of, lasting, reason in (
        ("a", "offline-low", (30, 31), "PreemptionByScheduler"),
        ("b", "offline-low", (70, 71), "PreemptionByScheduler"),
        ("c", "online-high", (80, 121), "Evicted"),
        ("d", "online-high", (-100, 121), "Evicted"),  # before the window, and still shown
    ):
        known = {"namespace": "shop", "pod": pod, "uid": pod}
        yield from _twice("kube_pod_info", {**known, "priority_class": of, "node": "n1"}, lasting, 1)
        metric = "kube_pod_status_reason" if reason == "Evicted" else "kube_pod_status_disruption_reason"
        yield from _twice(metric, {**known, "reason": reason}, lasting, 1)
    victims = {"job": "kube-scheduler"}
    yield "scheduler_preemption_victims_sum", victims, ALWAYS, lambda minute: 3 + 2 * (minute >= 30)
