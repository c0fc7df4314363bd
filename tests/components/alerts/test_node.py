"""When alerts of nodes and GPUs fire."""

import pytest

from components.rendering.alerts import layers
from tests.components.alerts.cases import ALWAYS, EXPORTER_POD, NEVER, SERVICE_POD, Case
from tests.components.alerts.conftest import FACTS

EXPORTER = 'namespace="monitoring", pod="node-exporter-1", instance="10.0.0.1:9100", job="node-exporter"'
ROOT = f'{EXPORTER}, device="/dev/sda1", mountpoint="/", fstype="ext4"'
ON_ROOT = {"node": "n1", "device": "/dev/sda1", "mountpoint": "/"}
GPU = 'node="g1", gpu="0", UUID="GPU-1"'
HELD = f'{GPU}, namespace="vision", pod="mnist-worker-0"'
OF_GPU = {"node": "g1", "gpu": "0", "UUID": "GPU-1"}
OF_HELD = {**OF_GPU, "namespace": "vision", "pod": "mnist-worker-0"}


def cpu(mode):
    return f'node_cpu_seconds_total{{{EXPORTER}, cpu="0", mode="{mode}"}}'


def of_node(metric):
    return f"{metric}{{{EXPORTER}}}"


def condition(name):
    return f'kube_node_status_condition{{node="n1", condition="{name}", status="true"}}'


CASES = {
    "NodeCPUHigh": Case(
        fires={EXPORTER_POD: ALWAYS, cpu("idle"): "0+6x60", cpu("user"): "0+54x60"},
        quiet={cpu("idle"): "0+12x60", cpu("user"): "0+48x60"},
        at="40m",
        labels={"node": "n1"},
        value="90",
    ),
    "NodeMemoryHigh": Case(
        fires={
            EXPORTER_POD: ALWAYS,
            of_node("node_memory_MemAvailable_bytes"): "5x60",
            of_node("node_memory_MemTotal_bytes"): "100x60",
        },
        quiet={of_node("node_memory_MemAvailable_bytes"): "20x60"},
        at="20m",
        labels={"node": "n1"},
        value="95",
    ),
    "NodeDiskFullSoon": Case(
        fires={
            EXPORTER_POD: ALWAYS,
            f"node_filesystem_avail_bytes{{{ROOT}}}": "400-1x300",
            f"node_filesystem_size_bytes{{{ROOT}}}": "1000x300",
            f"node_filesystem_readonly{{{ROOT}}}": NEVER,
        },
        quiet={f"node_filesystem_avail_bytes{{{ROOT}}}": "280x300"},
        at="120m",
        labels=ON_ROOT,
        value="72",
    ),
    "NodeDiskFull": Case(
        fires={
            EXPORTER_POD: ALWAYS,
            f"node_filesystem_avail_bytes{{{ROOT}}}": "20x300",
            f"node_filesystem_size_bytes{{{ROOT}}}": "1000x300",
            f"node_filesystem_readonly{{{ROOT}}}": NEVER,
        },
        quiet={f"node_filesystem_readonly{{{ROOT}}}": ALWAYS},
        at="20m",
        labels=ON_ROOT,
        value="98",
    ),
    "NodeNotReady": Case(
        fires={condition("Ready"): NEVER},
        quiet={condition("Ready"): ALWAYS},
        at="10m",
        labels={"node": "n1"},
    ),
    "NodeUnderPressure": Case(
        fires={condition("MemoryPressure"): ALWAYS},
        quiet={condition("MemoryPressure"): NEVER},
        at="10m",
        labels={"node": "n1", "condition": "MemoryPressure"},
    ),
    "OnlineNodeCPUSteal": Case(
        fires={
            EXPORTER_POD: ALWAYS,
            SERVICE_POD: ALWAYS,
            cpu("idle"): "0+20x60",
            cpu("steal"): "0+6x60",
        },
        quiet={SERVICE_POD: None},
        at="30m",
        labels={"node": "n1"},
        value="10",
    ),
    "OnlineNodeMemoryReclaim": Case(
        fires={
            EXPORTER_POD: ALWAYS,
            SERVICE_POD: ALWAYS,
            of_node("node_pressure_memory_waiting_seconds_total"): "0+6x60",
        },
        quiet={of_node("node_pressure_memory_waiting_seconds_total"): "0+1x60"},
        at="30m",
        labels={"node": "n1"},
        value="10",
    ),
    "GPUHighUtilization": Case(
        fires={f"DCGM_FI_DEV_GPU_UTIL{{{HELD}}}": "97x60"},
        quiet={f"DCGM_FI_DEV_GPU_UTIL{{{HELD}}}": "95x60"},
        at="15m",
        labels=OF_HELD,
        value="97",
    ),
    "GPUTemperatureHigh": Case(
        fires={f"DCGM_FI_DEV_GPU_TEMP{{{GPU}}}": "90x60"},
        quiet={f"DCGM_FI_DEV_GPU_TEMP{{{GPU}}}": "85x60"},
        at="15m",
        labels=OF_GPU,
        value="90",
    ),
    "GPUXidError": Case(  # the gauge keeps the last code for ever
        fires={f"DCGM_FI_DEV_XID_ERRORS{{{HELD}}}": "0x20 79x40"},
        quiet={f"DCGM_FI_DEV_XID_ERRORS{{{HELD}}}": "79x60"},
        at="25m",
        labels=OF_HELD,
        value="79",
    ),
    "GPUMemoryErrors": Case(
        fires={f"DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS{{{HELD}}}": "1x70 3x30"},
        quiet={f"DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS{{{HELD}}}": "3x100"},
        at="75m",
        labels=OF_GPU,
        value="2",
    ),
    "GPURowRemapFailed": Case(
        fires={f"DCGM_FI_DEV_ROW_REMAP_FAILURE{{{HELD}}}": ALWAYS},
        quiet={f"DCGM_FI_DEV_ROW_REMAP_FAILURE{{{HELD}}}": NEVER},
        at="5m",
        labels=OF_GPU,
    ),
    "GPUIdleThoughAllocated": Case(
        fires={f"DCGM_FI_DEV_GPU_UTIL{{{HELD}}}": "0x60"},
        quiet={f"DCGM_FI_DEV_GPU_UTIL{{{HELD}}}": None, f"DCGM_FI_DEV_GPU_UTIL{{{GPU}}}": "0x60"},
        at="40m",
        labels=OF_HELD,
        value="0",
    ),
}


