"""Alerts of pods and jobs, for real: something breaks, and Alertmanager holds the alert."""

from __future__ import annotations

import json

import pytest

from components.rendering.alerts import Facts, Limits, layers, rule_specs
from infra.cluster.api_server import ApiServer
from infra.doctor import diagnose, look
from infra.places import stack_file
from infra.plan import plan
from sandbox import images
from tests.cluster import drill, prometheus
from tests.cluster.conftest import eventually, make_account

pytestmark = pytest.mark.cluster

FACTS = Facts(
    namespaces=(drill.NAMESPACE, drill.FULL),
    offline_classes=(drill.OFFLINE,),
    online_classes=(drill.ONLINE,),
    schedules=("missed",),
    late_start_seconds=0,
    limits=Limits(
        hold="1s",
        restarts_per_hour=1,
        job_restarts_per_hour=2,
        memory_limit_percent=50,
        offline_wait_seconds=10,
        online_wait_seconds=10,
        no_pods_seconds=10,
        evictions=1,
        progress_seconds=20,
        checkpoint_seconds=20,
        schedule_seconds=15,
        loss_window="20s",
        loss_compared_with="30s",
    ),
)
BROKEN = {
    "PodRestarting": {"tfjob": "loops", "team": "training"},
    "PodOOMKilled": {"tfjob": "greedy", "team": "training"},
    "PodNearMemoryLimit": {"tfjob": "near", "team": "training"},
    "PodImagePullFailing": {"tfjob": "no-image", "team": "training"},
    "OfflinePodPending": {"tfjob": "no-room"},
    "OfflinePodEvictedOften": {"tfjob": "stuck"},
    "OnlinePodPending": {"pod": "no-room", "team": "platform"},
    "OnlinePodEvicted": {"pod": "evicted"},
    "OnlinePodCPUThrottled": {"pod": "throttled"},
    "QuotaNearlyUsed": {"namespace": drill.FULL},
    "TFJobFailed": {"tfjob": "fails"},
    "TFJobNotStarted": {"tfjob": "no-room"},
    "TFJobHasNoPods": {"tfjob": "refused", "namespace": drill.FULL},
    "TFJobRestartLoop": {"tfjob": "loops"},
    "TFJobPastDeadline": {"tfjob": "late"},
    "TFJobNoProgress": {"tfjob": "stuck"},
    "CheckpointStale": {"tfjob": "stuck"},
    "TrainingLossNaN": {"tfjob": "nan"},
    "TrainingLossRising": {"tfjob": "rising"},
    "ScheduledTrainingMissed": {"cronjob": "missed", "namespace": drill.FULL},
}
LONGEST_SECONDS = 300


def rules():
    """PrometheusRules of pods and jobs; those of nodes would speak of the sandbox itself."""
    for layer, spec in rule_specs(FACTS).items():
        if layer != "node":
            groups = [{**group, "name": f"drill.{layer}", "interval": "5s"} for group in spec["groups"]]
            yield {
                "apiVersion": "monitoring.coreos.com/v1",
                "kind": "PrometheusRule",
                "metadata": {"name": f"drill-{layer}", "namespace": drill.NAMESPACE},
                "spec": {"groups": groups},
            }


