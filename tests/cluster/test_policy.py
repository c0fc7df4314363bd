"""The policy pack in the hands of the engine: what it refuses, and that the project's own stack passes."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from policy.rules import OBJECT_RULES, STACK_RULES
from sandbox import pulumi

pytestmark = pytest.mark.cluster

PROGRAM = Path(__file__).with_name("broken_program.py")
RULES = [rule.name for rule in (*OBJECT_RULES, *STACK_RULES)]
OF_THE_STACK_ITSELF = {"quotas-within-the-cluster": "broken-dev"}
SETTINGS = {
    "images-from-allowed-registries": {"registries": ["registry.example.org"]},
    "quotas-within-the-cluster": {"capacity": {"requests.cpu": "256"}},
}


@pytest.fixture(scope="module")
def broken(sandbox, tmp_path_factory):
    """Previews the program that breaks every rule; nothing of it is ever applied."""
    project = tmp_path_factory.mktemp("broken")
    (project / "Pulumi.yaml").write_text("name: broken\nruntime: python\n")
    shutil.copy(PROGRAM, project / "__main__.py")
    (project / "backend").mkdir()
    # Its provider writes files, and wants no cluster beside that.
    own = {"PULUMI_BACKEND_URL": f"file://{project / 'backend'}", "KUBECONFIG": ""}
    workspace = replace(
        sandbox.workspace,
        project=project,
        backend=project / "backend",
        config_file=project / f"Pulumi.{pulumi.STACK}.yaml",
        variables={**sandbox.workspace.variables, **own},
    )
    workspace.create_stack()

    def preview(settings):
        file = project / "policy" / "config" / f"{pulumi.STACK}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(settings))
        return workspace.preview(capture=True)

    return preview


@pytest.fixture(scope="module")
def refused(broken):
    """Rule and resource of every violation."""
    done = broken(SETTINGS)
    assert done.returncode != 0
    return violations(done.stdout, "mandatory")


def violations(output, level):
    found = re.findall(rf"^ +- \[{level}\] +(\S+) +\(\S+: (\S+)\)$", output, re.MULTILINE)
    return set(found)


@pytest.mark.parametrize("rule", RULES)
def test_a_preview_refuses_what_breaks_a_rule(rule, refused):
    assert (rule, OF_THE_STACK_ITSELF.get(rule, rule)) in refused


def test_nothing_else_is_refused(refused):
    assert refused == {(rule, OF_THE_STACK_ITSELF.get(rule, rule)) for rule in RULES}


def test_a_stack_may_make_rules_advisory(broken):
    done = broken({"all": "advisory", **SETTINGS})
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-2000:]
    assert {rule for rule, _ in violations(done.stdout, "advisory")} == set(RULES)


def test_the_projects_own_stack_breaks_no_rule(deployment):
    done = deployment.workspace.preview(capture=True)
    assert done.returncode == 0, done.stdout[-6000:]
    assert violations(done.stdout, "mandatory") | violations(done.stdout, "advisory") == set()
    assert "✅ colocation@" in done.stdout
