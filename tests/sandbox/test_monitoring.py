"""The monitoring stack: named as the chart names it, on the real node, and open to every rule and monitor."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sandbox import gomod, images, kubectl, programs, simulated_nodes
from sandbox.monitoring import stack

IMAGES = {name: images.reference(name) for name in images.MONITORING}
RELEASE = "kube-prometheus-stack"
WORKLOADS = ("Deployment", "DaemonSet", "Prometheus", "Alertmanager")


def objects(*kinds):
    return [one for one in stack.objects(IMAGES) if one["kind"] in kinds]


def only(kind, name):
    [found] = [one for one in objects(kind) if one["metadata"]["name"] == name]
    return found


def test_objects_have_the_charts_names():
    names = {(one["kind"], one["metadata"]["name"]) for one in objects(*WORKLOADS)}
    assert names == {
        ("Deployment", f"{RELEASE}-operator"),
        ("Deployment", f"{RELEASE}-kube-state-metrics"),
        ("DaemonSet", f"{RELEASE}-prometheus-node-exporter"),
        ("Prometheus", f"{RELEASE}-prometheus"),
        ("Alertmanager", f"{RELEASE}-alertmanager"),
    }


def test_everything_is_in_one_namespace_or_in_none():
    namespaces = {one["metadata"].get("namespace") for one in stack.objects(IMAGES)}
    assert namespaces == {"monitoring", None}


def test_prometheus_takes_up_every_monitor_and_rule():
    [prometheus] = objects("Prometheus")
    for kind in ("serviceMonitor", "podMonitor", "probe", "rule", "scrapeConfig"):
        assert prometheus["spec"][f"{kind}Selector"] == {}
        assert prometheus["spec"][f"{kind}NamespaceSelector"] == {}


def test_alertmanagers_configuration_is_the_secret_of_whoever_deploys():
    [alertmanager] = objects("Alertmanager")
    assert alertmanager["spec"]["configSecret"] == "colocation-alertmanager"
    assert alertmanager["spec"]["replicas"] == 1


def test_every_monitor_finds_a_service_and_its_ports():
    services = objects("Service")
    for monitor in objects("ServiceMonitor"):
        if monitor["metadata"]["name"] == f"{RELEASE}-kubelet":
            continue  # the operator makes the kubelets' Service
        wanted = monitor["spec"]["selector"]["matchLabels"].items()
        [service] = [one for one in services if wanted <= one["metadata"]["labels"].items()]
        ports = {port["name"] for port in service["spec"]["ports"]}
        assert {endpoint["port"] for endpoint in monitor["spec"]["endpoints"]} <= ports


@pytest.mark.parametrize(
    ("monitor", "label", "job"),
    [
        ("kube-state-metrics", "app.kubernetes.io/name", "kube-state-metrics"),
        ("prometheus-node-exporter", "jobLabel", "node-exporter"),
    ],
)
def test_exporters_have_the_charts_job_labels(monitor, label, job):
    assert only("ServiceMonitor", f"{RELEASE}-{monitor}")["spec"]["jobLabel"] == label
    assert only("Service", f"{RELEASE}-{monitor}")["metadata"]["labels"][label] == job


def test_node_exporter_stands_on_tainted_nodes_but_on_no_simulated_one():
    [node_exporter] = objects("DaemonSet")
    pod = node_exporter["spec"]["template"]["spec"]
    assert pod["tolerations"] == [{"operator": "Exists"}]
    required = pod["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    [[term]] = [one["matchExpressions"] for one in required["nodeSelectorTerms"]]
    labels = [simulated_nodes.manifest(node)["metadata"]["labels"] for node in simulated_nodes.topology()]
    assert term["operator"] == "NotIn"
    assert {node[term["key"]] for node in labels} == set(term["values"])


def test_kubelets_of_simulated_nodes_are_not_asked():
    operator = only("Deployment", f"{RELEASE}-operator")
    [container] = operator["spec"]["template"]["spec"]["containers"]
    assert "--kubelet-selector=type!=kwok" in container["args"]


def test_images_are_those_that_upstream_names():
    assert IMAGES["prometheus"] == "quay.io/prometheus/prometheus:v3.14.0"
    assert IMAGES["prometheus-config-reloader"].startswith("quay.io/prometheus-operator/")
    assert IMAGES["kube-state-metrics"].startswith("registry.k8s.io/kube-state-metrics/")


DEFINITION = """
metadata: {name: %s.monitoring.coreos.com}
spec:
  versions: [{name: v1, schema: {openAPIV3Schema: {type: object, description: prose}}}]
"""


@pytest.fixture
def definitions(tmp_path: Path) -> Path:
    for plural in ("prometheuses", "alertmanagers", "probes"):
        tmp_path.joinpath(f"monitoring.coreos.com_{plural}.yaml").write_text(DEFINITION % plural)
    return tmp_path


@pytest.fixture
def sent(definitions, monkeypatch):
    """What is sent to a cluster that has one definition of this version and one of another."""
    version = gomod.version("monitoring", programs.PROMETHEUS_OPERATOR).removeprefix("v")
    present = {"prometheuses": version, "alertmanagers": "0.1.0"}
    found = [
        {
            "metadata": {
                "name": f"{plural}.monitoring.coreos.com",
                "annotations": {"operator.prometheus.io/version": annotation},
            }
        }
        for plural, annotation in present.items()
    ]
    applied = []

    def output(program, *arguments, stdin=""):
        if arguments[0] == "apply":
            applied.append(stdin)
        return json.dumps({"items": found})

    monkeypatch.setattr(kubectl, "output", output)
    stack.apply(Path("kubectl"), definitions, IMAGES)
    return applied


def test_only_definitions_that_the_cluster_lacks_are_sent(sent):
    names = [item["metadata"]["name"] for item in json.loads(sent[0])["items"]]
    assert names == ["alertmanagers.monitoring.coreos.com", "probes.monitoring.coreos.com"]


def test_definitions_are_sent_without_their_prose(sent):
    assert "prose" not in sent[0]