def test_every_alert_of_nodes_has_a_case():
    assert CASES.keys() == {alert.name for alert in layers(FACTS)["node"]}


@pytest.mark.parametrize("name", CASES)
def test_it_fires_when_it_should_and_only_then(name, holds):
    holds(name, CASES[name])


def test_a_node_without_pressure_metrics_is_judged_by_its_page_faults(holds):
    faults, pressure = (
        of_node("node_vmstat_pgmajfault"),
        of_node("node_pressure_memory_waiting_seconds_total"),
    )
    series = {EXPORTER_POD: ALWAYS, SERVICE_POD: ALWAYS}
    fires = {**series, faults: "0+60000x60"}
    for quiet in ({faults: "0+600x60"}, {pressure: "0x60"}):
        case = Case(fires=fires, quiet=quiet, at="30m", labels={"node": "n1"}, value="1000")
        holds("OnlineNodeMemoryReclaim", case)


@pytest.mark.parametrize(
    ("fires", "quiet", "at"),
    [("0x20 _x60 79x40", "79x20 _x60 79x40", "85m"), ("0x5 79x40", "_x6 79x40", "18m")],
    ids=["after a gap", "at first sight"],
)
def test_an_xid_from_before_is_no_news(holds, fires, quiet, at):
    xid = f"DCGM_FI_DEV_XID_ERRORS{{{HELD}}}"
    holds("GPUXidError", Case(fires={xid: fires}, quiet={xid: quiet}, at=at, labels=OF_HELD, value="79"))


def test_an_xid_is_no_news_because_another_pod_holds_the_gpu(holds):
    free, held = f"DCGM_FI_DEV_XID_ERRORS{{{GPU}}}", f"DCGM_FI_DEV_XID_ERRORS{{{HELD}}}"
    holds(
        "GPUXidError",
        Case(
            fires={free: "13x20 stale", held: "_x20 79x40"},
            quiet={held: "_x20 13x40"},
            at="25m",
            labels=OF_HELD,
            value="79",
        ),
    )
