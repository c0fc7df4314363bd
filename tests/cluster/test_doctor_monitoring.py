"""`colo doctor` about monitoring that is broken for real. Grafana is a stand-in: the sandbox has none."""

from __future__ import annotations

import json

import pytest

from infra.doctor.rules import monitoring
from sandbox import images
from tests.cluster.conftest import eventually
from tests.cluster.ward import PYTHON, SLEEP, Ward, job, seen

pytestmark = pytest.mark.cluster

PROMETHEUS = ("prometheus", "kube-prometheus-stack-prometheus", "-n", "monitoring")


@pytest.fixture(scope="module")
def ward(sandbox, deployed_once, tmp_path_factory):
    found = Ward(sandbox, tmp_path_factory.mktemp("ward"))
    found.stack["monitoring"] = {"install": False, "gpu_metrics": {"install": False}}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KUBECONFIG", sandbox.workspace.environment()["KUBECONFIG"])
        patch.setattr(monitoring, "_SCRAPED_SECONDS", 5)
        yield found
    found.close()


def told(ward, code):
    """The first diagnosis of a code, when there is one."""
    return eventually(lambda: next((d for d in ward.look() if d.code == code), None))


@pytest.fixture
def prometheus(sandbox):
    """Changes the Prometheus object, and puts it back."""
    replicas = sandbox.get(*PROMETHEUS)["spec"].get("replicas", 1)

    def patch(**spec):
        sandbox.kubectl("patch", *PROMETHEUS, "--type=merge", "-p", json.dumps({"spec": spec}))

    yield patch
    patch(podMonitorSelector={"matchLabels": None}, replicas=replicas)
    server = ("statefulset", "prometheus-kube-prometheus-stack-prometheus", "-n", "monitoring")
    # Of none of its pods the rollout would be over at once.
    eventually(lambda: sandbox.get(*server)["spec"]["replicas"] == replicas)
    sandbox.kubectl("rollout", "status", *server, "--timeout=300s")


def test_a_monitor_that_no_prometheus_selects_is_told(ward, prometheus):
    ward.admit("unselected")
    prometheus(podMonitorSelector={"matchLabels": {"release": "elsewhere"}})
    found = told(ward, "monitor-not-selected")
    assert "'release': 'elsewhere'" in seen(found, "current")


def test_a_prometheus_that_is_down_is_told(ward, prometheus):
    prometheus(replicas=0)
    assert "no Prometheus is ready" in told(ward, "prometheus-down").cause


def test_a_job_in_a_namespace_that_no_monitor_looks_into_is_told(ward):
    namespace = ward.admit("unwatched")
    ward.submit(namespace, job("unwatched", SLEEP, metrics_port=8080))
    found = ward.until("unwatched", "target-missing")
    assert f"does not look into the namespace {namespace}" in found.cause


def test_an_alert_that_fires_is_told_with_its_runbook(ward):
    rule = {
        "alert": "OnlineNodeCPUSteal",
        "expr": 'label_replace(vector(7), "node", "node-cpu-01", "", "")',
        "labels": {"severity": "warning"},
        "annotations": {"summary": "The host takes CPU from node-cpu-01, where services run"},
    }
    spec = {"groups": [{"name": "ward", "interval": "5s", "rules": [rule]}]}
    metadata = {"name": "ward", "namespace": "monitoring"}
    ward.create(
        {
            "apiVersion": "monitoring.coreos.com/v1",
            "kind": "PrometheusRule",
            "metadata": metadata,
            "spec": spec,
        }
    )
    try:
        found = eventually(
            lambda: next((d for d in ward.look() if "OnlineNodeCPUSteal" in d.fix), None), timeout_seconds=300
        )
        assert found.object == "Node node-cpu-01"
    finally:
        ward.sandbox.kubectl("delete", "prometheusrule", "ward", "-n", "monitoring")


@pytest.fixture
def grafana(ward):
    """Makes a Deployment that is labelled as Grafana's."""

    def create(container):
        labels = {"app.kubernetes.io/name": "grafana"}
        pod = {
            "metadata": {"labels": labels},
            "spec": {"containers": [container], "terminationGracePeriodSeconds": 0},
        }
        spec = {"selector": {"matchLabels": labels}, "template": pod}
        metadata = {"name": "ward-grafana", "namespace": "monitoring", "labels": labels}
        ward.create({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": spec})

    yield create
    ward.sandbox.kubectl("delete", "deployment", "ward-grafana", "-n", "monitoring")


def test_a_grafana_without_its_secret_is_told(ward, grafana):
    container = {"name": "grafana", "image": images.reference("tensorflow"), "command": SLEEP}
    grafana(container | {"envFrom": [{"secretRef": {"name": "grafana-nowhere"}}]})
    found = eventually(
        lambda: next((d for d in ward.look() if d.code == "grafana-down" and "missing" in d.cause), None)
    )
    assert "grafana-nowhere" in found.cause


def test_a_grafana_that_refuses_a_password_is_told(ward, grafana):
    says = [*PYTHON, "import time; print('error=\"[password-auth.failed] invalid\"'); time.sleep(3600)"]
    grafana({"name": "grafana", "image": images.reference("tensorflow"), "command": says})
    assert "grafana_password" in told(ward, "grafana-refuses-login").fix
