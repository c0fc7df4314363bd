"""What the rules know of a stack, and the limits that they hold its parts to."""

from dataclasses import dataclass
from typing import Self

from infra.models import Stack

_LATE_START_SECONDS = 600  # of a schedule that says no deadline for it


@dataclass(frozen=True, kw_only=True)
class Limits:
    """When something is too much or too long. Percentages are of 100; tests use shorter times."""

    node_cpu_percent: int = 85
    node_memory_percent: int = 90
    node_disk_percent: int = 95
    disk_filling_percent: int = 60
    """Below it, no pace of filling is worth a word."""
    disk_full_within_seconds: int = 24 * 3600
    cpu_steal_percent: int = 5
    reclaim_percent: int = 5
    """Of the time in which some process waits for memory to be made free."""
    reclaim_faults_per_second: int = 500
    """Where the node's kernel does not say that: pages read back from disk."""
    gpu_utilization_percent: int = 95
    gpu_celsius: int = 85
    gpu_idle_percent: int = 5
    gpu_idle_for: str = "30m"
    restarts_per_hour: int = 3
    """Of one container."""
    memory_limit_percent: int = 90
    offline_wait_seconds: int = 2 * 3600
    """Offline work waits for room; this long it may."""
    online_wait_seconds: int = 300
    evictions: int = 3
    """Of one offline pod within six hours."""
    throttled_percent: int = 25
    quota_percent: int = 90
    no_pods_seconds: int = 300
    job_restarts_per_hour: int = 5
    """Of all pods of a job together."""
    progress_seconds: int = 900
    checkpoint_seconds: int = 3600
    schedule_seconds: int = 300
    """Beside what a schedule allows itself: its controller looks only now and then."""
    loss_ratio: float = 1.2
    loss_window: str = "10m"
    loss_compared_with: str = "30m"
    """How long before."""
    hold: str | None = None
    """Instead of each rule's own `for`."""


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What of a stack the rules depend on."""

    namespaces: tuple[str, ...]
    """Of tenants: whose jobs are watched."""
    offline_classes: tuple[str, ...] = ()
    online_classes: tuple[str, ...] = ()
    gpus: bool = False
    """Whether there are GPU nodes, and so metrics of GPUs."""
    gpu_holders: bool = True
    """Whether these name the pod that holds the GPU; another exporter's may name the exporter itself."""
    schedules: tuple[str, ...] = ()
    """Names of scheduled jobs."""
    late_start_seconds: int = _LATE_START_SECONDS
    """How late a scheduled run may start."""
    limits: Limits = Limits()

    @classmethod
    def of(cls, stack: Stack, limits: Limits = Limits()) -> Self:
        """What a stack says."""
        schedules = [(job.name, job.schedule) for job in stack.jobs if job.schedule]
        return cls(
            namespaces=tuple(tenant.name for tenant in stack.tenants),
            offline_classes=stack.classes("offline"),
            online_classes=stack.classes("online"),
            gpus=bool(stack.gpu_pools()),
            gpu_holders=stack.monitoring is None or stack.monitoring.gpu_metrics.install,
            schedules=tuple(name for name, _ in schedules),
            late_start_seconds=max(
                (s.starting_deadline_seconds or _LATE_START_SECONDS for _, s in schedules),
                default=_LATE_START_SECONDS,
            ),
            limits=limits,
        )