@pytest.fixture(scope="module")
def broken(sandbox, deployed_once):
    """Everything that goes wrong, going wrong."""
    for name in (drill.NAMESPACE, drill.FULL):  # an interrupted run may have left them
        sandbox.kubectl("create", "namespace", name, check=False)
        make_account(sandbox, name)
    made = drill.objects(images.reference("tensorflow"))
    listed = {"apiVersion": "v1", "kind": "List", "items": [*made, drill.pod_monitor(), *rules()]}
    sandbox.kubectl("apply", "-f", "-", stdin=json.dumps(listed))
    worker = ("pod", "-n", drill.NAMESPACE, "stuck-worker-0")
    eventually(
        lambda: "Running" in sandbox.kubectl("get", *worker, check=False), timeout_seconds=LONGEST_SECONDS
    )
    uid = sandbox.get(*worker)["metadata"]["uid"]
    metric = f'kube_pod_created{{namespace="{drill.NAMESPACE}",pod="stuck-worker-0",uid="{uid}"}}'
    prometheus.until(metric, timeout_seconds=LONGEST_SECONDS)  # seen once before it goes
    sandbox.kubectl("delete", *worker)
    yield
    for kind, name in (("namespace", drill.NAMESPACE), ("namespace", drill.FULL)):
        sandbox.kubectl("delete", kind, name, "--wait=false")
    sandbox.kubectl("delete", "priorityclass", drill.OFFLINE, drill.ONLINE)


def test_each_alert_of_pods_and_jobs_has_something_that_breaks():
    assert BROKEN.keys() == {alert.name for layer in ("pod", "job") for alert in layers(FACTS)[layer]}


def test_prometheus_evaluates_every_rule_without_a_fault(broken):
    names = {alert.name for layer in ("pod", "job") for alert in layers(FACTS)[layer]}

    def evaluated():
        found = {rule["name"]: rule for rule in prometheus.rules() if rule["name"] in names}
        return found.keys() == names and {rule["health"] for rule in found.values()} == {"ok"}

    eventually(evaluated, timeout_seconds=LONGEST_SECONDS)


@pytest.mark.parametrize("name", BROKEN)
def test_what_breaks_is_an_alert_in_alertmanager(broken, name):
    labels = {"namespace": drill.NAMESPACE, "alertname": name, **BROKEN[name]}

    def arrived():
        alerts = prometheus.alertmanager_alerts()
        return [alert for alert in alerts if labels.items() <= alert["labels"].items()]

    [alert, *_] = eventually(arrived, timeout_seconds=LONGEST_SECONDS)
    assert "{{" not in alert["annotations"]["description"]
    assert "<" not in alert["annotations"]["description"]  # neither <no value> nor <error expanding template>


@pytest.mark.parametrize(
    ("name", "pod"), [("OnlinePodCPUThrottled", "throttled"), ("OnlinePodEvicted", "evicted")]
)
def test_the_doctor_names_a_slow_service_its_node_and_the_training_there(
    broken, sandbox, monkeypatch, name, pod
):
    monkeypatch.setenv("KUBECONFIG", sandbox.workspace.environment()["KUBECONFIG"])
    node = sandbox.get("pod", pod, "-n", drill.NAMESPACE)["spec"]["nodeName"]
    ready = plan(stack_file("dev"))

    def told():
        found = diagnose(look(ApiServer(), ready, "dev"), ready)
        about = f"Pod {drill.NAMESPACE}/{pod}"
        return [one for one in found if one.object == about and f"{name}.md" in one.fix]

    [found] = eventually(told, timeout_seconds=LONGEST_SECONDS)
    assert found.code == "alert-firing"
    assert f"it is on node {node}, which it shares with the training of " in str(list(found.shown()))


def test_what_is_well_is_no_alert(broken):
    """After all the others: the jobs that only report badly have not failed, and so on."""
    well = {
        ("TFJobFailed", "nan"),
        ("TFJobNoProgress", "nan"),
        ("TrainingLossNaN", "stuck"),
        ("TrainingLossRising", "stuck"),
        ("TFJobRestartLoop", "near"),
        ("TFJobHasNoPods", "no-room"),
        ("PodOOMKilled", "near"),
    }

    def firing():
        return well & {
            (alert["labels"]["alertname"], alert["labels"].get("tfjob"))
            for alert in prometheus.alertmanager_alerts()
            if alert["labels"].get("namespace") == drill.NAMESPACE
        }

    # With limits of seconds, an operator that was slow to make a pod is an alert for a while.
    eventually(lambda: not firing(), timeout_seconds=LONGEST_SECONDS)
