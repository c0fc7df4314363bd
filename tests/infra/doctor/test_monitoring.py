"""Panels without data, alerts that fire, and a Grafana that lets nobody in."""

from dataclasses import replace

import pytest

from components.rendering.alerts import alert_names
from infra.cluster.logs import Log, Source
from infra.cluster.watching import Alert, Target, Watching
from infra.doctor.rules import alerts
from infra.doctor.rules.alerts import MEASURED
from tests.infra.doctor.conftest import ago, container, ended, named, operator, pod, tfjob, waiting

OPERATOR = Target(labels={"job": "training-operator", "instance": "10.0.0.1:8080"}, up=True)
POD = Target(
    labels={
        "job": "training-pods",
        "namespace": "vision",
        "pod": "mnist-worker-0",
        "instance": "10.0.0.2:8080",
    },
    up=True,
)
READY = [{"type": "Ready", "status": "True"}]


def monitor(name, labels=None):
    return named(name, "monitoring", labels=labels)


@pytest.fixture
def clinic(clinic_of, data):
    data["monitoring"] = {"install": False, "gpu_metrics": {"install": False}}
    data["jobs"][0]["metrics_port"] = 8080
    found = clinic_of(data)
    found.jobs, found.pods = [tfjob(since=300)], [pod(conditions=READY)]
    found.kinds |= {
        "podmonitors": [monitor("training-pods")],
        "servicemonitors": [monitor("training-operator")],
        "prometheuses": [
            named("p", "monitoring", spec={"podMonitorSelector": {}, "serviceMonitorSelector": {}})
        ],
    }
    found.kinds["namespaces"].append(named("monitoring", None))
    watched(found)
    found.live = {"namespaces": None, "prometheus_operators": None, "monitoring_crds": None}
    return found


def watched(clinic, *targets, **what):
    clinic.change["watching"] = Watching(targets=targets or (OPERATOR, POD), **what)


def test_a_monitoring_that_sees_everything_is_no_finding(clinic):
    assert clinic.found() == ()


@pytest.mark.parametrize("kind", ["podmonitors", "servicemonitors"])
def test_a_monitor_that_is_not_there_is_told(clinic, kind):
    clinic.kinds[kind] = []
    watched(clinic, Target(labels={}, up=True))
    assert clinic.only("not-in-cluster").fix == "pulumi up --refresh --stack dev"


@pytest.mark.parametrize("selector", [None, {"matchLabels": {"release": "obs"}}])
def test_a_monitor_that_no_prometheus_selects_is_told(clinic, selector):
    clinic.kinds["prometheuses"][0]["spec"]["podMonitorSelector"] = selector
    found = clinic.only("monitor-not-selected")
    assert "monitoring.labels" in found.fix
    if selector:
        clinic.kinds["podmonitors"] = [monitor("training-pods", {"release": "obs"})]
        assert clinic.found() == ()


def test_a_job_that_prometheus_has_no_target_for_is_told(clinic):
    watched(clinic, OPERATOR)
    found = clinic.only("target-missing")
    assert (found.affects, "jobs[0]" in found.fix) == (("mnist",), True)
    clinic.jobs = [tfjob(since=20)]
    assert clinic.found() == ()


def test_a_target_that_cannot_be_scraped_is_told_with_its_error(clinic):
    watched(clinic, OPERATOR, Target(labels=POD.labels, up=False, error="connection refused"))
    assert "connection refused" in dict(clinic.only("target-down").shown())["current"]


def test_an_operator_that_is_not_scraped_is_told(clinic):
    watched(clinic, POD)
    assert clinic.only("target-missing").object == "Service vision/training-operator"
    clinic.kinds["deployments"] = [operator() | {"metadata": named("training-operator", age=10)["metadata"]}]
    assert clinic.found() == ()


@pytest.mark.parametrize(("seconds", "told"), [(10, False), (300, True)])
def test_an_operator_that_was_down_a_moment_ago_may_be_no_target_yet(clinic, seconds, told):
    watched(clinic, POD)
    again = {"type": "Available", "status": "True", "lastTransitionTime": ago(seconds)}
    deployed = operator()
    clinic.kinds["deployments"] = [deployed | {"status": deployed["status"] | {"conditions": [again]}}]
    assert [one.code for one in clinic.found()] == (["target-missing"] if told else [])


def test_a_prometheus_that_is_not_there_is_told(clinic):
    clinic.change["watching"] = None
    assert clinic.only("prometheus-down")


def test_a_prometheus_that_may_not_be_asked_is_not_taken_for_one_that_is_down(clinic):
    clinic.change["watching"] = None
    label = {"kubernetes.io/service-name": "prometheus-operated"}
    clinic.kinds["services"] = [named("prometheus-operated", "monitoring")]
    clinic.kinds["endpointslices"] = [named("s", "monitoring", labels=label, endpoints=[{}])]
    assert clinic.found() == ()
    clinic.kinds["endpointslices"][0]["endpoints"] = []
    assert clinic.only("prometheus-down")


# --- alerts


def alert(name="OnlineNodeCPUSteal", severity="warning", **labels):
    return Alert(
        labels={"alertname": name, "severity": severity} | labels,
        annotations={"summary": "The host takes CPU from n1", "description": "7 %"},
        since="2026-01-01T11:00:00.5Z",
    )


def test_what_makes_services_slow_on_shared_nodes_is_told_by_the_alerts_for_it(clinic):
    watched(clinic, alerts=(alert(node="n1"),))
    found = clinic.only("alert-firing")
    assert (found.severity, found.object) == ("warning", "Node n1")
    assert (found.cause, found.fix) == (
        "The host takes CPU from n1",
        "follow docs/runbooks/OnlineNodeCPUSteal.md",
    )


