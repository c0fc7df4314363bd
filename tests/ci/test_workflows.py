"""What continuous integration does for users: pinned actions, nothing for forks, few rights, one comment."""

from __future__ import annotations

import re
import shlex
import subprocess

import pytest
import yaml

from infra.places import ROOT
from sandbox import tools
from sandbox.errors import SandboxError

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
SCRIPTS = sorted((ROOT / "ci").glob("*.sh"))
STACKS = {file.stem for file in (ROOT / "stacks").glob("*.yaml")}
USES = re.compile(r"^\s*(?:- )?uses: (\S+)(.*)$", re.MULTILINE)


def read(file):
    return yaml.safe_load(file.read_text("utf-8"))


def jobs():
    return [(file.stem, name, job) for file in WORKFLOWS for name, job in read(file)["jobs"].items()]


@pytest.fixture(scope="module")
def gitlab():
    return read(ROOT / "ci" / "gitlab.yml")


def test_actionlint_finds_nothing():
    try:
        program = tools.folder(tools.programs.group_of("actionlint")) / "actionlint"
    except SandboxError as missing:
        pytest.skip(str(missing))
    if not program.is_file():
        pytest.skip("actionlint is not here; run `colo sandbox build`")
    done = subprocess.run([program, "-no-color", *WORKFLOWS], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.stem)
def test_every_action_is_pinned_by_commit_and_says_its_version(file):
    found = USES.findall(file.read_text("utf-8"))
    loose = [
        action
        for action, comment in found
        if not action.startswith("./")
        and not re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", action + comment)
    ]
    assert found
    assert loose == []


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.stem)
def test_a_workflow_has_no_rights_but_those_of_its_jobs(file):
    assert read(file)["permissions"] == {}


def test_only_the_comment_may_write_anything():
    rights = {(file, job): spec["permissions"] for file, job, spec in jobs()}
    writing = {key: r for key, r in rights.items() if "write" in str(r)}
    assert writing == {("preview", "preview"): {"contents": "read", "pull-requests": "write"}}


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.stem)
def test_no_workflow_runs_a_forks_code_with_secrets(file):
    workflow = read(file)
    triggers = workflow[True]  # YAML's reading of `on`
    assert "pull_request_target" not in triggers
    if "pull_request" in triggers:
        for name, job in workflow["jobs"].items():
            guarded = "head.repo.full_name == github.repository" in job.get("if", "")
            assert guarded or "secrets." not in yaml.safe_dump(job), name


def test_no_expression_is_put_into_a_script():
    """GitHub replaces it before the shell reads it, whatever it holds."""
    scripts = [
        step.get("run", "") + str((step.get("with") or {}).get("script", ""))
        for _, _, job in jobs()
        for step in job.get("steps", ())
    ]
    assert [script for script in scripts if "${{" in script] == []


def test_checkouts_keep_no_credentials():
    steps = [step for _, _, job in jobs() for step in job.get("steps", ())]
    checkouts = [step for step in steps if "actions/checkout@" in step.get("uses", "")]
    assert [step["with"]["persist-credentials"] for step in checkouts] == [False] * len(checkouts)
    assert checkouts


def test_each_stack_is_previewed_and_deployed_one_at_a_time(gitlab):
    preview = read(ROOT / ".github/workflows/preview.yml")["jobs"]["preview"]
    assert set(preview["strategy"]["matrix"]["stack"]) == STACKS
    assert preview["concurrency"]["group"].startswith("preview-${{ matrix.stack }}")
    deploy = read(ROOT / ".github/workflows/deploy.yml")["jobs"]
    assert [job["with"]["stack"] for job in deploy.values()] == ["dev", "staging", "prod"]
    assert [job.get("needs") for job in deploy.values()] == [None, "dev", "staging"]
    of_gitlab = {name: job for name, job in gitlab.items() if isinstance(job, dict) and "extends" in job}
    assert {job["variables"]["STACK"] for job in of_gitlab.values()} == STACKS
    for template in (".preview", ".deploy"):
        assert gitlab[template]["resource_group"].endswith("-$STACK")


