"""Rules of one's own, and names of this project's alerts."""

import pytest

from infra.checks import alerts

GOOD = {"alert": "QueueLong", "expr": "queue_length > 5", "labels": {"severity": "warning"}}


@pytest.fixture
def said(data, subject):
    """What is found in one rule: code, the place within it, and the sentence."""

    def look(monitoring=None, disabled=(), **change):
        data["alerts"] = {"rules": [GOOD | change], "disabled": list(disabled)}
        if monitoring is not None:
            data["monitoring"] = monitoring
        return [(f.code, f.place[3:], f"{f.message}; {f.remedy}") for f in alerts.check(subject(data))]

    return look


def test_a_good_rule_is_fine(said):
    assert said() == []


def test_an_expression_that_cannot_be_read_is_shown_from_where_it_goes_wrong(said):
    [(code, place, sentence)] = said(expr="queue_length = 5")
    assert (code, place) == ("rule-unreadable", ("expr",))
    assert "from character 14 on, '= 5'" in sentence


@pytest.mark.parametrize(
    ("expr", "result"),
    [
        ("up[5m]", "a range of values"),
        ("(up[5m] offset 1h)", "a range of values"),
        ("up[5m:1m]", "a range of values"),
        ("((max_over_time(up[5m])[1h:]))", "a range of values"),
        ('"up"', "a text"),
        ("('up')", "a text"),
    ],
)
def test_an_expression_of_which_no_rule_can_be_made_is_refused(said, expr, result):
    [(code, place, sentence)] = said(expr=expr)
    assert (code, place) == ("rule-unreadable", ("expr",))
    assert f"its result is {result}" in sentence


def test_ranges_and_texts_within_an_expression_are_fine(said):
    assert said(expr='label_replace(rate(a_total[5m]), "b", "$1", "c", "(.*)") > 1') == []


def test_an_experimental_function_is_named(said):
    [(code, _, sentence)] = said(expr="mad_over_time(queue_length[5m]) > 1")
    assert (code, "mad_over_time is an experimental function" in sentence) == ("rule-unreadable", True)


@pytest.mark.parametrize("label", ["__name__", "__tmp", "__"])
def test_a_label_of_prometheus_own_is_refused(stack_file, data, faults, label):
    data["alerts"] = {"rules": [GOOD | {"labels": {"severity": "warning", label: "x"}}]}
    [sentence] = faults(stack_file(data))
    assert "does not begin with __" in sentence


def test_a_fault_of_a_template_is_at_its_annotation(said):
    [(code, place, _)] = said(annotations={"summary": "fine", "description": "{{ $labels.x }"})
    assert (code, place) == ("rule-template", ("annotations", "description"))


def test_f4_a_label_that_selects_rules_belongs_on_the_object(said):
    [(code, place, _)] = said(labels={"severity": "warning", "release": "obs"})
    assert (code, place) == ("rule-label-in-wrong-place", ("labels", "release"))
    monitoring = {"install": False, "labels": {"obs": "yes"}}
    [(code, place, _)] = said(monitoring, labels={"severity": "warning", "obs": "yes"})
    assert (code, place) == ("rule-label-in-wrong-place", ("labels", "obs"))


@pytest.mark.parametrize(
    ("monitoring", "found"),
    [({"install": True}, []), ({"install": False}, ["rule-series-dropped"]), (None, ["rule-series-dropped"])],
)
def test_f11_throttled_seconds_are_there_where_this_stack_installs_the_chart(said, monitoring, found):
    expr = "rate(container_cpu_cfs_throttled_seconds_total[5m]) > 0.1"
    assert [code for code, _, _ in said(monitoring, expr=expr)] == found


@pytest.mark.parametrize(
    ("expr", "instead"),
    [
        ('container_memory_swap{pod="x"} > 0', "ask for another metric"),
        ('container_memory_rss{id="/"} > 0', "take totals of nodes from node-exporter"),
        ("container_spec_cpu_quota > 0", "kube_pod_container_resource_limits"),
    ],
)
def test_f11_series_that_the_chart_drops_are_found_in_any_stack(said, expr, instead):
    [(code, _, sentence)] = said({"install": True}, expr=expr)
    assert code == "rule-series-dropped"
    assert instead in sentence


def test_labels_that_are_gone_are_found_in_metrics_of_exporters_only(said):
    [(code, _, sentence)] = said(expr='sum by (pod_name) (container_memory_rss{container_name="x"}) > 1')[:1]
    assert (code, "write container" in sentence) == ("rule-label-gone", True)
    assert said(expr='queue_length{pod_name="x"} > 1') == []


def test_g1_the_workload_of_a_gpu_is_in_pod(said):
    [(code, _, sentence)] = said(expr='DCGM_FI_DEV_GPU_UTIL{exported_pod="x"} > 1')
    assert (code, "write pod" in sentence) == ("rule-label-gone", True)


def test_g1_an_exporter_of_others_may_call_the_workload_otherwise(said):
    foreign = {"install": False, "gpu_metrics": {"install": False}}
    assert said(foreign, expr='DCGM_FI_DEV_GPU_UTIL{exported_pod="x"} > 1') == []
    assert [code for code, *_ in said(foreign, expr='kube_pod_info{exported_pod="x"} > 1')] == [
        "rule-label-gone"
    ]


def test_a_name_of_ours_is_free_once_ours_is_disabled(said):
    assert [code for code, _, _ in said(alert="TFJobFailed")] == ["rule-name-taken"]
    assert said(alert="TFJobFailed", disabled=["TFJobFailed"]) == []


def test_a_disabled_alert_that_does_not_exist_is_told_with_the_nearest(said):
    [(code, _, sentence)] = said(disabled=["TFJobFaild"])
    assert (code, "write TFJobFailed" in sentence) == ("unknown-alert", True)


def test_a_rule_without_severity_is_advised_to_have_one(said):
    assert [code for code, _, _ in said(labels={})] == ["rule-without-severity"]


@pytest.mark.parametrize("severity", ["", "warn"])
def test_a_severity_that_no_route_knows_is_told(said, severity):
    [(code, place, sentence)] = said(labels={"severity": severity})
    assert (code, place) == ("rule-severity-unknown", ("labels", "severity"))
    assert f"no route can be for {severity or 'an empty severity'}; write " in sentence


@pytest.mark.parametrize("name", ["Watchdog", "InfoInhibitor"])
def test_a_name_that_goes_to_nobody_is_refused(said, name):
    [(code, place, _)] = said(alert=name)
    assert (code, place) == ("rule-for-nobody", ("alert",))


def test_the_label_of_test_alerts_is_refused(said):
    [(code, place, _)] = said(labels={"severity": "warning", "colocation_test_receiver": "ops"})
    assert (code, place) == ("rule-label-reserved", ("labels", "colocation_test_receiver"))
