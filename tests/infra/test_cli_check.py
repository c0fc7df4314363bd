"""`colo check` says what is wrong, in the form that is asked for, and by its exit code."""

import json
import subprocess
import sys

import pytest

from infra.cli import main
from infra.places import ROOT


@pytest.fixture
def check(stack_file, capsys):
    """Checks data or text: exit code, stdout, stderr."""

    def run(content, *options):
        code = main(["check", "--file", str(stack_file(content)), *options])
        return code, *capsys.readouterr()

    return run


@pytest.fixture
def annotations(check):
    """What GitHub would be told, after `::`."""
    return lambda content: [line[2:] for line in check(content, "--format", "github")[1].splitlines()]


def test_a_good_stack_passes(check, data):
    code, out, _ = check(data)
    assert code == 0
    assert out.endswith("test.yaml: no faults (1 pool, 1 tenant, 1 job, 0 warnings)\n")


def test_a_bad_stack_fails_with_a_line_for_each_fault(check, data):
    data["jobs"][0] |= {"pool": "gpus", "tenant": "visoin"}
    code, out, err = check(data)
    assert code == 1
    assert [line.rpartition(" [")[2] for line in out.splitlines()] == [
        "unknown-pool, mnist]",
        "unknown-tenant, mnist]",
    ]
    assert err.endswith("test.yaml: 2 faults\n")


def test_warnings_alone_pass(check, data):
    del data["jobs"][0]["pool"]
    code, out, _ = check(data)
    assert code == 0
    assert "jobs[0].worker.resources.gpus: warning: " in out


def test_advice_alone_passes(check, data, monkeypatch):
    from infra import plan
    from infra.checks import Finding

    advice = Finding(severity="advice", code="unknown-pool", place=("jobs", 0), message="a", remedy="b")
    monkeypatch.setattr(plan, "examine", lambda _: [advice])
    code, out, _ = check(data)
    assert code == 0
    assert "jobs[0]: advice: a; b [unknown-pool, mnist]\n" in out


def test_every_stack_of_the_project_is_checked_and_fine(capsys):
    assert main(["check"]) == 0, capsys.readouterr().out
    out = capsys.readouterr().out
    for file in (ROOT / "stacks").glob("*.yaml"):
        assert f"{file.name}: no faults (" in out


def test_one_run_finds_the_faults_of_all_stacks(stack_file, data, monkeypatch, capsys):
    folder = stack_file(data).parent
    monkeypatch.setattr("infra.places.STACKS", folder)
    (folder / "prod.yaml").write_text("jbos: []\n")
    assert main(["check"]) == 1
    out, err = capsys.readouterr()
    assert "test.yaml: no faults" in out
    assert "prod.yaml:1 jbos: is not a known key; write jobs [unknown-key]" in out
    assert err.endswith("prod.yaml: 1 fault\n")


def test_a_folder_without_stacks_is_no_success(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("infra.places.STACKS", tmp_path)
    assert main(["check"]) == 1
    assert "no stack file is in " in capsys.readouterr().err


@pytest.mark.parametrize("form", ["text", "json", "github"])
def test_a_file_that_cannot_be_read_is_another_failure_than_a_fault(tmp_path, capsys, form):
    assert main(["check", "--file", str(tmp_path / "none.yaml"), "--format", form]) == 2
    assert "there is no such file" in capsys.readouterr().out


def test_json_is_one_object_with_places_and_counts(check, data):
    del data["jobs"][0]["pool"]
    data["jobs"][0]["tenant"] = "nobody"
    code, out, _ = check(data, "--format", "json")
    report = json.loads(out)
    assert code == 1
    assert report["counts"] == {"fault": 1, "warning": 1, "advice": 0}
    fault = next(f for f in report["findings"] if f["severity"] == "fault")
    assert fault.pop("file").endswith("test.yaml")
    assert fault.pop("line") > 1
    assert fault == {
        "path": "jobs[0].tenant",
        "code": "unknown-tenant",
        "severity": "fault",
        "object": "mnist",
        "message": "no tenant of the stack is called nobody",
        "remedy": "declare it, or write one of vision",
    }


def test_json_of_a_good_stack_is_an_object_too(check, data):
    assert json.loads(check(data, "--format", "json")[1]) == {
        "findings": [],
        "counts": {"fault": 0, "warning": 0, "advice": 0},
    }


def test_github_gets_an_annotation_for_each_finding(annotations, data):
    del data["jobs"][0]["pool"]
    data["jobs"][0]["tenant"] = "nobody"
    fault, warning = sorted(annotations(data))
    assert fault.startswith("error file=/")
    assert fault.endswith(
        ",title=unknown-tenant::jobs[0].tenant: no tenant of the stack is called nobody; "
        "declare it, or write one of vision"
    )
    assert warning.startswith("warning file=/")


def test_what_a_file_holds_cannot_break_a_line(annotations, check):
    text = 'pools: []\n"50%\\n::error::x\\r": 1\n'
    [annotation] = annotations(text)
    assert "::[50%25\\n::error::x\\r]: is not a known key" in annotation
    [line] = check(text)[1].splitlines()
    assert "[50%\\n::error::x\\r]: is not a known key" in line


def test_a_file_name_cannot_break_an_annotation(data, tmp_path, capsys):
    file = tmp_path / "a,b:c%.yaml"
    file.write_text("jbos: []\n")
    main(["check", "--file", str(file), "--format", "github"])
    assert "a%2Cb%3Ac%25.yaml,line=1,title=unknown-key::" in capsys.readouterr().out


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_a_terminal_of_few_characters_is_no_obstacle(stack_file, encoding):
    file = stack_file("tenants:\n  - name: 训练\n")
    done = subprocess.run(
        [sys.executable, "-m", "infra.cli", "check", "--file", str(file)],
        cwd=ROOT,
        env={"PYTHONIOENCODING": encoding},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 1
    assert b"is not a valid name here" in done.stdout
    assert b"failed unexpectedly" not in done.stderr
