"""What the pages name exists: files, make targets, subcommands, fields."""

from __future__ import annotations

import re
import shutil
import textwrap

import pytest
import yaml

from infra.cli import COMMANDS, main
from infra.cli.sandbox import ACTIONS
from infra.models import JobSpec, MonitoringSpec, TrainingOperatorSpec
from infra.models.alerts import ReceiverSpec
from infra.plan import plan
from tests.docs.conftest import Page


def test_every_relative_link_leads_to_a_file(page):
    relative = [link.partition("#")[0] for link in page.links() if "://" not in link]
    assert [link for link in relative if link and not (page.file.parent / link).exists()] == []


def test_every_path_that_is_named_exists(page, committed, root):
    folders = {file.relative_to(root).parts[0] for file in committed if file.parent != root}
    paths = [s for s in page.spans() if re.fullmatch(r"[\w./*-]+", s) and s.partition("/")[0] in folders]
    assert [path for path in paths if not list(root.glob(path.rstrip("/")))] == []


def test_every_make_command_is_a_target(page, root):
    targets = set(re.findall(r"^([a-z-]+):", (root / "Makefile").read_text(), re.MULTILINE))
    lines = [command.split() for command in page.commands() if re.match(r"make [a-z]", command)]
    assert {word for line in lines for word in line[1:]} <= targets


def test_every_colo_command_exists(page):
    for command in page.commands():
        for name, action in re.findall(r"(?:^|[ /(])colo ([a-z-]+)(?: ([a-z|]+))?", command):
            assert name in COMMANDS, command
            assert name != "sandbox" or set(action.split("|")) <= {*ACTIONS, ""}, command


def test_no_page_is_left_with_a_placeholder(page):
    assert re.findall(r"@[A-Z]+@|\b(?:TODO|FIXME|TBD|XXX)\b", page.text) == []


def test_the_example_of_a_job_is_one_that_the_program_accepts(root):
    text = (root / "docs/tasks/add-a-training-job.md").read_text()
    [example] = re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)
    [job] = yaml.safe_load(example)
    JobSpec.model_validate(job)
    for line in ("active_deadline_seconds: 3600, backoff_limit: 1", "suspend: true"):
        assert f"run_policy: {{{line}}}" in text
        JobSpec.model_validate(job | yaml.safe_load(f"run_policy: {{{line}}}"))


def test_the_examples_of_schedules_and_preemption_are_ones_that_the_program_accepts(root):
    retrain, schedule = examples(root / "docs/tasks/retrain-on-a-schedule.md")
    survive, *_ = examples(root / "docs/tasks/survive-a-preemption.md")
    for job in (retrain[0], retrain[0] | schedule, survive[0]):
        JobSpec.model_validate(job)


def test_the_examples_of_metrics_are_ones_that_the_program_accepts(root):
    for [job] in examples(root / "docs/tasks/training-metrics.md"):
        JobSpec.model_validate(job)
    stack, _ = examples(root / "docs/tasks/gpu-metrics.md")
    MonitoringSpec.model_validate(stack["monitoring"])


def examples(file):
    return [yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", file.read_text(), re.DOTALL)]


@pytest.fixture
def stacks(root, tmp_path, monkeypatch):
    """A copy of the stacks that a page's commands may change."""
    shutil.copytree(root / "stacks", tmp_path / "stacks")
    shutil.copytree(root / "policy" / "config", tmp_path / "policy" / "config")
    for config in root.glob("Pulumi.*.yaml"):
        shutil.copy(config, tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("infra.places.STACKS", tmp_path / "stacks")
    return tmp_path / "stacks"


def test_a_mistake_in_the_example_of_a_job_is_told_as_the_page_shows(root, stacks, capsys):
    text = (root / "docs/tasks/add-a-training-job.md").read_text()
    [example] = re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)
    [shown] = re.findall(r"colo check --stack dev\n(.*?)```", text, re.DOTALL)
    assert "`script: chrun.py`" in text
    wrong = re.sub(r" *checkpoint_path:.*\n", "", example.replace("script: churn.py", "script: chrun.py"))
    (stacks / "scripts" / "churn.py").write_text("print()\n")
    for job, code in ((example, 0), (wrong, 1)):
        entry = textwrap.indent(textwrap.dedent(job), "  ")
        (stacks / "dev.yaml").write_text(f"{(root / 'stacks/dev.yaml').read_text()}\n{entry}")
        assert main(["check", "--stack", "dev"]) == code
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if "churn-model" in line] == textwrap.dedent(shown).strip().splitlines()


