"""Dashboards of one's own: there, fit, and asking for what this stack has."""

from __future__ import annotations

import json
import time

import pytest

from infra.checks import dashboards, examine
from infra.checks.grafana_queries import asked, readable
from infra.dashboard_files import DashboardFiles
from infra.load import StackFileError
from infra.plan import plan
from infra.promql import PromqlError, selectors

INSTALLED, ATTACHED = {}, {"install": False}


def page(*exprs, title="CPU", legend="", **change):
    targets = [{"expr": expr, "legendFormat": legend} for expr in exprs]
    return {"title": "Mine", "panels": [{"title": title, "targets": targets}], **change}


@pytest.fixture
def found(data, subject):
    """What is found in a dashboard: severity, code and sentence."""

    def look(content, monitoring=INSTALLED, name="mine.json"):
        data["monitoring"] = monitoring
        data["dashboards"] = [{"name": "mine", "file": "mine.json"}]
        text = content if isinstance(content, str) else json.dumps(content)
        object.__setattr__(given := subject(data), "dashboards", DashboardFiles({name: text}))
        findings = list(dashboards.check(given))
        assert {finding.place for finding in findings} <= {("dashboards", 0, "file")}
        return [(f.severity, f.code, f"{f.message}; {f.remedy}") for f in findings]

    return look


def test_a_dashboard_that_asks_for_what_there_is_is_fine(found):
    good = 'sum by (pod) (rate(container_cpu_usage_seconds_total{namespace=~"$namespace"}[$__rate_interval]))'
    assert found(page(good, legend="{{pod}}")) == []


def test_a_file_that_is_not_there_is_told_with_the_nearest_that_is(found):
    [(severity, code, sentence)] = found(page("up"), name="mime.json")
    assert (severity, code) == ("fault", "unknown-dashboard")
    assert sentence.endswith("write mime.json")


def test_what_is_no_dashboard_is_told_by_its_own_code(found):
    assert [code for _, code, _ in found("{")] == ["dashboard-no-json"]
    assert [code for _, code, _ in found("{}")] == ["no-dashboard"]
    assert [code for _, code, _ in found({"title": "a"})] == ["dashboard-empty"]


def test_g5_an_input_that_nothing_resolves_is_a_fault(found):
    lost = page("up")
    lost["panels"][0]["datasource"] = {"type": "prometheus", "uid": "${DS_PROMETHEUS}"}
    [(severity, code, sentence)] = found(lost)
    assert (severity, code) == ("fault", "dashboard-input")
    assert "${DS_PROMETHEUS}" in sentence
    declared = {"name": "DS_PROMETHEUS", "type": "datasource", "pluginId": "prometheus"}
    assert found({**lost, "__inputs": [declared]}) == []


def test_what_no_config_map_holds_is_a_fault(found):
    [(_, code, sentence)] = found(page("up", description="x" * 2**20))
    assert code == "dashboard-too-large"
    assert "split it" in sentence


@pytest.mark.parametrize(
    ("expr", "code", "remedy"),
    [
        ("sum by (pod_name) (container_memory_rss)", "dashboard-dead-label", "write pod"),
        ('container_memory_rss{container_name!=""}', "dashboard-dead-label", "write container"),
        ('machine_cpu_cores{kubernetes_io_hostname=~"^$Node$"}', "dashboard-dead-label", "write node"),
        ('container_memory_rss{systemd_service_name!=""}', "dashboard-dead-label", "only pods are shown"),
        ('container_memory_rss{name=~"^k8s_.*"}', "dashboard-dead-label", 'container!=""'),
        ("kubelet_running_pod_count", "dashboard-dead-metric", "kubelet_running_pods"),
        (
            "sum(kube_pod_container_resource_requests_cpu_cores)",
            "dashboard-dead-metric",
            'kube_pod_container_resource_requests{resource="cpu"}',
        ),
        ('rate(container_cpu_usage_seconds_total{id="/"}[1m])', "dashboard-dropped-series", "node-exporter"),
    ],
)
def test_g6_series_and_labels_of_old_kubernetes_are_faults_with_the_panels_title(found, expr, code, remedy):
    for monitoring in (INSTALLED, ATTACHED):
        [(severity, told, sentence)] = found(page(expr, title="Cluster CPU"), monitoring)
        assert told == code
        assert severity == ("warning" if code == "dashboard-dropped-series" and monitoring else "fault")
        assert sentence.startswith("mine.json: panel Cluster CPU ")
        assert remedy in sentence


def test_a_label_in_a_legend_counts_and_one_that_the_expression_makes_does_not(found):
    [(_, code, _)] = found(page("container_memory_rss", legend="{{ pod_name }}"))
    assert code == "dashboard-dead-label"
    made = 'label_replace(container_memory_rss, "pod_name", "$1", "pod", "(.+)")'
    assert found(page(f"sum by (pod_name) ({made})", legend="{{pod_name}}")) == []


def test_a_label_of_ones_own_program_may_be_called_anything(found):
    assert found(page('my_queue_length{pod_name="a", exported_pod="b"}')) == []


def test_g1_labels_that_another_way_of_scraping_renames_are_faults(found):
    [(severity, code, sentence)] = found(page("avg by (exported_pod) (DCGM_FI_DEV_GPU_UTIL)"))
    assert (severity, code) == ("fault", "dashboard-exported-label")
    assert sentence.endswith("write pod")


def test_g1_an_exporter_of_others_may_rename_them(found):
    foreign = {"install": False, "gpu_metrics": {"install": False}}
    assert found(page("avg by (exported_pod) (DCGM_FI_DEV_GPU_UTIL)"), foreign) == []
    [(_, code, _)] = found(page("avg by (exported_pod) (container_memory_rss)"), foreign)
    assert code == "dashboard-exported-label"


