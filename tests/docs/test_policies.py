"""The pages on policies and reviews say what is there."""

from __future__ import annotations

import json
import re

import pytest
import yaml

from policy.rules import OBJECT_RULES, STACK_RULES
from tests.docs.conftest import ROOT, Page

POLICIES = Page(ROOT / "docs/tasks/policies.md")
REVIEW = Page(ROOT / "docs/tasks/review-a-change.md")
RULES = {rule.name: rule for rule in (*OBJECT_RULES, *STACK_RULES)}


def test_every_policy_has_a_row_with_its_settings():
    rows = re.findall(r"^\| `([a-z0-9-]+)` \| .* \| (.*?) ?\|$", POLICIES.text, re.MULTILINE)
    told = {name: set(re.findall(r"`(\w+)`", settings)) for name, settings in rows}
    assert told == {name: set(rule.settings) for name, rule in RULES.items()}


def test_the_example_of_settings_names_what_is_there():
    [example] = POLICIES.blocks("json")
    for name, settings in json.loads(example).items():
        assert set(settings) <= {*RULES[name].settings, "enforcementLevel"}


def test_the_summary_that_is_shown_is_one_that_was_made():
    [shown] = REVIEW.blocks("text")
    assert shown == (ROOT / "tests/infra/previews/everyday.txt").read_text()


@pytest.mark.parametrize("workflow", ["preview", "deploy-stack"])
def test_every_secret_and_variable_of_a_workflow_is_explained(workflow):
    text = (ROOT / f".github/workflows/{workflow}.yml").read_text()
    named = set(re.findall(r"(?:secrets|vars)\.([A-Z_]+)", text))
    assert named <= set(re.findall(r"^\| `([A-Z_]+)` \|", REVIEW.text, re.MULTILINE))
    assert named


def test_the_environments_of_the_workflows_are_those_of_the_page():
    preview = yaml.safe_load((ROOT / ".github/workflows/preview.yml").read_text())["jobs"]["preview"]
    for stack in preview["strategy"]["matrix"]["stack"]:
        assert f"`{stack}-preview`" in REVIEW.text
        assert f"`{stack}`" in REVIEW.text
