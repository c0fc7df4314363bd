"""What holds for every dashboard of this project, and what some of them ask."""

from __future__ import annotations

import json
import re
from itertools import combinations

import pytest
from grafana_foundation_sdk.cog import plugins
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models.dashboard import Dashboard
from promql_parser import AggregateExpr, BinaryExpr, ParenExpr

from components.rendering.dashboards import Shown, dashboards
from components.rendering.dashboards.grafana import grafana_json
from components.rendering.dashboards.parts import Choice, Text, Variable
from components.rendering.dashboards.promql import class_matchers
from infra.checks.dashboard_lint import flaws
from infra.promql import labels_used, metrics_used, nodes, parse, selectors
from tests.metrics.served import lacking, resulting, served

SHOWN = Shown(
    operator_namespace="operators",
    tenants=("kubeflow", "vision"),
    offline_classes=("offline-low", "offline-mid"),
)
SERVED = served()
PAGES = {page.name: page for page in dashboards(SHOWN)}
PANELS = [(page, panel) for page in PAGES.values() for panel in page.panels]
QUERIES = [(page, panel, query) for page, panel in PANELS for query in panel.queries]
plugins.register_default_plugins()
every_page = pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
every_panel = pytest.mark.parametrize(
    ("page", "panel"), PANELS, ids=[f"{page.name}: {panel.title}" for page, panel in PANELS]
)


def data(page):
    return json.loads(grafana_json(page))


def readable(expr):
    return expr.replace("$__rate_interval", "5m")


def test_there_is_one_for_each_question():
    assert list(PAGES) == ["cluster", "node", "gpu", "tenants", "training-jobs", "colocation"]


def test_without_tenants_or_offline_work_there_is_no_page_about_them():
    bare = [page.name for page in dashboards(Shown(operator_namespace="kubeflow"))]
    assert bare == ["cluster", "node", "gpu", "training-jobs"]


@every_page
def test_the_same_dashboard_is_the_same_text_every_time(page):
    assert grafana_json(page) == grafana_json(next(p for p in dashboards(SHOWN) if p.name == page.name))


@every_page
def test_grafanas_own_types_read_what_they_wrote(page):
    loaded = Dashboard.from_json(data(page))
    loaded.links[0].placement = ""  # which the SDK reads as its default
    assert json.dumps(loaded, cls=JSONEncoder, sort_keys=True, indent=1) == grafana_json(page)


@every_page
def test_a_page_has_what_grafana_needs_to_load_it_from_a_file(page):
    loaded = data(page)
    assert loaded["uid"] == f"colocation-{page.name}"
    assert len(loaded["uid"]) <= 40
    assert loaded.get("id") is None
    assert loaded["schemaVersion"] >= 36
    assert (loaded["time"], loaded["refresh"]) == ({"from": "now-1h", "to": "now"}, "30s")
    assert loaded["title"]
    assert loaded["description"]


@every_page
def test_parts_have_numbers_of_their_own_and_do_not_lie_on_one_another(page):
    parts = data(page)["panels"]
    assert len({part["id"] for part in parts}) == len(parts)
    places = [part["gridPos"] for part in parts]
    for place in places:
        assert place["x"] + place["w"] <= 24
    for one, other in combinations(places, 2):
        beside = one["x"] + one["w"] <= other["x"] or other["x"] + other["w"] <= one["x"]
        below = one["y"] + one["h"] <= other["y"] or other["y"] + other["h"] <= one["y"]
        assert beside or below, (one, other)


@every_panel
def test_a_panel_says_what_it_shows_and_in_which_unit(page, panel):
    assert panel.title
    assert panel.description.endswith(".")
    assert panel.unit
    assert panel.queries
    values = [threshold.value for threshold in panel.thresholds]
    assert values == sorted(values)


@every_page
def test_titles_on_a_page_differ(page):
    titles = [panel.title for row in page.rows for panel in row.panels]
    assert len(set(titles)) == len(titles)


@every_panel
def test_every_question_can_be_read_by_prometheus(page, panel):
    for query in panel.queries:
        parse(readable(query.expr))


@every_panel
def test_only_variables_of_the_page_are_used(page, panel):
    known = {variable.name for variable in page.variables}
    for query in panel.queries:
        used = set(re.findall(r"\$\{?([a-z_]+)", query.expr))
        assert used <= known | {"__rate_interval"}


@every_page
def test_the_linter_for_ones_own_dashboards_finds_nothing(page):
    assert list(flaws(data(page), installed=True)) == []
    assert list(flaws(data(page), installed=False)) == []


@every_page
def test_every_question_goes_to_the_chosen_prometheus(page):
    chosen = {"type": "prometheus", "uid": "${datasource}"}
    loaded = data(page)
    targets = [target for part in loaded["panels"] for target in part.get("targets", ())]
    assert all(target["datasource"] == chosen for target in targets)
    first, *others = loaded["templating"]["list"]
    assert (first["name"], first["type"], first["query"]) == ("datasource", "datasource", "prometheus")
    assert all(other["datasource"] == chosen for other in others if other["type"] == "query")


def test_the_namespace_is_chosen_among_those_that_have_containers():
    """As the article says it."""
    for name in ("cluster", "gpu", "training-jobs", "colocation"):
        [found] = [v for v in PAGES[name].variables if v.name == "namespace"]
        assert isinstance(found, Variable)
        assert found.query == "label_values(container_cpu_usage_seconds_total, namespace)"