def test_an_update_under_way_is_never_cut_off(gitlab):
    job = read(ROOT / ".github/workflows/deploy-stack.yml")["jobs"]["up"]
    assert job["concurrency"]["cancel-in-progress"] is False
    assert gitlab["default"]["interruptible"] is False
    assert "interruptible" not in gitlab[".deploy"]


def test_gitlab_previews_nothing_of_forks_and_asks_before_staging_and_prod(gitlab):
    [rule] = gitlab[".preview"]["rules"]
    assert "$CI_MERGE_REQUEST_SOURCE_PROJECT_ID == $CI_PROJECT_ID" in rule["if"]
    deploys = {name: job for name, job in gitlab.items() if name.startswith("deploy")}
    manual = {name for name, job in deploys.items() if job["rules"][0].get("when") == "manual"}
    assert manual == {"deploy staging", "deploy prod"}


@pytest.mark.parametrize("file", SCRIPTS, ids=lambda file: file.name)
def test_the_scripts_are_sound_shell(file):
    assert subprocess.run(["bash", "-n", file], check=False).returncode == 0


@pytest.fixture
def project(tmp_path):
    """A checkout whose programs only say what they were asked."""
    (tmp_path / ".venv" / "bin").mkdir(parents=True)

    def program(name, script):
        file = tmp_path / ".venv" / "bin" / name
        file.write_text(f'#!/bin/bash\necho "{name} $*" >> {tmp_path}/calls\n{script}\n')
        file.chmod(0o755)

    def run(script, *arguments):
        command = ["bash", ROOT / "ci" / script, *arguments]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        return done, (tmp_path / "calls").read_text().splitlines()

    program(
        "pulumi", 'case "$*" in *--json*) echo "{}" ;; *) echo "the diff" ;; esac; exit "${PULUMI_CODE:-0}"'
    )
    program("colo", 'echo "### dev"; exit "${COLO_CODE:-0}"')
    return run


def test_a_preview_runs_the_pack_and_writes_a_comment(project, tmp_path):
    done, calls = project("preview.sh", "dev", "out")
    assert done.returncode == 0, done.stderr
    assert "--policy-pack policy --policy-pack-config policy/config/dev.json" in calls[0]
    comment = (tmp_path / "out" / "comment.md").read_text()
    assert comment.startswith("### dev\n")
    assert "the diff" in comment
    assert "Refused" not in comment


@pytest.mark.parametrize(("variable", "code", "expected"), [("PULUMI_CODE", 255, 1), ("COLO_CODE", 3, 3)])
def test_a_preview_that_refuses_or_endangers_fails_and_comments_all_the_same(
    variable, code, expected, project, tmp_path, monkeypatch
):
    monkeypatch.setenv(variable, str(code))
    done, _ = project("preview.sh", "dev", "out")
    assert done.returncode == expected
    assert ("Refused" in (tmp_path / "out" / "comment.md").read_text()) == (variable == "PULUMI_CODE")


def test_a_kubeconfig_given_as_text_is_gone_afterwards(project, tmp_path, monkeypatch):
    monkeypatch.setenv("KUBECONFIG_TEXT", "apiVersion: v1")
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    project("preview.sh", "dev", "out")
    assert list((tmp_path / "temporary").iterdir()) == []


def test_a_deployment_checks_the_cluster_first(project, monkeypatch):
    done, calls = project("deploy.sh", "dev")
    assert done.returncode == 0, done.stderr
    assert [shlex.split(call)[:2] for call in calls] == [["colo", "check"], ["pulumi", "up"]]
    monkeypatch.setenv("COLO_CODE", "1")
    done, calls = project("deploy.sh", "dev")
    assert done.returncode == 1
    assert len(calls) == 3
