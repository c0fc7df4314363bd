"""`colo … | head`: a reader that goes away ends each command without a word."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from infra.cli import COMMANDS
from infra.places import ROOT
from tests.infra.live.test_reader import CRD, Server

TFJOB = {
    "apiVersion": "kubeflow.org/v1",
    "kind": "TFJob",
    "metadata": {"name": "mnist", "namespace": "vision"},
    "spec": {
        "tfReplicaSpecs": {
            "Worker": {
                "template": {"spec": {"containers": [{"name": "tensorflow", "image": "r.example/m:1"}]}}
            }
        }
    },
}
LINES = {
    "check": "--stack dev",
    "render": "--stack dev --out {folder}/out",
    "diff-summary": "tests/infra/previews/everyday.json",
    "import": "{folder}/job.json",
    "doctor": "--file {stack}",
    "status": "--file {stack}",
    "schema": "--output {folder}/schema.json",
    "sandbox": "status",
}
"""Each prints something to stdout; commands without a line here are asked for their help alone."""


@pytest.fixture
def server(kubeconfig):
    server = Server()
    server.answers[CRD] = 404
    kubeconfig(server.url)
    yield server
    server.http.shutdown()
    server.http.server_close()


def piped(*arguments, **variables):
    """Exit code and stderr, where nobody reads stdout."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONUNBUFFERED"}
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-m", "infra.cli", *arguments],
        cwd=ROOT,
        env=environment | variables,
        stdin=subprocess.DEVNULL,
        stdout=writer,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(writer)
    return done.returncode, done.stderr


@pytest.mark.parametrize("command", LINES)
def test_a_reader_that_goes_away_ends_a_command_without_a_word(command, server, stack_file, data, tmp_path):
    (tmp_path / "job.json").write_text(json.dumps(TFJOB))
    line = LINES[command].format(folder=tmp_path, stack=stack_file(data))
    code, err = piped(command, *line.split(), KUBECONFIG=str(tmp_path / "kubeconfig"))
    findings = [text for text in err.splitlines() if ": warning: " in text or text.startswith("advice ")]
    assert (code, err.splitlines()) == (141, findings)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_that_nobody_reads_is_no_fault(command):
    code, err = piped(command, "--help")
    assert (code in (0, 141), err) == (True, "")


def test_a_preview_of_three_hundred_changes_that_nobody_reads_to_its_end(tmp_path):
    steps = [
        {
            "op": "create",
            "urn": f"u::job-{i}",
            "newState": {"type": "kubernetes:kubeflow.org/v1:TFJob", "inputs": TFJOB},
        }
        for i in range(300)
    ]
    (tmp_path / "preview.json").write_text(json.dumps({"steps": steps}))
    assert piped("diff-summary", str(tmp_path / "preview.json")) == (141, "")
