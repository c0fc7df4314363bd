"""What makes Prometheus scrape training pods and the operator."""

import re

import pulumi
import pytest
from pulumi_kubernetes.core.v1 import ConfigMap

from components.rendering.monitoring.training_metrics import (
    annotated_pods_scrape,
    scraped_port,
    training_operator_monitor,
    training_pods_monitor,
)
from components.training_metrics import TrainingMetrics, TrainingMetricsArgs

POD_MONITOR = "kubernetes:monitoring.coreos.com/v1:PodMonitor"
SERVICE_MONITOR = "kubernetes:monitoring.coreos.com/v1:ServiceMonitor"
SCRAPE_CONFIG = "kubernetes:monitoring.coreos.com/v1alpha1:ScrapeConfig"
META = "__meta_kubernetes_pod_"
WORKER = {
    "__address__": "10.1.2.3:2222",
    "__metrics_path__": "/metrics",
    "__meta_kubernetes_namespace": "vision",
    f"{META}name": "mnist-worker-0",
    f"{META}node_name": "n1",
    f"{META}phase": "Running",
    f"{META}label_training_kubeflow_org_job_name": "mnist",
    f"{META}label_training_kubeflow_org_replica_type": "worker",
    f"{META}label_training_kubeflow_org_replica_index": "0",
}
ANNOTATED = {
    f"{META}annotation_prometheus_io_scrape": "true",
    f"{META}annotation_prometheus_io_port": "8000",
}
LABELS = {
    "job": "training-pods",
    "namespace": "vision",
    "pod": "mnist-worker-0",
    "node": "n1",
    "tfjob": "mnist",
    "training_job": "mnist",
    "replica_type": "worker",
    "replica_index": "0",
}


def relabelled(rules, labels):
    """What Prometheus makes of a target's labels; None: it does not scrape it."""
    labels = dict(labels)
    for rule in rules:
        action = rule.get("action", "replace")
        if action == "labeldrop":
            labels = {key: value for key, value in labels.items() if not re.fullmatch(rule["regex"], key)}
            continue
        values = [labels.get(name, "") for name in rule.get("sourceLabels", [])]
        match = re.fullmatch(rule.get("regex", "(.*)"), rule.get("separator", ";").join(values))
        if action in ("keep", "drop"):
            if (match is None) == (action == "keep"):
                return None
        elif match is not None:
            template = rule.get("replacement", "$1").replace("$", "\\")
            labels[rule["targetLabel"]] = match.expand(template)
    return labels


def by_port(**labels):
    [endpoint] = training_pods_monitor(["vision"])["podMetricsEndpoints"]
    return relabelled(endpoint["relabelings"], {**WORKER, "container": "tensorflow", **labels})


def by_annotation(**labels):
    return relabelled(annotated_pods_scrape(["vision"])["relabelings"], {**WORKER, **labels})


def kept(labels):
    return {key: value for key, value in labels.items() if not key.startswith("__") and value}


def test_both_ways_give_a_pod_the_same_labels():
    assert kept(by_port()) == LABELS
    assert kept(by_annotation(**ANNOTATED)) == LABELS


def test_f3_a_pod_is_scraped_in_one_of_the_two_ways():
    assert by_annotation() is None
    assert by_port(**ANNOTATED) is None


def test_an_annotation_without_a_port_leaves_the_pod_to_the_other_way():
    told = {f"{META}annotation_prometheus_io_scrape": "true"}
    assert by_annotation(**told) is None
    assert kept(by_port(**told)) == LABELS


@pytest.mark.parametrize(
    ("address", "found"),
    [("10.1.2.3:2222", "10.1.2.3:8000"), ("10.1.2.3", "10.1.2.3:8000"), ("[fd00::1]:22", "[fd00::1]:8000")],
)
def test_the_annotated_port_takes_the_place_of_any_other(address, found):
    assert by_annotation(**ANNOTATED, __address__=address)["__address__"] == found


@pytest.mark.parametrize("phase", ["Pending", "Succeeded", "Failed"])
def test_a_pod_that_does_not_run_is_no_target(phase):
    assert by_annotation(**ANNOTATED, **{f"{META}phase": phase}) is None


