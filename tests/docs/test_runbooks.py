"""docs/runbooks: a page for each alert, with commands that lead from what is seen to what is done."""

from __future__ import annotations

import re

import pytest

from components.rendering.alerts import EVERYTHING, alert_names, layers
from infra.plan import plan
from tests.docs.conftest import ROOT, Page

FOLDER = ROOT / "docs" / "runbooks"
HEADINGS = ["Target state", "Current state", "Events", "Logs", "Fix"]
PLACEHOLDERS = {"namespace", "job", "pod", "node", "gpu", "cronjob", "watts", "path of the data"}
"""What a reader fills in; the first are labels of the alerts."""


def test_each_alert_has_a_page_and_each_page_an_alert():
    assert {file.stem for file in FOLDER.glob("*.md")} == set(alert_names())


@pytest.mark.parametrize("name", alert_names())
def test_a_page_goes_from_the_target_to_the_fix(name):
    text = Page(FOLDER / f"{name}.md").text
    assert text.startswith(f"# {name}\n\n")
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == HEADINGS
    parts = re.split(r"^#+ .*$", text, flags=re.MULTILINE)[1:]
    assert all(part.strip() for part in parts)


@pytest.mark.parametrize("name", alert_names())
def test_a_page_asks_its_reader_for_what_the_alert_says(name):
    found = set(re.findall(r"<([a-z][a-z ]*)>", Page(FOLDER / f"{name}.md").text))
    assert found <= PLACEHOLDERS


@pytest.mark.parametrize("name", alert_names())
def test_blocks_hold_commands_that_change_nothing(name):
    for block in Page(FOLDER / f"{name}.md").blocks("sh"):
        for line in block.splitlines():
            assert re.match(r"kubectl (get|describe|logs) ", line), line


def test_the_rule_that_is_shown_is_one_that_the_program_accepts(tmp_path):
    for block in Page(ROOT / "docs/tasks/alert-rules.md").blocks("yaml"):
        (tmp_path / "example.yaml").write_text(
            f"training_operator: {{install: false}}\nmonitoring: {{}}\n{block}"
        )
        assert plan(tmp_path / "example.yaml").findings == ()


def test_the_page_about_rules_lists_every_alert_in_its_layer():
    text = (ROOT / "docs/tasks/alert-rules.md").read_text("utf-8")
    for layer, alerts in layers(EVERYTHING).items():
        [row] = re.findall(rf"^\| {layer} \| (.*) \|$", text, re.MULTILINE)
        assert re.findall(r"\[(\w+)\]", row) == [alert.name for alert in alerts]
