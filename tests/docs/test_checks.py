"""docs/checks: every code has a section, and its examples are wrong and right as the page says."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import dataclass
from typing import get_args

import pytest

from infra.checks import Severity
from infra.load import StackFileError
from infra.plan import plan
from tests.docs.conftest import ROOT, Page

FOLDER = ROOT / "docs" / "checks"
CONFIG = "config: {colocation:encrypted: {secure: v1:AAAA}, colocation:plain: in sight}"


@dataclass(frozen=True)
class Section:
    """What a page says of a code."""

    page: str
    code: str
    text: str

    @property
    def severities(self) -> list[str]:
        """`*fault.*`, or `*warning or fault.*` where it depends."""
        return re.search(r"^\*([a-z ]+)\.\*", self.text, re.MULTILINE)[1].split(" or ")

    @property
    def examples(self) -> list[str]:
        return re.findall(r"^```yaml\n(.*?)^```", self.text, re.MULTILINE | re.DOTALL)


def sections() -> list[Section]:
    found = []
    for page in sorted(FOLDER.glob("*.md")):
        for code, text in re.findall(
            r"^## ([a-z0-9-]+)\n(.*?)(?=^## |\Z)", page.read_text("utf-8"), re.M | re.S
        ):
            found.append(Section(page.name, code, text))
    return found


def asking(expr: str, **change: object) -> str:
    """A dashboard of one panel."""
    return json.dumps({"title": "Mine", "panels": [{"title": "P", "targets": [{"expr": expr}], **change}]})


DASHBOARDS = {
    "nodes": asking('node_load5{job="node-exporter"}'),
    "latin": asking("up", description="é").replace("\\u00e9", "é"),
    "broken": "{,}",
    "answer": json.dumps({"dashboard": {"title": "Mine"}, "meta": {}}),
    "empty": json.dumps({"title": "Mine", "panels": []}),
    "lost-input": asking("up", datasource="${DS_PROMETHEUS}"),
    "large": asking("up", description="x" * 2**20),
    "unreadable": asking("sum(up"),
    "old-label": asking("sum by (pod_name) (container_memory_rss)"),
    "old-metric": asking("kubelet_running_pod_count"),
    "exported": asking("avg by (exported_pod) (DCGM_FI_DEV_GPU_UTIL)"),
    "node-totals": asking('container_memory_rss{id="/"}'),
    "foreign-job": asking('node_load5{job="node_exporter"}'),
}

SHOWN = [section for section in sections() if section.examples]


@pytest.fixture
def findings(tmp_path):
    """What is found in an example, laid over the small stack of the README."""

    def find(example):
        [small] = Page(FOLDER / "README.md").blocks("yaml")
        stacks = tmp_path / "stacks"
        stacks.mkdir(exist_ok=True)
        (stacks / "small.yaml").write_text(small)
        (tmp_path / "Pulumi.example.yaml").write_text(CONFIG)
        scripts = {
            "train.py": "print()\n",
            "empty.py": " \n",
            "key.py": f"key = 'AKIA{'A1' * 8}'\n",
            "broken.py": "for step in range(3)\n",
            "large.py": "#" * 2**21,
        }
        shutil.rmtree(stacks / "scripts", ignore_errors=True)
        (stacks / "scripts").mkdir()
        for name, text in scripts.items():
            (stacks / "scripts" / name).write_text(text)
        (stacks / "scripts" / "latin.py").write_bytes(b"# \xe9\n")
        (stacks / "dashboards").mkdir(exist_ok=True)
        for name, text in DASHBOARDS.items():
            (stacks / "dashboards" / f"{name}.json").write_text(text, "latin-1")
        file = stacks / "example.yaml"
        file.write_text(f"extends: small.yaml\n{example}")
        try:
            return plan(file).findings
        except StackFileError as error:
            return error.findings

    return find


def test_the_small_stack_is_fine(findings):
    assert findings("") == ()


@pytest.mark.parametrize("section", SHOWN, ids=lambda section: section.code)
def test_the_first_example_is_wrong_as_the_page_says(section, findings):
    found = {f.severity for f in findings(section.examples[0]) if f.code == section.code}
    assert found
    assert found <= set(section.severities)


@pytest.mark.parametrize("section", SHOWN, ids=lambda section: section.code)
def test_the_second_example_is_right(section, findings):
    found = findings(section.examples[1])
    assert [f for f in found if f.code == section.code or f.severity == "fault"] == []


def test_a_code_has_one_section_with_a_severity_and_two_examples_or_none():
    codes = [section.code for section in sections()]
    assert sorted(set(codes)) == sorted(codes)
    for section in sections():
        assert set(section.severities) <= set(get_args(Severity)), section.code
        assert len(section.examples) in (0, 2), section.code


def test_what_has_no_example_is_not_of_the_checks_of_a_stack_and_exists():
    """Those have one: a code without is of loading or of a cluster, and stands in the source."""
    sources = {
        file: file.read_text("utf-8")
        for file in (ROOT / "infra").rglob("*.py")
        if file.parent != ROOT / "infra" / "checks"
    }
    for section in sections():
        if not section.examples:
            assert any(f'"{section.code}"' in text for text in sources.values()), section.code


def test_the_readme_lists_every_page():
    listed = set(Page(FOLDER / "README.md").links())
    assert listed == {page.name for page in FOLDER.glob("*.md")} - {"README.md"}
