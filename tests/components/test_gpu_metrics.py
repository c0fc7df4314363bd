"""The exporter of GPU metrics: where it runs, what it may do, and how Prometheus reads it."""

import csv

import pytest

from components.gpu_metrics import GpuMetrics, GpuMetricsArgs
from components.rendering.monitoring.gpu_metrics import COUNTERS, PROFILING_COUNTERS
from infra.models import GpuMetricsSpec, PoolSpec
from infra.versions import DCGM_EXPORTER_IMAGE

DAEMON_SET = "kubernetes:apps/v1:DaemonSet"
SERVICE = "kubernetes:core/v1:Service"
CONFIG_MAP = "kubernetes:core/v1:ConfigMap"
NAMESPACE = "kubernetes:core/v1:Namespace"
QUOTA = "kubernetes:core/v1:ResourceQuota"
MONITOR = "kubernetes:monitoring.coreos.com/v1:ServiceMonitor"
POOLS = [
    {
        "name": "a100",
        "nodes": ["n1"],
        "taints": [{"key": "gpu", "value": "reserved", "effect": "NoSchedule"}],
        "foreign_taints": [{"key": "vendor", "effect": "NoExecute"}],
    },
    {
        "name": "t4",
        "nodes": ["n2"],
        "taints": [{"key": "gpu", "value": "reserved", "effect": "NoSchedule"}],
    },
]


@pytest.fixture
def exported(declare):
    """What is declared for two pools, from what the stack file says under `gpu_metrics:`."""

    def run(**spec):
        args = GpuMetricsArgs(
            spec=GpuMetricsSpec.model_validate(spec),
            pools=[PoolSpec.model_validate(pool) for pool in POOLS],
            monitoring_namespace="obs",
            labels={"release": "obs"},
        )
        return declare(lambda: GpuMetrics("gpu-metrics", args))

    return run


def pod(declared):
    return declared.only(DAEMON_SET).inputs["spec"]["template"]["spec"]


def container(declared):
    [found] = pod(declared)["containers"]
    return found


def counted(declared):
    [text] = declared.only(CONFIG_MAP).inputs["data"].values()
    return {row[0]: row for row in csv.reader(text.splitlines(), skipinitialspace=True)}


def test_g2_it_runs_on_nodes_of_gpu_pools_alone(exported):
    node = pod(exported())["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    assert node == {
        "nodeSelectorTerms": [
            {"matchExpressions": [{"key": "colocation.io/pool", "operator": "In", "values": ["a100", "t4"]}]}
        ]
    }


def test_it_tolerates_the_pools_taints_and_those_of_others_each_once(exported):
    tolerated = [(t["key"], t.get("value", ""), t["effect"]) for t in pod(exported())["tolerations"]]
    assert tolerated == [("gpu", "reserved", "NoSchedule"), ("vendor", "", "NoExecute")]


def test_it_takes_no_gpu_from_the_training(exported):
    assert not any("gpu" in name for part in container(exported())["resources"].values() for name in part)


