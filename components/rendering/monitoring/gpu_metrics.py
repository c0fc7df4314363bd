"""What is counted of GPUs, and how Prometheus reads it. Loads no Pulumi, so that checks may look at it."""

from collections.abc import Mapping

from components.rendering.objects import Object
from infra.vocabulary import APP_NAME_LABEL, METRICS_PORT

DCGM_EXPORTER = "dcgm-exporter"
"""The exporter's objects, and the `job` of its metrics."""
Counter = tuple[str, str]
"""Kind, as Prometheus has them or `label`, and help, which may hold no comma."""
COUNTERS: Mapping[str, Counter] = {
    "DCGM_FI_DRIVER_VERSION": ("label", "Version of the driver"),
    "DCGM_FI_DEV_GPU_UTIL": ("gauge", "Share of time in which the GPU worked (%)"),
    "DCGM_FI_DEV_MEM_COPY_UTIL": ("gauge", "Share of time in which its memory was read or written (%)"),
    "DCGM_FI_DEV_FB_USED": ("gauge", "Memory in use (MiB)"),
    "DCGM_FI_DEV_FB_FREE": ("gauge", "Memory that is free (MiB)"),
    "DCGM_FI_DEV_FB_RESERVED": ("gauge", "Memory that the driver keeps (MiB)"),
    "DCGM_FI_DEV_GPU_TEMP": ("gauge", "Temperature of the GPU (C)"),
    "DCGM_FI_DEV_MEMORY_TEMP": ("gauge", "Temperature of its memory (C)"),
    "DCGM_FI_DEV_POWER_USAGE": ("gauge", "Power (W)"),
    "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION": ("counter", "Energy since the driver started (mJ)"),
    "DCGM_FI_DEV_SM_CLOCK": ("gauge", "Clock of the multiprocessors (MHz)"),
    "DCGM_FI_DEV_MEM_CLOCK": ("gauge", "Clock of the memory (MHz)"),
    "DCGM_FI_DEV_XID_ERRORS": ("gauge", "Code of the last XID error; 0 is none"),
    "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL": ("counter", "Bits that ECC corrected since the driver started"),
    "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL": ("counter", "Errors of two bits since the driver started"),
    "DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS": ("counter", "Rows of memory replaced after corrected errors"),
    "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS": ("counter", "Rows of memory replaced after other errors"),
    "DCGM_FI_DEV_ROW_REMAP_FAILURE": ("gauge", "Whether a row of memory could not be replaced"),
    "DCGM_FI_DEV_PCIE_REPLAY_COUNTER": ("counter", "Transfers on PCIe that were tried again"),
    "DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL": ("counter", "Traffic on all NVLink lanes"),
}
PROFILING_COUNTERS: Mapping[str, Counter] = {
    "DCGM_FI_PROF_GR_ENGINE_ACTIVE": ("gauge", "Share of time in which the graphics engine worked"),
    "DCGM_FI_PROF_SM_ACTIVE": ("gauge", "Share of time in which a multiprocessor had work"),
    "DCGM_FI_PROF_SM_OCCUPANCY": ("gauge", "Share of the warps that a multiprocessor could hold"),
    "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE": ("gauge", "Share of time in which tensor cores worked"),
    "DCGM_FI_PROF_DRAM_ACTIVE": ("gauge", "Share of time in which memory moved data"),
    "DCGM_FI_PROF_PCIE_TX_BYTES": ("gauge", "Bytes a second sent on PCIe"),
    "DCGM_FI_PROF_PCIE_RX_BYTES": ("gauge", "Bytes a second received on PCIe"),
}
"""Volta and newer; only where the exporter has SYS_ADMIN."""


def gpu_monitor(namespace: str) -> Object:
    """A ServiceMonitor's `spec`. A GPU that no pod holds has no pod's labels, not those of the exporter."""
    return {
        "jobLabel": APP_NAME_LABEL,
        "namespaceSelector": {"matchNames": [namespace]},
        "selector": {"matchLabels": {APP_NAME_LABEL: DCGM_EXPORTER}},
        "endpoints": [
            {
                "port": METRICS_PORT,
                # Bug case G1: the exporter says whose the GPU is, and that wins.
                "honorLabels": True,
                "relabelings": [
                    {"sourceLabels": ["__meta_kubernetes_pod_node_name"], "targetLabel": "node"},
                    {"action": "labeldrop", "regex": "pod|namespace|container|service|endpoint"},
                ],
            }
        ],
    }
