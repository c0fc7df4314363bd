"""The cost of monitoring is that of its own pods, over the time between two of the kubelet's readings."""

from benchmarks import monitoring_cost


def summary(namespace, *, time, nanoseconds, memory=2**20):
    return {
        "podRef": {"name": "prometheus-0", "namespace": namespace},
        "memory": {"workingSetBytes": memory},
        "cpu": {"usageCoreNanoSeconds": nanoseconds, "time": time},
    }


def test_processor_time_is_counted_by_the_kubelets_own_clock():
    before = {"pods": [summary("monitoring", time="2026-11-30T12:00:00Z", nanoseconds=10**9)]}
    after = {
        "pods": [summary("monitoring", time="2026-11-30T12:00:10Z", nanoseconds=3 * 10**9, memory=2**21)]
    }
    readings = [monitoring_cost.readings(answer) for answer in (before, after)]
    rows = monitoring_cost.table(*readings, sandbox_bytes=2**30)
    assert rows[2:] == [
        "| prometheus-0 | 2 | 200 |",
        "| together | 2 | 200 |",
        "| the whole sandbox | 1024 |  |",
    ]


def test_pods_of_other_namespaces_are_not_counted():
    answer = {"pods": [summary("kubeflow", time="2026-11-30T12:00:00Z", nanoseconds=1)]}
    assert monitoring_cost.readings(answer) == {}
