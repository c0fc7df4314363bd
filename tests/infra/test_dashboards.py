"""Dashboards of a whole stack: where they are declared, and what a check of them loads."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from infra.assembly import assemble
from infra.places import ROOT
from infra.plan import plan

CONFIG_MAP = "kubernetes:core/v1:ConfigMap"
MINE = {"title": "Mine", "id": 3, "panels": [{"title": "Up", "targets": [{"expr": "up"}]}]}


@pytest.fixture
def with_own(stack_file, data):
    """A stack file with monitoring as said, and a dashboard of its own."""

    def write(monitoring):
        data["monitoring"] = monitoring
        data["dashboards"] = [{"name": "mine", "file": "mine.json", "folder": "Team A"}]
        file = stack_file(data)
        (file.parent / "dashboards").mkdir()
        (file.parent / "dashboards" / "mine.json").write_text(json.dumps(MINE))
        return file

    return write


def shown(declare, file):
    declared = declare(lambda: assemble(plan(file), "test", {}))
    maps = [made.inputs for made in declared.all(CONFIG_MAP)]
    return {
        m["metadata"]["name"]: m for m in maps if m["metadata"]["name"].startswith("colocation-dashboard")
    }


@pytest.mark.parametrize("monitoring", [{}, {"install": False, "namespace": "obs"}])
def test_dashboards_are_beside_a_monitoring_stack_of_ours_and_of_others(declare, with_own, monitoring):
    found = shown(declare, with_own(monitoring))
    assert {"colocation-dashboard-cluster", "colocation-dashboard-own-mine"} <= found.keys()
    namespaces = {inputs["metadata"]["namespace"] for inputs in found.values()}
    assert namespaces == {monitoring.get("namespace", "monitoring")}
    [text] = found["colocation-dashboard-own-mine"]["data"].values()
    assert (json.loads(text)["uid"], json.loads(text)["id"]) == ("own-mine", None)


def test_dashboards_know_the_tenants_and_the_offline_classes_of_the_stack(declare, with_own):
    found = shown(declare, with_own({}))
    [tenants] = found["colocation-dashboard-tenants"]["data"].values()
    [colocation] = found["colocation-dashboard-colocation"]["data"].values()
    assert '"query": "vision"' in tenants
    assert r"priority_class=~\"offline-low\"" in colocation


@pytest.mark.parametrize("monitoring", [None, {"grafana": {"install": False}}])
def test_there_are_none_without_monitoring_or_without_its_grafana(declare, with_own, monitoring):
    assert shown(declare, with_own(monitoring)) == {}


def test_a_check_does_not_load_what_writes_dashboards(with_own):
    program = (
        "import sys; from infra.cli import main; code = main(sys.argv[1:]);"
        "sys.exit(code or 'grafana_foundation_sdk' in sys.modules)"
    )
    command = [sys.executable, "-c", program, "check", "--file", str(with_own({}))]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert "no faults" in done.stdout