@pytest.mark.parametrize("scraped", [by_port, by_annotation])
def test_runs_of_a_schedule_have_the_name_of_their_job(scraped):
    told = ANNOTATED if scraped is by_annotation else {}
    run = {
        f"{META}label_training_kubeflow_org_job_name": "mnist-29123",
        f"{META}label_colocation_io_job": "mnist",
    }
    labels = scraped(**told, **run)
    assert (labels["tfjob"], labels["training_job"]) == ("mnist-29123", "mnist")


@pytest.mark.parametrize("scraped", [by_port, by_annotation])
def test_a_pod_may_say_another_path(scraped):
    told = ANNOTATED if scraped is by_annotation else {}
    assert scraped(**told)["__metrics_path__"] == "/metrics"
    path = {f"{META}annotation_prometheus_io_path": "/stats"}
    assert scraped(**told, **path)["__metrics_path__"] == "/stats"


def test_only_the_pod_that_leads_a_tfjob_is_asked():
    leader = {
        "training.kubeflow.org/operator-name": "tfjob-controller",
        "training.kubeflow.org/job-role": "master",
    }
    assert training_pods_monitor(["vision"])["selector"] == {"matchLabels": leader}
    [found] = annotated_pods_scrape(["vision"])["kubernetesSDConfigs"]
    [selector] = found["selectors"]
    assert dict(pair.split("=") for pair in selector["label"].split(",")) == leader


def test_only_the_tenants_pods_are_looked_at():
    assert training_pods_monitor(["a", "b"])["namespaceSelector"] == {"matchNames": ["a", "b"]}
    [found] = annotated_pods_scrape(["a", "b"])["kubernetesSDConfigs"]
    assert found["namespaces"] == {"names": ["a", "b"]}


def test_f1_the_operators_monitor_selects_the_operators_service_by_a_port_that_it_has():
    spec = training_operator_monitor("operators")
    assert spec["namespaceSelector"] == {"matchNames": ["operators"]}
    assert spec["selector"] == {"matchLabels": {"app": "training-operator"}}
    assert [endpoint["port"] for endpoint in spec["endpoints"]] == ["monitoring-port"]


@pytest.mark.parametrize(
    ("annotations", "port"),
    [
        ({"prometheus.io/scrape": "true", "prometheus.io/port": "8000"}, 8000),
        ({"prometheus.io/scrape": "false", "prometheus.io/port": "8000"}, None),
        ({"prometheus.io/port": "8000"}, None),
        ({"prometheus.io/scrape": "true"}, None),
        ({"prometheus.io/scrape": "true", "prometheus.io/port": "http"}, None),
        ({"prometheus.io/scrape": "true", "prometheus.io/port": "65536"}, None),
    ],
)
def test_a_port_is_scraped_where_both_annotations_say_so(annotations, port):
    assert scraped_port(annotations) == port


def metrics(**change):
    given = {"namespace": "obs", "tenants": ["vision"], "operator_namespace": "operators"} | change
    return TrainingMetricsArgs(**given)


def test_f1_every_monitor_carries_the_labels_that_prometheus_selects_by(declare):
    declared = declare(lambda: TrainingMetrics("training-metrics", metrics(labels={"release": "obs"})))
    for kind in (POD_MONITOR, SCRAPE_CONFIG, SERVICE_MONITOR):
        metadata = declared.only(kind).inputs["metadata"]
        assert (metadata["namespace"], metadata["labels"]) == ("obs", {"release": "obs"})


def test_a_stack_without_tenants_scrapes_the_operator_alone(declare):
    declared = declare(lambda: TrainingMetrics("training-metrics", metrics(tenants=[])))
    assert declared.all(POD_MONITOR) + declared.all(SCRAPE_CONFIG) == []
    assert declared.only(SERVICE_MONITOR).inputs["metadata"]["name"] == "training-operator"


def test_monitors_wait_for_what_knows_their_kinds(declare):
    def program():
        stack = ConfigMap("stack")
        TrainingMetrics("training-metrics", metrics(), pulumi.ResourceOptions(depends_on=[stack]))

    declared = declare(program)
    for role in ("pods", "annotated", "operator"):
        assert "stack" in declared.waits_for[f"training-metrics-{role}"]
