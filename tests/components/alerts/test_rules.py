"""What holds for every alert of this project."""

import pytest

from components.rendering.alerts import Facts, Limits, alert_names, layers, rule_specs
from infra.models import Stack
from tests.components.alerts.conftest import FACTS
from tests.infra.conftest import SMALL
from tests.metrics.served import resulting, served

ALERTS = [alert for found in layers(FACTS).values() for alert in found]
STATES = {
    "NodeNotReady",
    "NodeUnderPressure",
    "GPURowRemapFailed",
    "PodOOMKilled",
    "PodImagePullFailing",
    "OnlinePodEvicted",
    "TFJobFailed",
}
"""Alerts whose value is always the same, and says nothing."""


@pytest.mark.parametrize("language", ["en", "zh"])
def test_prometheus_accepts_every_rule(promtool, rule_files, language):
    files = [str(file) for file in rule_files[language].glob("[a-z]*.yaml") if "test-" not in file.name]
    assert len(files) == 3
    done = promtool("check", "rules", "--lint=all", "--lint-fatal", *files)
    assert done.returncode == 0, done.stdout + done.stderr


def test_names_are_told_apart_and_known_whatever_the_stack():
    assert len(set(alert_names())) == len(alert_names())
    assert set(alert_names()) == {alert.name for alert in ALERTS}


@pytest.mark.parametrize("alert", ALERTS, ids=lambda alert: alert.name)
def test_a_description_says_the_value_in_both_languages(alert):
    for text in (alert.description.en, alert.description.zh):
        assert ("$value" in text) == (alert.name not in STATES)


@pytest.mark.parametrize("alert", ALERTS, ids=lambda alert: alert.name)
def test_the_two_languages_tell_of_the_same_labels(alert):
    def told(text):
        return {word for word in text.replace("}", " ").split() if word.startswith("$labels.")}

    for text in (alert.summary, alert.description):
        assert told(text.en) == told(text.zh)
        assert not text.en.isascii() or text.en != text.zh


def test_a_stack_without_gpus_has_no_rules_of_gpus():
    names = {alert.name for alert in layers(Facts(namespaces=("vision",)))["node"]}
    assert not any(name.startswith("GPU") for name in names)


def test_where_the_exporter_of_others_runs_no_alert_says_who_holds_a_gpu():
    ours, theirs = (
        layers(Facts(namespaces=("vision",), gpus=True, gpu_holders=known))["node"] for known in (True, False)
    )
    assert {alert.name for alert in ours} - {alert.name for alert in theirs} == {"GPUIdleThoughAllocated"}
    gpu = [alert for alert in theirs if alert.name.startswith("GPU")]
    assert gpu
    assert not [alert.name for alert in gpu if {"namespace", "pod"} & resulting(alert.expr, served())]


@pytest.mark.parametrize("installed", [True, False])
def test_who_holds_a_gpu_is_known_where_our_exporter_runs(installed):
    stack = Stack.model_validate(SMALL | {"monitoring": {"gpu_metrics": {"install": installed}}})
    assert Facts.of(stack).gpu_holders == installed


def test_a_stack_without_classes_or_schedules_has_no_rules_that_tell_them_apart():
    bare = layers(Facts(namespaces=("vision",)))
    assert [alert.name for alert in bare["pod"]] == ["QuotaNearlyUsed"]
    assert "ScheduledTrainingMissed" not in {alert.name for alert in bare["job"]}


def test_a_layer_without_rules_is_no_object():
    assert rule_specs(Facts(namespaces=())).keys() == {"node"}


def test_limits_are_arguments():
    short = Facts(namespaces=("vision",), limits=Limits(progress_seconds=7, hold="1s"))
    alerts = {alert.name: alert for alert in layers(short)["job"]}
    assert "> 7\n" in alerts["TFJobNoProgress"].expr
    assert {alert.for_ for alert in alerts.values()} == {"1s"}


@pytest.mark.parametrize("url", ["https://git.example.org/runbooks", "https://git.example.org/runbooks/"])
def test_an_alert_links_to_its_page_where_the_stack_says_where_pages_are(url):
    for spec in rule_specs(FACTS, runbooks=url).values():
        alerts = [rule for group in spec["groups"] for rule in group["rules"] if "alert" in rule]
        links = {rule["alert"]: rule["annotations"]["runbook_url"] for rule in alerts}
        assert links == {name: f"https://git.example.org/runbooks/{name}.md" for name in links}
