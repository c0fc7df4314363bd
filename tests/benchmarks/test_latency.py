"""The latency benchmark: what it runs, and how rounds become a table. No cluster."""

import pytest

from benchmarks.latency import results
from benchmarks.latency.cluster import rendered
from benchmarks.latency.load import Answers
from benchmarks.latency.measure import Plan, Round, examples_per_second, record
from benchmarks.latency.settings import NAMESPACE, SETTINGS

IMAGE = "colocation.local/tensorflow:1"


def settings(name):
    return next(setting for setting in SETTINGS if setting.name == name)


def container(name):
    [job] = [item for item in rendered(settings(name), IMAGE) if item["kind"] == "TFJob"]
    [found] = job["spec"]["tfReplicaSpecs"]["Worker"]["template"]["spec"]["containers"]
    return found


def measured(name, *, p99, node_cpu=0.5, pace=None):
    answers = Answers(
        p50=1, p95=2, p99=p99, worst=9, answered=1, node_cpu=node_cpu, steal=0, began=0, ended=1
    )
    return Round(setting=name, answers=answers, examples_per_second=pace)


def run_of(*rounds):
    return record(Plan(), rounds)


def test_the_settings_differ_in_what_the_training_asks_for():
    assert container("unbounded").get("resources", {}) == {}
    assert container("article")["resources"]["requests"]["cpu"] == "1"
    assert container("ours")["resources"] == container("protected")["resources"]


def test_node_protection_is_all_that_is_added_to_our_setting():
    kinds = {setting.name: [item["kind"] for item in rendered(setting, IMAGE)] for setting in SETTINGS}
    assert [name for name, found in kinds.items() if "DaemonSet" in found] == ["idle", "protected"]
    assert set(kinds["ours"]) < set(kinds["protected"])


def test_everything_lies_in_namespaces_of_its_own():
    for setting in SETTINGS:
        homes = {item["metadata"].get("namespace") for item in rendered(setting, IMAGE)} - {None}
        assert homes <= {NAMESPACE, f"{NAMESPACE}-nodes"}


def test_each_setting_is_compared_with_no_training():
    run = run_of(
        *(measured("alone", p99=p99) for p99 in (4, 5, 9)),
        *(measured("ours", p99=p99, pace=800) for p99 in (10, 20, 12)),
    )
    alone, ours = results.summaries(run)
    assert (alone.times_alone, ours.times_alone) == (1, 12 / 5)
    assert (ours.latency["p99"].lowest, ours.latency["p99"].highest, ours.rounds) == (10, 20, 3)
    assert alone.examples_per_second is None


def test_the_table_has_medians_and_the_spread():
    text = results.table(results.summaries(run_of(measured("alone", p99=4), measured("alone", p99=6))))
    assert "| no training | 1.0 (1.0 to 1.0) | 2.0 (2.0 to 2.0) | 5.0 (4.0 to 6.0) |" in text


def test_the_page_states_machine_and_versions():
    text = results.page(run_of(measured("alone", p99=4)), "latency.svg")
    assert "](latency.svg)" in text
    assert "vegeta v12." in text


def test_the_chart_has_a_bar_for_each_setting():
    pytest.importorskip("matplotlib")
    svg = results.chart(results.summaries(run_of(measured("alone", p99=4), measured("ours", p99=8, pace=1))))
    assert svg.lstrip().startswith("<")
    assert "ours" in svg


@pytest.mark.parametrize(
    ("progress", "pace"),
    [([(9.5, 10), (10.0, 100), (11.0, 300), (12.0, 500), (13.5, 900)], 200), ([(9.0, 1), (10.5, 2)], 0)],
)
def test_the_trainings_pace_counts_what_lies_between_two_moments(progress, pace):
    assert examples_per_second(progress, 10.0, 12.5) == pace