def test_the_copy_of_a_stack_is_as_fit_as_the_stack(root, stacks, capsys):
    page = Page(root / "docs/tasks/own-cluster.md")
    copies = [command.split()[1:] for command in page.commands() if command.startswith("cp ")]
    assert copies == [
        ["stacks/prod.yaml", "stacks/lab.yaml"],
        ["Pulumi.prod.yaml", "Pulumi.lab.yaml"],
        ["policy/config/prod.json", "policy/config/lab.json"],
    ]
    assert all((root / source).exists() for source, _ in copies)
    for source, copy in copies:
        shutil.copy(stacks.parent / source, stacks.parent / copy)
    assert main(["check", "--stack", "lab"]) == 0
    assert "stacks/lab.yaml: no faults" in capsys.readouterr().out


def test_the_examples_of_the_operator_are_ones_that_the_program_accepts(root):
    text = (root / "docs/tasks/own-cluster.md").read_text()
    examples = re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)
    assert len(examples) == 2
    for example in examples:
        TrainingOperatorSpec.model_validate(yaml.safe_load(example)["training_operator"])


def test_the_example_of_a_shared_file_merges_as_the_page_says(root, tmp_path):
    text = (root / "docs/tasks/stack-files.md").read_text()
    for name, content in re.findall(r"```yaml\n# (\S+)\n(.*?)```", text, re.DOTALL):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content)
    stack = plan(tmp_path / "prod.yaml").stack
    assert [(t.name, dict(t.quota)) for t in stack.tenants] == [
        ("kubeflow", {"requests.cpu": "200"}),
        ("vision", {}),
    ]
    assert stack.pools[0].nodes == ("node-gpu-01", "node-gpu-02")


def test_the_example_of_a_cluster_without_gpus_is_a_sound_stack(root, stacks):
    text = (root / "docs/tasks/stack-files.md").read_text()
    for name in ("shared/no-gpus.yaml", "lab.yaml"):
        [content] = re.findall(rf"```yaml\n# {name}\n(.*?)```", text, re.DOTALL)
        (stacks / name).write_text(content)
    ready = plan(stacks / "lab.yaml")
    assert ready.findings == ()
    assert [pool.name for pool in ready.stack.pools] == ["cpu"]


def test_every_code_of_the_doctor_is_found_by_what_one_sees(root):
    page = Page(root / "docs/doctor/README.md")
    [table] = re.findall(r"^\| what one sees .*?\n\n", page.text, re.MULTILINE | re.DOTALL)
    codes = re.findall(r"^## (\S+)$", page.text, re.MULTILINE)
    assert len(codes) > 60
    assert [code for code in codes if f"`{code}`" not in table] == []


def test_the_examples_of_receivers_are_ones_that_the_program_accepts(root, tmp_path):
    text = (root / "docs/tasks/alerts.md").read_text()
    whole, *receivers = re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)
    tenants = "tenants: [{name: kubeflow}]\n"
    (tmp_path / "page.yaml").write_text(tenants + whole)
    assert plan(tmp_path / "page.yaml").findings == ()
    assert len(receivers) == 4
    for example in receivers:
        [entry] = yaml.safe_load(textwrap.dedent(example))
        ReceiverSpec.model_validate(entry)
