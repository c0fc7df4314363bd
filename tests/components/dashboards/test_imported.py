"""A dashboard that Grafana has exported becomes one that is loaded from a file."""

from __future__ import annotations

import json

import pytest

from components.rendering.dashboards.imported import UnfitError, fit, panels, uid, written
from infra.checks.dashboard_lint import flaws

EXPORTED = {
    "__inputs": [
        {"name": "DS_PROMETHEUS", "type": "datasource", "pluginId": "prometheus"},
        {"name": "VAR_LIMIT", "type": "constant", "value": "95"},
    ],
    "__requires": [{"type": "grafana", "id": "grafana", "version": "9.0.0"}],
    "__elements": {},
    "id": 17,
    "uid": "Oxed_c6Wz",
    "title": "Mine",
    "templating": {"list": [{"name": "node", "type": "query", "datasource": "${DS_PROMETHEUS}"}]},
    "panels": [
        {
            "title": "CPU",
            "datasource": {"type": "prometheus", "uid": "${DS_PROMETHEUS}"},
            "targets": [{"expr": "up > ${VAR_LIMIT}"}],
        }
    ],
}


def export(**change):
    return json.dumps({**EXPORTED, **change})


def test_g5_inputs_are_resolved_to_a_variable_for_the_data_source():
    page = fit(export(), "mine")
    assert not [key for key in page if key.startswith("__")]
    assert "DS_PROMETHEUS" not in written(page)
    [panel] = page["panels"]
    assert panel["datasource"] == {"type": "prometheus", "uid": "${datasource}"}
    assert panel["targets"] == [{"expr": "up > 95"}]
    made, node = page["templating"]["list"]
    assert (made["name"], made["type"], made["query"]) == ("datasource", "datasource", "prometheus")
    assert node["datasource"] == "${datasource}"


def test_a_variable_for_the_data_source_that_is_there_is_used():
    own = {"name": "source", "type": "datasource", "query": "prometheus"}
    page = fit(export(templating={"list": [own]}), "mine")
    assert page["templating"]["list"] == [own]
    assert page["panels"][0]["datasource"]["uid"] == "${source}"


def test_the_uid_comes_from_the_name_in_the_stack_and_the_id_goes():
    page = fit(export(), "mine")
    assert (page["id"], page["uid"]) == (None, "own-mine")


def test_a_long_name_gives_a_uid_that_grafana_takes_and_that_is_its_own():
    long, other = "a" * 63, "a" * 62 + "b"
    assert len(uid(long)) == len(uid(other)) == 40
    assert uid(long) != uid(other)


def test_the_same_dashboard_is_the_same_text_every_time():
    turned = dict(reversed(list(EXPORTED.items())))
    assert written(fit(export(), "mine")) == written(fit(json.dumps(turned), "mine"))


def test_panels_beneath_closed_rows_and_of_old_schemas_are_panels():
    page = {
        "panels": [{"type": "row", "panels": [{"title": "a"}]}, {"title": "b"}],
        "rows": [{"panels": [{"title": "c"}]}],
    }
    assert sorted(panel["title"] for panel in panels(page)) == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("text", "code", "sentence"),
    [
        ("{", "dashboard-no-json", "is not JSON (line 1"),
        ('{"title": NaN}', "dashboard-no-json", "NaN is no number"),
        ("[" * 100_000, "dashboard-no-json", "is not JSON"),
        ("[]", "no-dashboard", "is no dashboard"),
        ("{}", "no-dashboard", "has no title"),
        ('{"dashboard": {"title": "a"}, "meta": {}}', "no-dashboard", "`dashboard`"),
        ('{"apiVersion": "dashboard.grafana.app/v2beta1", "spec": {}}', "no-dashboard", "second schema"),
        (export(panels=[]), "dashboard-empty", "has no panels"),
        (export(panels=[{"type": "row", "panels": []}]), "dashboard-empty", "has no panels"),
        (export(__elements={"a": {}}), "no-dashboard", "library panels"),
        (export(title="t\ud800"), "dashboard-no-json", r"half a character (\ud800)"),
        (export(description={"\udfff": 1}), "dashboard-no-json", r"half a character (\udfff)"),
        ('{"title": 1e999}', "dashboard-no-json", "1e999 is no number"),
        ('{"title": -1e999}', "dashboard-no-json", "-1e999 is no number"),
        ('{"title": %s}' % ("9" * 400), "dashboard-no-json", "is no number"),
        ('{"title": %s}' % ("9" * 5000), "dashboard-no-json", "is no number"),
        ('{"a":' * 900 + "1" + "}" * 900, "dashboard-no-json", "brackets within brackets"),
        (export(x=json.loads("[" * 101 + "]" * 101)), "dashboard-no-json", "brackets within brackets"),
        (
            export(templating={"list": [{"type": "datasource", "query": "prometheus"}]}),
            "no-dashboard",
            "a variable without a name",
        ),
        (export(__inputs=[{"name": [1]}]), "dashboard-input", "an input without a name"),
        (export(__inputs=[{}]), "dashboard-input", "an input without a name"),
        (export(__inputs=[]), "dashboard-input", "${DS_PROMETHEUS}"),
        (
            export(__inputs=[{"name": "DS_LOKI", "type": "datasource", "pluginId": "loki"}]),
            "dashboard-input",
            "'loki' (DS_LOKI)",
        ),
    ],
)
def test_what_cannot_be_loaded_is_refused_with_the_reason(text, code, sentence):
    with pytest.raises(UnfitError) as caught:
        fit(text, "mine")
    assert caught.value.code == code
    assert sentence in str(caught.value)
    assert "; " in str(caught.value)


