"""The page about monitoring does what it says."""

from __future__ import annotations

import os
import re
import subprocess
import tarfile

import yaml

from components.rendering.monitoring.commands import commands
from components.rendering.monitoring.values import chart_values
from infra.models import MonitoringSpec
from infra.versions import MONITORING_CHART, MONITORING_CHART_REPOSITORY
from tests.docs.conftest import ROOT, Page

PAGE = Page(ROOT / "docs" / "tasks" / "monitoring.md")
EXAMPLES = [yaml.safe_load(block) for block in PAGE.blocks("yaml")]
CHART = ROOT / "tests" / "charts" / "kube-prometheus-stack"


def test_every_example_of_a_stack_is_one_that_the_program_accepts():
    stacks = [example for example in EXAMPLES if "monitoring" in example]
    assert len(stacks) == 5
    for stack in stacks:
        MonitoringSpec.model_validate(stack["monitoring"])


def test_the_values_for_a_stack_that_is_there_are_those_that_an_installed_one_has():
    [shown] = [example for example in EXAMPLES if "monitoring" not in example]
    installed = chart_values(MonitoringSpec())
    assert set(leaves(shown)) <= set(leaves(installed))
    for whole in ("kube-state-metrics", "defaultRules", "prometheus-node-exporter"):
        assert shown[whole] == {k: v for k, v in installed[whole].items() if v}
    assert {"alertmanager", "grafana", "kubelet", "prometheus"} <= set(shown)


def leaves(value, path=()):
    """Every value that is no mapping, with its path."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, (*path, key))
    else:
        yield path, str(value)


def test_the_commands_that_open_servers_are_those_of_the_outputs():
    shown = [line for line in PAGE.commands() if "port-forward" in line]
    assert sorted(shown) == sorted(commands(MonitoringSpec()).values())


def test_versions_are_those_of_the_program():
    assert set(re.findall(r"\b\d+\.\d+\.\d+\b", PAGE.text)) == {MONITORING_CHART}
    assert MONITORING_CHART_REPOSITORY in PAGE.text


def test_the_definitions_of_an_archive_are_what_kubectl_gets(tmp_path):
    (tmp_path / "charts").mkdir()
    with tarfile.open(
        tmp_path / "charts" / f"kube-prometheus-stack-{MONITORING_CHART}.tgz", "w:gz"
    ) as packed:
        packed.add(CHART, CHART.name)
    [command] = [line for line in PAGE.commands() if line.startswith("tar ")]
    unpack = command.partition(" | ")[0]
    shell = ["sh", "-ec", unpack]
    done = subprocess.run(
        shell, cwd=tmp_path, env={"PATH": os.environ["PATH"]}, capture_output=True, text=True, check=True
    )
    [crd] = yaml.safe_load_all(done.stdout)
    assert crd["kind"] == "CustomResourceDefinition"
