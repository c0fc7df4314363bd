"""The sandbox has a monitoring stack that works: what it measures, and what it takes up."""

from __future__ import annotations

import json

import pytest
import yaml

from infra.vocabulary import ALERTMANAGER_CONFIG_SECRET
from sandbox import images
from sandbox.monitoring import alertmanager
from sandbox.monitoring.objects import ALERTMANAGER, NAMESPACE
from sandbox.node import NODE_NAME
from tests.cluster import prometheus
from tests.cluster.conftest import eventually

pytestmark = pytest.mark.cluster

RELEASE = "kube-prometheus-stack"
JOBS = {
    "node-exporter",
    "kube-state-metrics",
    "kubelet",
    f"{RELEASE}-prometheus",
    f"{RELEASE}-alertmanager",
    f"{RELEASE}-operator",
}


def ours(targets):
    """Of the stack itself: other tests' targets come and go."""
    return [target for target in targets if target["labels"]["job"] in JOBS]


def test_every_part_of_the_stack_is_scraped_and_none_is_down():
    def all_up():
        found = ours(prometheus.targets())
        jobs = {target["labels"]["job"] for target in found}
        return jobs == JOBS and {target["health"] for target in found} == {"up"}

    eventually(all_up)


def test_the_real_kubelet_is_scraped_and_no_simulated_one():
    kubelets = [target for target in prometheus.targets() if target["labels"]["job"] == "kubelet"]
    assert {target["labels"]["node"] for target in kubelets} == {NODE_NAME}
    paths = {target["labels"]["metrics_path"] for target in kubelets}
    assert paths == {"/metrics", "/metrics/cadvisor", "/metrics/probes"}


def test_the_articles_first_query_has_series(deployed):
    prometheus.until('rate(container_cpu_usage_seconds_total{namespace="kubeflow"}[5m])')


def test_the_real_nodes_memory_and_disks_are_measured():
    prometheus.until('node_memory_MemAvailable_bytes{job="node-exporter"} > 0')
    prometheus.until('node_filesystem_avail_bytes{job="node-exporter",mountpoint="/"} > 0')
    prometheus.until('rate(node_cpu_seconds_total{job="node-exporter",mode="idle"}[1m]) > 0')


def test_simulated_nodes_are_seen_by_their_objects():
    prometheus.until('kube_node_status_allocatable{node="node-gpu-01",resource="nvidia_com_gpu"} == 4')


def test_each_condition_of_a_tfjob_is_1_while_it_holds_and_0_after(deployed):
    name = "tf-mnist-cpu"
    prometheus.until(
        f'kube_tfjob_status_condition{{tfjob="{name}",condition="Succeeded"}} == 1', timeout_seconds=600
    )
    conditions = prometheus.query(f'kube_tfjob_status_condition{{tfjob="{name}"}}')
    values = {series["metric"]["condition"]: series["value"] for series in conditions}
    assert values["Running"] == 0
    assert set(values.values()) == {0, 1}
    for series in conditions:
        assert series["metric"]["namespace"] == "kubeflow"
        assert series["metric"]["reason"].startswith("TFJob")


def test_pods_and_nodes_carry_the_labels_by_which_they_are_told_apart(deployed):
    prometheus.until('kube_pod_labels{label_training_kubeflow_org_job_name!=""}')
    prometheus.until('kube_node_labels{label_colocation_io_pool!=""}')


@pytest.fixture
def rule(sandbox, namespace):
    """A rule of another namespace that fires at once."""
    body = {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "PrometheusRule",
        "metadata": {"name": "always", "namespace": namespace},
        "spec": {
            "groups": [
                {
                    "name": "always",
                    "rules": [{"alert": f"Always_{namespace.replace('-', '_')}", "expr": "vector(1)"}],
                }
            ]
        },
    }
    sandbox.kubectl("apply", "-f", "-", stdin=json.dumps(body))
    return body["spec"]["groups"][0]["rules"][0]["alert"]


def test_a_rule_of_any_namespace_is_taken_up_and_its_alert_arrives(sandbox, namespace, rule):
    eventually(lambda: rule in {r["name"] for r in prometheus.rules()})
    eventually(lambda: rule in {a["labels"]["alertname"] for a in prometheus.alertmanager_alerts()})
    where = ("prometheusrule", "always", "-n", namespace)
    [binding] = eventually(lambda: sandbox.get(*where).get("status", {}).get("bindings"))
    assert {condition["status"] for condition in binding["conditions"]} == {"True"}


@pytest.fixture
def another_alertmanager(sandbox, namespace):
    """As the stack's own, whose Secret is the deployed stack's; returns what it runs with."""
    [spec] = [
        one["spec"]
        for one in alertmanager.objects(images.reference("alertmanager"))
        if one["kind"] == "Alertmanager"
    ]
    spec = {**spec, "serviceAccountName": "default", "externalUrl": "http://localhost"}
    body = {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "Alertmanager",
        "metadata": {"name": "another", "namespace": namespace},
        "spec": spec,
    }
    sandbox.kubectl("apply", "-f", "-", stdin=json.dumps(body))
    place = f"/api/v1/namespaces/{namespace}/pods/alertmanager-another-0:9093/proxy/api/v2/status"

    def config():
        answer = sandbox.kubectl("get", "--raw", place, check=False)
        return json.loads(answer)["config"]["original"] if answer.startswith("{") else ""

    return config


def test_alertmanager_starts_without_its_secret_and_follows_it(sandbox, namespace, another_alertmanager):
    def puts(receiver):
        config = {"route": {"receiver": receiver}, "receivers": [{"name": receiver}]}
        secret = {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"name": ALERTMANAGER_CONFIG_SECRET, "namespace": namespace},
            "stringData": {"alertmanager.yaml": yaml.safe_dump(config)},
        }
        sandbox.kubectl("apply", "-f", "-", stdin=json.dumps(secret))
        eventually(lambda: f"receiver: {receiver}" in another_alertmanager())

    assert eventually(another_alertmanager)
    puts("when-it-appears")
    puts("when-it-changes")


def test_what_runs_the_stack_stands_on_the_real_node(sandbox):
    pods = sandbox.items("pods", "-n", NAMESPACE)
    assert f"alertmanager-{ALERTMANAGER}-0" in {pod["metadata"]["name"] for pod in pods}
    assert {pod["spec"]["nodeName"] for pod in pods} == {NODE_NAME}
