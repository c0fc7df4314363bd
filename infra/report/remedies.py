"""What to do where Prometheus cannot tell something."""

from typing import Final

from infra.report.figures import Missing
from infra.report.window import Window, written

_CADVISOR = (
    "no container metrics of kubelets (container_cpu_usage_seconds_total with the label node)",
    "scrape the kubelets' /metrics/cadvisor, see docs/tasks/monitoring.md; simulated nodes have none",
)
_DCGM = (
    "no metrics of GPUs (DCGM_FI_DEV_GPU_UTIL)",
    "set monitoring.gpu_metrics.install: true, see docs/tasks/gpu-metrics.md; simulated GPUs have none",
)
_STATE = (
    "no metrics of kube-state-metrics",
    "colo doctor tells whether it is scraped",
)
_UNLIMITED = (
    "no container with a CPU limit ran, and only such are throttled",
    "give pods CPU limits if they shall be held back",
)
_REMEDIES: Final = {
    "cpu requested": _STATE,
    "memory requested": _STATE,
    "gpu requested": _STATE,
    "cpu used": _CADVISOR,
    "memory used": _CADVISOR,
    "gpu used": _DCGM,
    "gpu": ("no node has GPUs to give", "if there are some: does the device plugin run? colo doctor tells"),
    "throttled online": _UNLIMITED,
    "throttled offline": _UNLIMITED,
    "victims": (
        "the scheduler is not scraped",
        "managed control planes do not show theirs; pods gone between two scrapes are then not counted",
    ),
    "jobs": (
        "kube-state-metrics does not show TFJobs, or the stack has no tenants",
        "give it the state of custom resources, see docs/tasks/monitoring.md",
    ),
}


class NothingError(Exception):
    """Prometheus says nothing about the window at all; the message is one sentence, with the remedy."""

    def __init__(self, window: Window, refused: str | None) -> None:
        if refused is not None:
            super().__init__(
                f"Prometheus does not answer ({refused}); colo doctor tells what is wrong with it"
            )
        else:
            super().__init__(
                f"Prometheus has no metrics of nodes from {written(window.start)} to "
                f"{written(window.end)} UTC; choose a later window (what is older than "
                "monitoring.prometheus.retention is gone), or find out by colo doctor whether "
                "kube-state-metrics is scraped"
            )


def missing(what: str, refused: str | None) -> Missing:
    """Something that has no data, or about which the question was refused."""
    if refused is not None:
        return Missing(what, f"Prometheus refused the question ({refused})", "try a shorter window")
    return Missing(what, *_REMEDIES.get(what, _STATE))