def test_an_alert_that_calls_someone_is_a_fault(clinic):
    watched(clinic, alerts=(alert("NodeNotReady", "critical", node="n1"),))
    assert clinic.only().severity == "fault"


def test_an_alert_of_two_rules_is_told_once_since_it_first_fired(clinic):
    """As where two stacks share a Prometheus."""
    first = alert(node="n1")
    watched(clinic, alerts=(replace(first, since="2026-01-01T11:30:00Z"), first))
    seen = [text for _, text in clinic.only("alert-firing").shown()]
    assert "OnlineNodeCPUSteal fires since 2026-01-01T11:00:00Z" in seen
    watched(clinic, alerts=(first, alert(node="n2")))
    assert len(clinic.found()) == 2


def test_alerts_of_others_are_left_to_others(clinic):
    watched(clinic, alerts=(alert("Watchdog"), alert("QuotaNearlyUsed", namespace="speech")))
    assert clinic.found() == ()


def test_services_are_wherever_they_are(clinic):
    watched(clinic, alerts=(alert("OnlinePodCPUThrottled", namespace="shop", pod="cart-1"),))
    assert clinic.only("alert-firing").object == "Pod shop/cart-1"


def test_a_service_that_is_slow_is_told_with_its_node_and_the_training_beside_it(clinic):
    clinic.pods.append(named("cart-1", "shop", spec={"nodeName": "n1"}, status={"phase": "Running"}))
    watched(clinic, alerts=(alert("OnlinePodCPUThrottled", namespace="shop", pod="cart-1"),))
    seen = [text for _, text in clinic.only("alert-firing").shown()]
    assert "it is on node n1, which it shares with the training of mnist" in seen
    clinic.pods[-1]["spec"]["nodeName"] = "n2"
    assert "it is on node n2, without training" in [text for _, text in clinic.only().shown()]


def test_a_missed_run_is_told_once(clinic):
    watched(clinic, alerts=(alert("ScheduledTrainingMissed", namespace="vision", cronjob="nightly"),))
    assert clinic.only("alert-firing").object == "CronJob vision/nightly"
    assert list(alerts.check(clinic.case(), ["nightly"])) == []


@pytest.mark.parametrize("labels", [{"tfjob": "mnist"}, {"namespace": "vision", "pod": "mnist-worker-0"}])
def test_of_jobs_only_what_metrics_alone_know_is_taken_from_alerts(clinic, labels):
    """The doctor sees the rest as it is now, and alerts look back for hours."""
    watched(clinic, alerts=(alert("TFJobRestartLoop", "critical", **labels),))
    assert clinic.found() == ()
    watched(clinic, alerts=(alert("TrainingLossNaN", **labels),))
    assert clinic.only("alert-firing").affects == ("mnist",)
    assert set(MEASURED) <= set(alert_names())


def test_an_alert_about_a_job_that_is_told_already_is_not_repeated(clinic):
    clinic.pods = [pod(statuses=[container(state=waiting("CrashLoopBackOff"), restarts=3, last=ended(3))])]
    watched(clinic, alerts=(alert("TrainingLossNaN", tfjob="mnist"),))
    assert clinic.only("exited")


# --- Grafana


def grafana(ready=1):
    labels = {"app.kubernetes.io/name": "grafana"}
    spec = {"selector": {"matchLabels": labels}}
    return named("g", "monitoring", labels=labels, spec=spec, status={"readyReplicas": ready})


def grafanas_pod(state=None):
    labels = {"app.kubernetes.io/name": "grafana"}
    statuses = [container("grafana", state=state)]
    spec = {"containers": [{"name": "grafana", "image": "grafana:1"}], "nodeName": "n1"}
    return named(
        "g-1",
        "monitoring",
        labels=labels,
        spec=spec,
        status={"phase": "Pending", "containerStatuses": statuses},
    )


def test_a_grafana_without_its_secret_is_down_for_that(clinic):
    clinic.kinds["deployments"].append(grafana(ready=0))
    clinic.pods.append(
        grafanas_pod(waiting("CreateContainerConfigError", 'secret "grafana-admin" not found'))
    )
    assert 'secret "grafana-admin" not found' in clinic.only("grafana-down").cause


def test_a_grafana_that_refuses_a_password_is_told_with_the_way_in(clinic):
    clinic.kinds["deployments"].append(grafana())
    clinic.pods.append(grafanas_pod())
    assert clinic.found() == ()
    line = 'logger=authn.service level=warn error="[password-auth.failed] invalid password"'
    clinic.logs[Source("monitoring", "g-1", "grafana")] = Log((line,))
    found = clinic.only("grafana-refuses-login")
    assert "grafana_password --show-secrets" in found.fix


@pytest.mark.parametrize(
    ("monitored", "ports", "word"),
    [
        (["speech"], ["metrics"], "does not look into the namespace vision"),
        (["vision"], ["http"], "no port of it is named metrics"),
        (["vision"], ["metrics"], "though it has a port named metrics"),
    ],
)
def test_why_a_target_is_missing_is_told(clinic, monitored, ports, word):
    clinic.kinds["podmonitors"][0]["spec"] = {"namespaceSelector": {"matchNames": monitored}}
    clinic.pods[0]["spec"]["containers"][0]["ports"] = [{"name": name} for name in ports]
    watched(clinic, OPERATOR)
    assert word in clinic.only("target-missing").cause