@pytest.mark.parametrize(
    ("expr", "right"),
    [
        ('up{job="kube-prometheus-stack-node-exporter"}', "node-exporter"),
        ('up{job="node_exporter"}', "node-exporter"),
        ('up{job=~"kubernetes-(cadvisor|nodes)"}', "kubelet"),
    ],
)
def test_jobs_by_their_names_elsewhere_are_told_with_the_right_one(found, expr, right):
    [(severity, code, sentence)] = found(page(expr))
    assert (severity, code) == ("fault", "dashboard-foreign-job")
    assert sentence.endswith(f'write job="{right}"')
    [(severity, _, _)] = found(page(expr), ATTACHED)
    assert severity == "warning"  # somebody else's stack may call them so


@pytest.mark.parametrize(
    "expr",
    [
        'up{job="node-exporter"}',
        'up{job="my-service"}',
        'up{job=~"$job"}',
        'up{job=~"node.*"}',
        'up{job!="node"}',
    ],
)
def test_jobs_of_this_stack_of_ones_own_and_chosen_ones_are_fine(found, expr):
    assert found(page(expr)) == []


def test_f11_dropped_series_are_faults_and_throttled_seconds_are_kept_by_our_own_values(found):
    [(_, code, _)] = found(page("container_spec_memory_limit_bytes"))
    assert code == "dashboard-dropped-series"
    throttled = "rate(container_cpu_cfs_throttled_seconds_total[5m])"
    assert found(page(throttled)) == []
    [(severity, _, sentence)] = found(page(throttled), ATTACHED)
    assert severity == "warning"
    assert sentence.endswith("write container_cpu_cfs_throttled_periods_total")


def test_what_prometheus_cannot_read_is_a_fault(found):
    [(_, code, sentence)] = found(page("sum(rate(up[5m])", title="Broken"))
    assert code == "dashboard-query"
    assert "panel Broken asks what Prometheus cannot read" in sentence


def test_questions_of_variables_are_looked_at_too(found):
    node = {"name": "node", "type": "query", "query": "label_values(kube_node_info, kubernetes_io_hostname)"}
    [(_, code, sentence)] = found(page("up", templating={"list": [node]}))
    assert (code, "variable node" in sentence) == ("dashboard-dead-label", True)


def test_questions_to_other_data_sources_are_left_alone(found):
    logs = page('{app="x"} |= "error"')
    logs["panels"][0]["datasource"] = {"type": "loki", "uid": "x"}
    assert found(logs) == []


@pytest.mark.parametrize(
    "expr",
    [
        "rate(up[$__rate_interval])",
        "rate(up[${window}])",
        "rate(up[[[window]]])",
        "topk($n, up)",
        "topk($n, rate($metric[$__range]))",
        "up > $limit",
        "sum by ($group) (up)",
        "node_${part}_bytes{node=~'$node'}",
        'up{a="[[node]]", b=~"${node:regex}"}',
        "avg_over_time(up[${__range_s}s]) * $__interval_ms",
        "up offset $shift",
        r'up{a=~"\"$x"} or $metric',
    ],
)
def test_grafanas_own_words_are_replaced_before_a_question_is_read(expr):
    assert selectors(readable(expr))


def test_a_variable_that_names_a_function_leaves_the_question_unread():
    assert readable("$aggregation(up)") is None


def test_a_question_that_no_value_of_its_variables_mends_is_refused():
    with pytest.raises(PromqlError):
        readable("sum($metric")


@pytest.mark.parametrize(
    "monster", ["(" * 4000 + "a" + ")" * 4000, "-" * 9000 + "a", "a+" * 4500 + "a", "$x" * 9999]
)
def test_a_question_that_would_keep_the_parser_busy_for_hours_is_left_unread(monster):
    start = time.process_time()
    assert readable(monster) is None
    assert time.process_time() - start < 1


def test_parts_of_unexpected_shapes_do_not_trip_it():
    odd = {
        "panels": [{"targets": 3}, {"targets": [3, {"expr": 3}]}, {"title": 7, "targets": [{"expr": "up"}]}],
        "templating": {"list": [{"type": "query", "query": 3}, {"type": "query", "query": {"query": None}}]},
    }
    assert [question.where for question in asked(odd)] == ["panel 7"]


def test_dashboards_without_grafana_are_a_warning(data, subject):
    data["monitoring"] = {"grafana": {"install": False}}
    data["dashboards"] = [{"name": "mine", "file": "mine.json"}]
    findings = {f.code: f.severity for f in dashboards.check(subject(data))}
    assert findings == {"dashboard-unseen": "warning", "unknown-dashboard": "fault"}


def test_dashboards_without_monitoring_are_told_of_once(data, subject):
    data["dashboards"] = [{"name": "mine", "file": "mine.json"}]
    assert [f.code for f in examine(subject(data)) if f.severity == "warning"] == ["without-monitoring"]


def test_a_plan_has_the_dashboards_that_the_stack_names(stack_file, data):
    data["monitoring"] = {}
    data["dashboards"] = [{"name": "mine", "file": "mine.json"}]
    file = stack_file(data)
    folder = file.parent / "dashboards"
    folder.mkdir()
    for name in ("mine.json", "other.json"):
        (folder / name).write_text(json.dumps(page("up")))
    assert list(plan(file).dashboards) == ["mine.json"]
    (folder / "mine.json").write_bytes(b"\xff")
    with pytest.raises(StackFileError, match=r"mine\.json is not UTF-8 text; save it as UTF-8"):
        plan(file)
