"""What AlertRules declares."""

import pytest

from components.alert_rules import AlertRules, AlertRulesArgs
from components.rendering.alerts import Facts
from infra.models import AlertsSpec

RULE = "kubernetes:monitoring.coreos.com/v1:PrometheusRule"
FACTS = Facts(namespaces=("vision",), offline_classes=("offline-low",), online_classes=("online-high",))
OWN = {
    "alert": "QueueLong",
    "expr": "queue_length > 5",
    "for": "10m",
    "labels": {"severity": "warning"},
    "annotations": {"summary": "{{ $value }} wait"},
}


@pytest.fixture
def rules(declare):
    """The PrometheusRules of some alerts, by name."""

    def run(facts=FACTS, labels=None, **alerts):
        spec = AlertsSpec.model_validate(alerts)
        args = AlertRulesArgs(facts=facts, spec=spec, namespace="monitoring", labels=labels or {})
        declared = declare(lambda: AlertRules("alert-rules", args))
        return {resource.inputs["metadata"]["name"]: resource.inputs for resource in declared.all(RULE)}

    return run


def names(rule):
    [group] = rule["spec"]["groups"]
    return {found["alert"] for found in group["rules"] if "alert" in found}


def test_each_layer_is_one_object_beside_the_monitoring_stack(rules):
    found = rules()
    assert found.keys() == {"colocation-node", "colocation-pod", "colocation-job"}
    assert {rule["metadata"]["namespace"] for rule in found.values()} == {"monitoring"}


def test_f4_what_prometheus_selects_by_is_on_the_object_and_not_in_the_rules(rules):
    for rule in rules(labels={"release": "obs"}).values():
        assert rule["metadata"]["labels"] == {"release": "obs"}
        assert not any("release" in found.get("labels", {}) for found in rule["spec"]["groups"][0]["rules"])


def test_a_disabled_alert_is_left_out(rules):
    assert "QuotaNearlyUsed" in names(rules()["colocation-pod"])
    assert "QuotaNearlyUsed" not in names(rules(disabled=["QuotaNearlyUsed"])["colocation-pod"])


def test_rules_of_ones_own_are_one_object_more_and_say_what_the_file_says(rules):
    [group] = rules(rules=[OWN])["colocation-own"]["spec"]["groups"]
    assert group["rules"] == [OWN]


def test_what_a_rule_does_not_say_is_not_sent(rules):
    [group] = rules(rules=[{"alert": "Any", "expr": "up == 0"}])["colocation-own"]["spec"]["groups"]
    assert group["rules"] == [{"alert": "Any", "expr": "up == 0"}]


def test_messages_are_in_the_stacks_language(rules):
    def summary(**alerts):
        [group] = rules(**alerts)["colocation-job"]["spec"]["groups"]
        return next(r["annotations"]["summary"] for r in group["rules"] if r["alert"] == "TFJobFailed")

    assert "has failed" in summary()
    assert "失败" in summary(language="zh")
