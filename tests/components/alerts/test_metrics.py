"""Every metric of our rules is one that an exporter of this stack serves, with the labels used."""

import re

import pytest

from components.rendering.alerts import layers, records
from infra.checks.series import DEAD_LABELS, dropped
from infra.promql import labels_used, selectors
from tests.components.alerts.conftest import FACTS
from tests.metrics.served import lacking, resulting, served

ALERTS = [alert for found in layers(FACTS).values() for alert in found]
RULES = [*ALERTS, *records(FACTS)]
SERVED = served()


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_every_metric_and_label_is_served(rule):
    assert lacking(rule.expr, SERVED) == []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_f11_no_rule_asks_for_what_the_chart_drops_by_its_own_settings(rule):
    assert [
        dropped(s, throttling_kept=False) for s in selectors(rule.expr) if dropped(s, throttling_kept=False)
    ] == []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_g1_no_rule_uses_labels_that_are_gone_or_exported(rule):
    assert labels_used(rule.expr) & DEAD_LABELS.keys() == set()


@pytest.mark.parametrize("alert", ALERTS, ids=lambda alert: alert.name)
def test_texts_show_labels_that_the_result_has(alert):
    texts = (alert.summary, alert.description)
    shown = {label for text in texts for label in re.findall(r"\$labels\.(\w+)", text.en + text.zh)}
    assert shown <= resulting(alert.expr, SERVED)


def test_what_is_recorded_has_the_labels_of_its_list():
    for record in records(FACTS):
        assert resulting(record.expr, SERVED) == SERVED[record.name]


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("nosuch_metric > 1", "no exporter serves nosuch_metric"),
        ('kube_pod_info{pod_name="x"}', "kube_pod_info has no label pod_name"),
        ("sum by (tfjob) (kube_pod_info)", "nothing in kube_pod_info{} has the label tfjob"),
        ("kube_pod_info * on (gpu) kube_pod_info", "is joined on gpu, which it has not"),
        ("kube_pod_info * on (pod) group_left (gpu) kube_pod_labels", "is to give gpu, which it has not"),
        ("max by (pod) (sum by (node) (kube_pod_info))", "has the label pod"),
    ],
)
def test_what_no_exporter_serves_is_found(expression, said):
    assert any(said in fault for fault in lacking(expression, SERVED))
