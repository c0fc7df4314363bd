"""Monitoring as the stack says it is, against what runs in the cluster."""

import pytest

from infra.live.snapshot import FoundController, FoundMonitoringCrd
from infra.versions import PROMETHEUS_OPERATOR
from infra.vocabulary import MONITORING_CRDS
from tests.infra.live.conftest import namespace

OWN = FoundController(
    namespace="monitoring",
    name="kube-prometheus-stack-operator",
    ready=1,
    release="monitoring/kube-prometheus-stack",
)
THEIRS = FoundController(namespace="obs", name="prometheus-operator", ready=1, release="obs/kps")
BY_HAND = FoundController(namespace="obs", name="prometheus-operator", ready=1, release=None)
STOPPED = FoundController(namespace="obs", name="prometheus-operator", ready=0, release=None)
CRDS = tuple(FoundMonitoringCrd(name=name, operator=PROMETHEUS_OPERATOR) for name in MONITORING_CRDS)
THERE = (namespace(), namespace("obs"))


@pytest.fixture
def installing(data):
    data["monitoring"] = {}


@pytest.fixture
def attaching(data):
    data["monitoring"] = {"install": False, "namespace": "obs"}


@pytest.mark.parametrize(("operators", "crds"), [((), ()), ((OWN,), CRDS), ((), CRDS), (None, None)], ids=str)
@pytest.mark.usefixtures("installing")
def test_an_empty_cluster_the_stacks_own_and_what_it_left_behind_are_fine(found, operators, crds):
    assert found(prometheus_operators=operators, monitoring_crds=crds) == ()


@pytest.mark.parametrize("operator", [THEIRS, BY_HAND], ids=["of-a-release", "by-hand"])
@pytest.mark.usefixtures("installing")
def test_a_second_operator_is_a_fault_that_says_whose_the_first_is(only, operator):
    found = only(prometheus_operators=(operator,), monitoring_crds=CRDS)
    assert found == ("fault", "monitoring-of-others", ("monitoring", "install"))
    assert "Deployment obs/prometheus-operator" in only.text
    assert ("Helm release obs/kps" in only.text) == (operator is THEIRS)
    assert "install: false and namespace: obs" in only.text


@pytest.mark.usefixtures("installing")
def test_definitions_that_helm_would_not_upgrade_are_a_warning(only):
    old = (FoundMonitoringCrd(name=MONITORING_CRDS[0], operator=(0, 80, 1)), *CRDS[1:])
    assert only(prometheus_operators=(OWN,), monitoring_crds=old)[:2] == ("warning", "monitoring-crd-old")
    assert "0.80.1" in only.text


@pytest.mark.usefixtures("attaching")
def test_a_stack_attaches_to_whatever_operator_runs(found):
    assert found(prometheus_operators=(THEIRS,), monitoring_crds=CRDS, namespaces=THERE) == ()


@pytest.mark.parametrize(
    ("operators", "said"), [((), "write install: true"), ((STOPPED,), "has no ready pod")], ids=str
)
@pytest.mark.usefixtures("attaching")
def test_without_an_operator_nobody_reads_what_is_sent(only, operators, said):
    found = only(prometheus_operators=operators, monitoring_crds=CRDS, namespaces=THERE)
    assert found == ("fault", "monitoring-absent", ("monitoring", "install"))
    assert said in only.text


@pytest.mark.usefixtures("attaching")
def test_a_kind_that_the_cluster_does_not_know_is_named(only):
    found = only(prometheus_operators=(THEIRS,), monitoring_crds=CRDS[:-1], namespaces=THERE)
    assert found == ("fault", "monitoring-crd-absent", ("monitoring", "install"))
    assert "scrapeconfigs.monitoring.coreos.com" in only.text
    assert "podmonitors" not in only.text


@pytest.mark.usefixtures("attaching")
def test_the_namespace_of_the_objects_is_there(only):
    found = only(prometheus_operators=(THEIRS,), monitoring_crds=CRDS)
    assert found == ("fault", "monitoring-namespace-absent", ("monitoring", "namespace"))


def test_a_stack_without_monitoring_asks_for_none(found):
    assert found(prometheus_operators=(), monitoring_crds=()) == ()
