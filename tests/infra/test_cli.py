"""The `colo` command says what is wrong in sentences, and nothing else."""

import json
import subprocess
import sys

import pytest

from infra import cli
from infra.cli import check, main, schema
from infra.places import ROOT


def test_no_command_shows_help(capsys):
    assert main([]) == 2
    assert "check" in capsys.readouterr().out


def test_a_misspelt_command_names_those_there_are(capsys):
    with pytest.raises(SystemExit) as caught:
        main(["chekc"])
    assert caught.value.code == 2
    assert "choose from" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "code", "sentence"),
    [
        (cli.UnfitError("no cluster; start one"), 1, "colo check: no cluster; start one\n"),
        (PermissionError(13, "Permission denied", "/x"), 1, "colo check: [Errno 13]"),
        (KeyboardInterrupt(), 130, "colo: interrupted\n"),
    ],
)
def test_what_goes_wrong_becomes_a_sentence(monkeypatch, capsys, error, code, sentence):
    def fail(_):
        raise error

    monkeypatch.setattr(check, "run", fail)
    assert main(["check", "--stack", "dev"]) == code
    assert capsys.readouterr().err.startswith(sentence)


def test_a_defect_is_told_in_one_line_and_kept_in_a_file(monkeypatch, capsys, tmp_path):
    def fail(_):
        raise ZeroDivisionError("a\nb")

    monkeypatch.setattr(check, "run", fail)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert main(["check", "--stack", "dev"]) == 1
    err = capsys.readouterr().err
    assert err.startswith("colo check: failed unexpectedly (ZeroDivisionError: a b); details are in ")
    assert err.count("\n") == 1
    assert "Traceback" in next(tmp_path.glob("colo-check-*.log")).read_text()


def test_help_imports_nothing_that_is_slow():
    code = (
        "import sys\nfrom infra.cli import main\n"
        "try: main(['--help'])\nexcept SystemExit: pass\n"
        "print([m for m in ('pulumi', 'pydantic', 'yaml', 'kubernetes') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_the_schema_in_the_repository_is_current():
    assert schema.FILE.read_text("utf-8") == schema.render(), "run: colo schema"


def test_the_schema_command_writes_the_schema(tmp_path, capsys):
    assert main(["schema", "--output", str(tmp_path / "s.json")]) == 0
    assert json.loads((tmp_path / "s.json").read_text())["title"] == "Stack"


def test_the_schema_explains_every_key_that_has_a_meaning():
    job = json.loads(schema.render())["$defs"]["JobSpec"]["properties"]
    assert job["priority"]["description"] == "One of the stack's priorities."
    assert job["worker"]["description"].startswith("Trains.")


def test_the_schema_asks_a_part_of_a_stack_for_its_names_only():
    models = json.loads(schema.render())["$defs"].values()
    assert {tuple(model["required"]) for model in models if "required" in model} == {("name",)}


@pytest.mark.parametrize(
    ("closed", "code", "said"),
    [
        (">&-", 1, "colo check: stdout is closed; leave it open, or send it to a file\n"),
        ("2>&-", 0, ""),
        ("<&-", 0, ""),
    ],
)
def test_a_closed_stream_is_no_surprise(closed, code, said):
    command = f"{sys.executable} -m infra.cli check --stack dev {closed}"
    done = subprocess.run(command, shell=True, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (code, said)


def test_what_belongs_to_a_closed_stderr_does_not_go_to_stdout(tmp_path):
    (tmp_path / "f.yaml").write_text("jobs: [{}]\n")
    command = f"{sys.executable} -m infra.cli check --file {tmp_path}/f.yaml --format json 2>&-"
    done = subprocess.run(command, shell=True, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert json.loads(done.stdout)


def test_a_working_directory_that_is_gone_is_told(tmp_path):
    command = (
        f"mkdir {tmp_path}/d && cd {tmp_path}/d && rmdir {tmp_path}/d "
        f"&& PYTHONPATH={ROOT} {sys.executable} -m infra.cli check --stack dev"
    )
    done = subprocess.run(command, shell=True, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert "colo check: the working directory is gone; change into one that is there\n" in done.stderr


def test_a_stack_without_a_name_is_not_every_stack(capsys):
    assert main(["check", "--stack", ""]) == 2
    assert "there is no such file" in capsys.readouterr().out
