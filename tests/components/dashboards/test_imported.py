"""A dashboard that Grafana has exported becomes one that is loaded from a file."""

from __future__ import annotations

import json

import pytest

from components.rendering.dashboards.imported import UnfitError, fit, panels, uid, written

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


def test_inputs_of_an_unexpected_shape_leave_the_data_source_open():
    with pytest.raises(UnfitError, match="DS_PROMETHEUS"):
        fit(export(__inputs={"a": 1}), "mine")
