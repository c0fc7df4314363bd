"""Previews of the sandbox, recorded by tests/cluster/record_previews.py, and what is made of them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from infra.cli import main
from infra.cli.diff_summary import DANGER

PREVIEWS = Path(__file__).resolve().parents[1] / "previews"
RECORDED = sorted(PREVIEWS.glob("*.json"))


def test_there_are_recorded_previews():
    assert {file.stem for file in RECORDED} == {
        *("nothing", "everyday", "tuned", "dangerous", "scheduled"),
        *("alerting", "reordered"),
    }


@pytest.mark.parametrize("form", ["text", "markdown"])
@pytest.mark.parametrize("file", RECORDED, ids=lambda file: file.stem)
def test_a_recorded_preview_is_summed_up_as_before(file, form, capsys):
    """`UPDATE_GOLDEN=1` writes the summaries anew; read them before they are committed."""
    main(["diff-summary", str(file), "--format", form, "--title", "dev"])
    golden = file.with_suffix(".md" if form == "markdown" else ".txt")
    summary = capsys.readouterr().out
    if os.environ.get("UPDATE_GOLDEN"):
        golden.write_text(summary)
    assert summary == golden.read_text()


def test_danger_fails_where_it_is_asked_to(tmp_path, capsys):
    recorded = json.loads((PREVIEWS / "dangerous.json").read_text())
    recorded.pop("diagnostics")  # as if the claim had lost its protection in an update before
    dangerous, everyday = tmp_path / "dangerous.json", PREVIEWS / "everyday.json"
    dangerous.write_text(json.dumps(recorded))
    assert main(["diff-summary", str(dangerous)]) == 0
    assert main(["diff-summary", str(dangerous), "--fail-on-danger"]) == DANGER
    assert main(["diff-summary", str(everyday), "--fail-on-danger"]) == 0
    assert "DANGER: " in capsys.readouterr().out


def test_a_preview_that_pulumi_gave_up_fails_in_any_case(capsys):
    assert main(["diff-summary", str(PREVIEWS / "dangerous.json")]) == 1
    assert "is protected, and would be deleted" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("utf-16.json", "this is no UTF-8 text; give the output of `pulumi preview --json`"),
        ("", "cannot be read (Is a directory); name the output of"),
        ("none.json", "cannot be read (No such file or directory); name the output of"),
    ],
)
def test_what_cannot_be_read_is_told_with_what_to_give(tmp_path, capsys, name, complaint):
    (tmp_path / "utf-16.json").write_text("{}", "utf-16")
    assert main(["diff-summary", str(tmp_path / name)]) == 1
    assert complaint in capsys.readouterr().err


def test_a_preview_comes_by_stdin_too(monkeypatch, capsys):
    with (PREVIEWS / "everyday.json").open() as stream:
        monkeypatch.setattr("sys.stdin", stream)
        assert main(["diff-summary"]) == 0
    assert "12 GPUs" in capsys.readouterr().out


@pytest.mark.parametrize("file", RECORDED, ids=lambda file: file.stem)
def test_nothing_of_a_machine_is_recorded(file):
    text = file.read_text()
    assert not any(word in text for word in ("kubeconfig", "10.85.", "passphrase"))
