"""What watches a stack is declared where the stack file says so."""

import pytest

from infra.assembly import assemble
from infra.models import Stack
from infra.plan import plan

POD_MONITOR = "kubernetes:monitoring.coreos.com/v1:PodMonitor"
DAEMON_SET = "kubernetes:apps/v1:DaemonSet"
ATTACHED = {"install": False, "namespace": "obs", "labels": {"release": "obs"}}


@pytest.fixture
def observed(declare, stack_file, data):
    """What is declared when the small stack says this under `monitoring:`."""

    def run(monitoring, **job):
        stack = data | ({} if monitoring is None else {"monitoring": monitoring})
        stack["jobs"] = [data["jobs"][0] | job]
        ready = plan(stack_file(stack))
        return declare(lambda: assemble(ready, "test", {}))

    return run


def test_without_monitoring_nothing_of_it_is_there(observed):
    declared = observed(None)
    assert [r.typ for r in declared.resources if "monitoring" in r.typ] == []
    assert "vision-allow-metrics" not in declared.names()


def test_monitors_go_where_prometheus_is_and_carry_its_labels(observed):
    metadata = observed(ATTACHED).only(POD_MONITOR).inputs["metadata"]
    assert metadata["namespace"] == "obs"
    assert metadata["labels"] == {"release": "obs"}


def test_a_tenant_lets_prometheus_in_at_the_ports_that_its_jobs_annotate(observed):
    annotations = {"prometheus.io/scrape": "true", "prometheus.io/port": "8000"}
    declared = observed(ATTACHED, annotations=annotations)
    [rule] = declared.named("vision-allow-metrics").inputs["spec"]["ingress"]
    assert rule["from"][0]["namespaceSelector"]["matchLabels"] == {"kubernetes.io/metadata.name": "obs"}
    assert [port["port"] for port in rule["ports"]] == ["metrics", 8000]
    _, metrics = declared.named("training-operator-traffic").inputs["spec"]["ingress"]
    assert metrics["from"] == rule["from"]


def test_the_exporter_of_gpu_metrics_is_there_where_gpus_are(observed):
    assert observed(ATTACHED).only(DAEMON_SET).name == "gpu-metrics-exporter"
    assert observed(ATTACHED, worker={}).all(DAEMON_SET) == []
    assert observed(ATTACHED | {"gpu_metrics": {"install": False}}).all(DAEMON_SET) == []


def with_gpus(declared, **job):
    stack = {
        "pools": [{"name": "p", "nodes": ["n"], **declared}],
        "jobs": [{"name": "j", "tenant": "t", "priority": "x", "image": "i:1", "worker": {}, **job}],
    }
    return [pool.name for pool in Stack.model_validate(stack).gpu_pools()]


@pytest.mark.parametrize(
    ("pool", "job"),
    [
        ({"capacity": {"cpu": 1, "memory": "1Gi", "gpus": 4}}, {}),
        ({"gpu_model": "A100"}, {}),
        ({}, {"pool": "p", "worker": {"resources": {"gpus": 1}}}),
        ({}, {"pool": "p", "chief": {"resources": {"gpus": 1}}}),
    ],
)
def test_a_pool_has_gpus_if_it_says_so_or_a_job_on_it_asks_for_some(pool, job):
    assert with_gpus(pool, **job) == ["p"]


def test_other_pools_have_none():
    assert with_gpus({"capacity": {"cpu": 1, "memory": "1Gi"}}, pool="p") == []
    assert with_gpus({}, worker={"resources": {"gpus": 1}}) == []
