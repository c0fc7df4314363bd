"""The page about importing does what it says."""

from __future__ import annotations

import os
import subprocess
import sys

import yaml

from infra.models import JobSpec
from tests.docs.conftest import ROOT, Page

PAGE = Page(ROOT / "docs" / "tasks" / "import-a-job.md")


def test_the_commands_of_the_page_import_its_manifest(tmp_path):
    manifest, _ = PAGE.blocks("yaml")
    (tmp_path / "mnist.yaml").write_text(manifest)
    colo = f"{sys.executable} -m infra.cli"
    lines = [line.strip() for block in PAGE.blocks("sh") for line in block.splitlines()]
    needing_a_cluster = PAGE.typed("Take over jobs that are in the cluster")
    commands = [line for line in lines if "kubectl" not in line and line not in needing_a_cluster]
    assert len(commands) == 2
    for command in commands:
        shell = ["sh", "-ec", command.replace("colo ", f"{colo} ")]
        environment = {"PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"]}
        done = subprocess.run(
            shell, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
        )
        entry = yaml.safe_load(done.stdout or (tmp_path / "entry.yaml").read_text())
        assert JobSpec.model_validate(entry).name == "mnist"
        assert "fault" not in done.stderr