def test_tenants_are_those_of_the_stack():
    [found] = PAGES["tenants"].variables
    assert isinstance(found, Choice)
    assert found.values == ("kubeflow", "vision")
    [written] = [v for v in data(PAGES["tenants"])["templating"]["list"] if v["name"] == "namespace"]
    assert written["query"] == "kubeflow,vision"


def test_pages_link_to_each_other_and_links_lead_to_pages():
    for page in PAGES.values():
        [link] = data(page)["links"]
        assert (link["type"], link["tags"], data(page)["tags"]) == (
            "dashboards",
            ["colocation"],
            ["colocation"],
        )
    urls = [(link, panel) for _, panel in PANELS for link in panel.links]
    assert urls
    for link, panel in urls:
        uid, variables = re.match(r"/d/colocation-([a-z-]+)\?\$\{__url_time_range\}(.*)", link.url).groups()
        named = re.findall(r"var-([a-z]+)=", variables)
        assert set(named) <= {variable.name for variable in PAGES[uid].variables}
        assert link.column in panel.columns


@every_panel
def test_every_metric_and_label_is_served(page, panel):
    for query in panel.queries:
        assert lacking(readable(query.expr), SERVED) == []


@every_panel
def test_legends_and_columns_show_labels_that_the_series_have(page, panel):
    for query in panel.queries:
        shown = {*re.findall(r"\{\{(\w+)\}\}", query.legend), *panel.columns}
        assert shown <= resulting(readable(query.expr), SERVED)


def test_a_job_in_the_table_comes_with_the_command_that_shows_its_logs():
    [panel] = [panel for panel in PAGES["training-jobs"].panels if panel.title == "Conditions and commands"]
    assert "kubectl logs -n $1 -l training.kubeflow.org/job-name=$2" in panel.queries[0].expr
    assert "logs" in panel.columns
    assert [link.column for link in panel.links] == ["tfjob"]


def test_what_to_type_names_the_operators_own_namespace():
    [text] = [p for row in PAGES["training-jobs"].rows for p in row.panels if isinstance(p, Text)]
    assert "kubectl logs -n operators deployment/training-operator" in text.markdown
    assert "-n kubeflow" not in text.markdown
    assert "training.kubeflow.org/job-name in (${tfjob:csv})" in text.markdown


@every_panel
def test_a_join_outlives_a_replaced_exporter(page, panel):
    """Two series of the same, from the old pod and the new one, would make Prometheus refuse it."""
    for query in panel.queries:
        for node in nodes(parse(readable(query.expr))):
            if isinstance(node, BinaryExpr) and node.modifier and node.modifier.matching:
                assert is_aggregated(node.rhs), node.rhs


def is_aggregated(node):
    if isinstance(node, ParenExpr):
        return is_aggregated(node.expr)
    if isinstance(node, BinaryExpr):
        return is_aggregated(node.lhs)
    return isinstance(node, AggregateExpr)


def test_online_is_every_class_that_is_neither_offline_nor_the_systems():
    matchers = {
        (operator, value)
        for _, _, query in QUERIES
        for selector in selectors(readable(query.expr))
        for label, operator, value in selector.matchers
        if label == "priority_class"
    }
    assert matchers == {
        ("!~", "offline-low|offline-mid|system-.*"),
        ("=~", "offline-low|offline-mid"),
        ("=~", "system-.*"),
    }


def test_a_dot_in_the_name_of_a_class_is_that_dot_alone():
    of = class_matchers(["batch.low"])["offline"].removeprefix("priority_class=~").strip('"')
    assert [name for name in ("batch.low", "batch-low") if re.fullmatch(of, name)] == ["batch.low"]


def test_every_progress_of_a_training_has_a_panel():
    asked = {m for panel in PAGES["training-jobs"].panels for q in panel.queries for m in used(q)}
    assert {
        "training_loss",
        "training_accuracy",
        "training_epoch",
        "training_step",
        "training_examples_per_second",
        "training_last_progress_timestamp_seconds",
        "training_checkpoint_timestamp_seconds",
        "kube_tfjob_status_condition",
        "kube_pod_container_status_restarts_total",
    } <= asked


def used(query):
    return metrics_used(readable(query.expr))


def test_g1_gpus_are_attributed_by_the_workloads_own_labels():
    """honorLabels is true: `pod` is the workload's, and `exported_pod` does not exist."""
    asking = [q for _, _, q in QUERIES if any(m.startswith("DCGM_") for m in used(q))]
    assert asking
    for query in asking:
        assert not {label for label in labels_used(readable(query.expr)) if label.startswith("exported_")}
    assert not [q for q in asking if any(m.startswith("DCGM_FI_PROF_") for m in used(q))]


def test_f11_no_page_asks_for_series_that_the_chart_drops():
    """Throttling is counted in periods, which it keeps."""
    asked = {metric for _, _, query in QUERIES for metric in used(query)}
    assert "container_cpu_cfs_throttled_periods_total" in asked
    assert not [metric for metric in asked if metric.startswith(("container_spec", "container_fs_"))]
    assert "container_cpu_cfs_throttled_seconds_total" not in asked
