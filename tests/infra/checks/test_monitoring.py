"""Monitoring: namespaces, priority, chart, and what has no effect."""

import pytest

from infra.checks import kubernetes_version, monitoring


@pytest.fixture
def found(subject):
    """What these two checks find, by code and place."""

    def look(data):
        checked = subject(data)
        findings = [*monitoring.check(checked), *kubernetes_version.check(checked)]
        return [(finding.code, finding.place) for finding in findings]

    return look


@pytest.mark.parametrize("name", ["vision", "kube-system", "default"])
def test_the_stack_is_installed_into_a_namespace_of_its_own(data, found, name):
    data["monitoring"] = {"namespace": name}
    assert found(data) == [("monitoring-namespace-taken", ("monitoring", "namespace"))]


def test_the_namespace_of_the_operator_is_taken_too(data, found):
    data["training_operator"] = {"namespace": "operators"}
    data["monitoring"] = {"namespace": "operators"}
    assert found(data) == [("monitoring-namespace-taken", ("monitoring", "namespace"))]


def test_what_is_there_already_may_be_anywhere(data, found):
    data["monitoring"] = {"install": False, "namespace": "vision"}
    assert found(data) == []


def test_a_relay_is_not_put_where_tenants_let_nobody_through(data, found):
    robot = {"name": "ops", "wecom_robot": {"url_secret": "ops"}}
    data["monitoring"] = {"install": False, "namespace": "vision"}
    data["alerts"] = {"receivers": [robot], "default_receiver": "ops"}
    assert found(data) == [("monitoring-namespace-taken", ("monitoring", "namespace"))]
    data["tenants"][0]["network_policy"] = False
    assert found(data) == []


@pytest.mark.parametrize("name", ["online-high", "system-cluster-critical"])
def test_servers_have_a_class_of_the_stack_or_of_the_system(data, found, name):
    data["monitoring"] = {"priority": name}
    assert found(data) == []


def test_a_class_that_is_not_declared_is_told(data, found):
    data["monitoring"] = {"priority": "online-hihg"}
    assert found(data) == [("unknown-priority", ("monitoring", "priority"))]


def test_alerts_and_dashboards_are_nothing_without_monitoring(data, found):
    data["alerts"] = {"language": "zh"}
    data["dashboards"] = [{"name": "ours", "file": "ours.json"}]
    assert found(data) == [("without-monitoring", ("alerts",))]
    del data["alerts"]
    assert found(data) == [("without-monitoring", ("dashboards",))]
    data["monitoring"] = {}
    assert found(data) == []


@pytest.mark.parametrize(
    ("version", "faults"), [("1.24", 2), ("1.26", 1), ("1.27.3", 0), ("1.36", 0), ("1.37", 2)]
)
def test_what_is_installed_is_made_for_the_clusters_version(data, found, version, faults):
    data["monitoring"] = {}
    data["kubernetes_version"] = version
    assert found(data) == [("kubernetes-version-unsupported", ("kubernetes_version",))] * faults


def test_of_another_version_of_the_chart_nothing_is_known(data, found):
    data["kubernetes_version"] = "1.26"
    data["training_operator"] = {"install": False, "namespace": "vision"}
    data["monitoring"] = {"chart": {"version": "70.0.0"}}
    assert found(data) == []


@pytest.mark.parametrize(
    ("interval", "codes"),
    [
        ("2m", []),
        ("120s", []),
        ("2m1s", ["scrape-interval-too-long"]),
        ("1h", ["scrape-interval-too-long"]),
    ],
)
def test_rates_over_five_minutes_need_two_samples(data, found, interval, codes):
    data["monitoring"] = {"prometheus": {"scrape_interval": interval}}
    assert found(data) == [(code, ("monitoring", "prometheus", "scrape_interval")) for code in codes]