@pytest.mark.parametrize(
    "odd",
    [
        {"templating": []},
        {"templating": {"list": [3]}},
        {"rows": {"a": 1}},
        {"panels": [3, {"targets": {"expr": "up"}}]},
    ],
)
def test_parts_of_unexpected_shapes_are_passed_on(odd):
    assert written(fit(export(**odd), "mine"))


def places(value, at=()):
    """Every place in a dashboard, the whole included."""
    yield at
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        yield from places(inner, (*at, key)) if isinstance(inner, dict | list) else [(*at, key)]


@pytest.mark.parametrize("odd", [None, True, 7, "", "text", [], [None], [[1]], {}, {"a": [1]}, [{}]])
@pytest.mark.parametrize("place", list(places(EXPORTED)), ids=str)
def test_whatever_stands_in_a_dashboard_it_is_fit_or_refused_with_a_reason(place, odd):
    whole = {"page": json.loads(json.dumps(EXPORTED))}
    parent = whole
    for key in ("page", *place)[:-1]:
        parent = parent[key]
    parent[("page", *place)[-1]] = odd
    try:
        page = fit(json.dumps(whole["page"]), "mine")
    except UnfitError:
        return
    assert json.loads(written(page).encode()) == page
    assert all(flaw.remedy for flaw in flaws(page, installed=True))


@pytest.mark.parametrize("uid", ["PBFA97CFB590B2093", "prometheus", "", None])
def test_a_prometheus_of_another_grafana_is_replaced_wherever_it_is_asked(uid):
    source = {"type": "prometheus", "uid": uid}
    target = {"expr": "up", "datasource": source}
    panel = {"title": "CPU", "datasource": source, "targets": [target]}
    variable = {"name": "node", "type": "query", "datasource": source}
    page = fit(
        export(
            panels=[panel, {"type": "row", "panels": [panel]}],
            templating={"list": [variable]},
            annotations={"list": [{"name": "a", "datasource": source}]},
        ),
        "mine",
    )
    assert written(page).count('"datasource":{"type":"prometheus","uid":"${datasource}"}') == 6


@pytest.mark.parametrize(
    "kept",
    [
        {"type": "prometheus", "uid": "$source"},
        {"type": "prometheus", "uid": "${source}"},
        {"type": "prometheus", "uid": "[[source]]"},
        {"type": "grafana", "uid": "-- Grafana --"},
        {"type": "datasource", "uid": "-- Mixed --"},
        {"type": "loki", "uid": "abc"},
        None,
    ],
)
def test_variables_and_other_data_sources_are_kept(kept):
    page = fit(export(panels=[{"title": "CPU", "datasource": kept}]), "mine")
    assert page["panels"][0]["datasource"] == kept


def test_inputs_of_an_unexpected_shape_leave_the_data_source_open():
    with pytest.raises(UnfitError, match="DS_PROMETHEUS"):
        fit(export(__inputs={"a": 1}), "mine")
