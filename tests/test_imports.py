"""Data flows one way: who may import whom (docs/architecture.md)."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

from infra.checks import CHECKS

ROOT = Path(__file__).resolve().parents[1]
OURS = ("infra", "components", "sandbox", "benchmarks", "policy", "tests")


def imports(file):
    """Full names of the modules that a file imports, at its top or inside functions."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def files(*folders):
    return [file for folder in folders for file in sorted((ROOT / folder).rglob("*.py"))]


def from_any(names, *packages):
    return {name for name in names if any(name == p or name.startswith(f"{p}.") for p in packages)}


def named(folder):
    return {"argvalues": files(folder), "ids": lambda file: str(file.relative_to(ROOT))}


@pytest.mark.parametrize("file", **named("infra/models"))
def test_models_import_pydantic_and_each_other_only(file):
    ours = from_any(imports(file), *OURS)
    assert ours == from_any(ours, "infra.models")
    others = {name.partition(".")[0] for name in imports(file) - ours}
    assert others <= {"pydantic", "pydantic_core", *sys.stdlib_module_names}


@pytest.mark.parametrize("file", **named("components"))
def test_components_import_models_names_and_versions_but_never_one_another(file):
    ours = from_any(imports(file), *OURS)
    assert from_any(ours, "infra") == from_any(ours, "infra.models", "infra.vocabulary", "infra.versions")
    assert ours == from_any(ours, "infra", "components")
    others = {f"components.{name}" for name in component_modules() if name != file.stem}
    assert from_any(ours, *others) == set()


@pytest.mark.parametrize("file", **named("infra/checks"))
def test_checks_see_what_is_rendered_but_declare_nothing(file):
    ours = from_any(imports(file), *OURS)
    assert ours == from_any(ours, "infra", "components.rendering")
    assert from_any(imports(file), "pulumi", "pulumi_kubernetes") == set()


@pytest.mark.parametrize("file", **named("policy"))
def test_policies_look_at_what_is_sent_and_know_no_stack(file):
    """What they share with the checks is pure: names of images, quantities, sums, words of secrets."""
    found = imports(file)
    shared = ("infra.models.names", "infra.models.quantities", "infra.pod_resources", "infra.plain_secrets")
    ours = from_any(found, *OURS)
    assert ours == from_any(ours, "policy", "infra.vocabulary", *shared)
    if file.parent.name == "rules":
        assert from_any(found, "pulumi", "pulumi_policy") == set()


def component_modules():
    """Modules that hold a component, not a helper of one."""
    return {file.stem for file in files("components") if "(Component)" in file.read_text("utf-8")}


def test_there_are_components_to_look_at():
    assert {"node_pool", "tenant", "training_job", "training_operator"} <= component_modules()


@pytest.mark.parametrize("file", **named("infra"))
def test_only_the_sandboxs_own_command_knows_of_the_sandbox(file):
    known = from_any(imports(file), "sandbox", "tests", "benchmarks")
    assert known == set() or file == ROOT / "infra" / "cli" / "sandbox.py"


LOOKING = tuple(ROOT / "infra" / name for name in ("cluster", "live", "doctor", "report"))
READERS = {
    "infra/cluster/api_server.py",
    "infra/cluster/logs.py",
    "infra/cluster/prometheus.py",
    "infra/cluster/state.py",
    "infra/live/__init__.py",
    "infra/live/reader.py",
    "infra/doctor/__init__.py",
    "infra/report/reader.py",
}
"""What asks the cluster; beneath them all is `api_server`."""
DRAWING = {"infra/report/plots.py"}
COMMANDS_THAT_LOOK = {
    ROOT / "infra" / "cli" / f"{name}.py" for name in ("check", "doctor", "report", "stacks", "status")
}


@pytest.mark.parametrize(
    "file",
    [
        file
        for file in files("infra/live", "infra/doctor", "infra/report")
        if str(file.relative_to(ROOT)) not in READERS | DRAWING
    ],
    ids=str,
)
def test_what_compares_a_stack_with_the_cluster_cannot_reach_it(file):
    """Only the readers may; what they found is plain data."""
    found = imports(file)
    others = {name.partition(".")[0] for name in found - from_any(found, *OURS)}
    assert others <= sys.stdlib_module_names
    reaching = ("infra.live.reader", "infra.cluster.api_server", "infra.cluster.prometheus")
    assert from_any(found, *reaching, "components.cluster_access") == set()


def test_few_modules_speak_to_the_api_server():
    """Whatever looks at objects goes through `infra.cluster`; a test alert is sent."""
    ways = {"components.cluster_access", "kubernetes"}
    speaking = {str(file.relative_to(ROOT)) for file in files("infra") if ways & imports(file)}
    assert speaking == {"infra/cluster/api_server.py", "infra/alertmanager.py"}


@pytest.mark.parametrize(
    "file", [f for f in files("infra") if not any(f.is_relative_to(d) for d in LOOKING)], ids=str
)
def test_the_cluster_is_looked_at_by_the_commands_for_it_alone(file):
    """What a stack declares never depends on what the cluster holds; models are shapes, not its state."""
    known = from_any(imports(file), "infra.live", "infra.cluster", "infra.doctor")
    assert known == set() or file in COMMANDS_THAT_LOOK


def test_only_the_program_itself_reads_pulumis_config():
    readers = [file for file in files("infra", "components") if "pulumi.Config" in file.read_text("utf-8")]
    assert readers == [ROOT / "infra" / "__main__.py"]


@pytest.mark.parametrize("folder", ["infra", "components", "policy"])
def test_no_module_bears_a_name_of_the_standard_library(folder):
    """`infra` is the working directory of the program, so its modules would shadow them."""
    names = {file.stem for file in (ROOT / folder).glob("*.py")} - {"__init__", "__main__"}
    assert names & sys.stdlib_module_names == set()


def test_the_command_and_the_program_have_one_way_to_the_checks():
    """So that no check is reachable from one of the two alone. An import is judged by the same ones."""
    run = {"infra.checks.examine", "infra.checks.CHECKS"}
    ways = {file.relative_to(ROOT / "infra").as_posix() for file in files("infra") if run & imports(file)}
    assert ways == {"plan.py", "importing/verdict.py"}
    for way_in in ("__main__.py", "cli/check.py"):
        assert "infra.plan.plan" in imports(ROOT / "infra" / way_in)


def test_every_check_is_one_that_is_run():
    modules = {file.stem for file in files("infra/checks") if "\ndef check(" in file.read_text("utf-8")}
    assert modules == {check.__module__.rpartition(".")[2] for check in CHECKS}