def test_g4_without_profiling_it_has_no_capability_and_counts_nothing_that_needs_one(exported):
    declared = exported()
    assert container(declared)["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    assert counted(declared).keys() == COUNTERS.keys()
    assert not any("_PROF_" in name for name in counted(declared))


def test_g4_profiling_needs_one_capability(exported):
    declared = exported(profiling=True)
    assert container(declared)["securityContext"]["capabilities"] == {"drop": ["ALL"], "add": ["SYS_ADMIN"]}
    assert counted(declared).keys() == COUNTERS.keys() | PROFILING_COUNTERS.keys()


def test_g4_its_namespace_lets_it_mount_a_folder_of_the_node(exported):
    metadata = exported(namespace="gpus").only(NAMESPACE).inputs["metadata"]
    assert metadata["name"] == "gpus"
    assert metadata["labels"]["pod-security.kubernetes.io/enforce"] == "privileged"


def test_every_counter_is_a_line_that_the_exporter_reads(exported):
    for row in counted(exported(profiling=True)).values():
        assert len(row) == 3, row
        assert row[1] in ("gauge", "counter", "label")


def test_changed_counters_reach_the_pods(exported):
    names = {exported(profiling=on).only(CONFIG_MAP).inputs["metadata"]["name"] for on in (True, False)}
    assert len(names) == 2
    declared = exported()
    mounted = {volume["name"]: volume for volume in pod(declared)["volumes"]}["counters"]
    assert mounted["configMap"]["name"] == declared.only(CONFIG_MAP).inputs["metadata"]["name"]


def test_it_learns_from_the_kubelet_whose_a_gpu_is(exported):
    declared = exported()
    sockets = [volume["hostPath"] for volume in pod(declared)["volumes"] if "hostPath" in volume]
    assert sockets == [{"path": "/var/lib/kubelet/pod-resources"}]
    env = {entry["name"]: entry.get("value") for entry in container(declared)["env"]}
    assert env["DCGM_EXPORTER_KUBERNETES"] == "true"
    folder = {mount["name"]: mount["mountPath"] for mount in container(declared)["volumeMounts"]}["counters"]
    assert env["DCGM_EXPORTER_COLLECTORS"].startswith(f"{folder}/")


def test_image_and_runtime_class_are_those_of_the_stack_file_or_the_pinned_one(exported):
    assert container(exported())["image"] == DCGM_EXPORTER_IMAGE
    assert "runtimeClassName" not in pod(exported())
    declared = exported(image="mirror.example/dcgm-exporter:4", runtime_class="nvidia")
    assert container(declared)["image"] == "mirror.example/dcgm-exporter:4"
    assert pod(declared)["runtimeClassName"] == "nvidia"


def test_f1_the_monitor_selects_the_one_service_by_a_port_that_it_has(exported):
    declared = exported(namespace="gpus")
    service, monitor = declared.only(SERVICE).inputs, declared.only(MONITOR).inputs
    wanted = monitor["spec"]["selector"]["matchLabels"]
    assert wanted.items() <= service["metadata"]["labels"].items()
    assert monitor["spec"]["namespaceSelector"] == {"matchNames": ["gpus"]}
    [endpoint] = monitor["spec"]["endpoints"]
    assert [port["name"] for port in service["spec"]["ports"]] == [endpoint["port"]]
    assert service["metadata"]["labels"][monitor["spec"]["jobLabel"]] == "dcgm-exporter"
    labels = declared.only(DAEMON_SET).inputs["spec"]["template"]["metadata"]["labels"]
    assert service["spec"]["selector"].items() <= labels.items()
    assert (monitor["metadata"]["namespace"], monitor["metadata"]["labels"]) == ("obs", {"release": "obs"})


def test_g1_the_workloads_labels_win_and_an_idle_gpu_has_none(exported):
    [endpoint] = exported().only(MONITOR).inputs["spec"]["endpoints"]
    assert endpoint["honorLabels"] is True
    dropped = [rule["regex"] for rule in endpoint["relabelings"] if rule.get("action") == "labeldrop"]
    assert {"pod", "namespace", "container"} <= set(dropped[0].split("|"))


def test_clusters_that_bound_critical_pods_let_it_in(exported):
    declared = exported()
    assert pod(declared)["priorityClassName"] == "system-node-critical"
    [term] = declared.only(QUOTA).inputs["spec"]["scopeSelector"]["matchExpressions"]
    assert term["values"] == ["system-node-critical"]
    assert "gpu-metrics-critical" in declared.waits_for["gpu-metrics-exporter"]


def test_a_node_that_is_down_does_not_fail_an_update(exported):
    declared = exported()
    for kind in (DAEMON_SET, SERVICE):
        assert declared.only(kind).inputs["metadata"]["annotations"]["pulumi.com/skipAwait"] == "true"
