"""Commands of pages that look at a cluster and change nothing work as they are written."""

from __future__ import annotations

import re
import subprocess

import pytest

from tests.docs.conftest import ROOT, Page

pytestmark = pytest.mark.cluster

LOOKS = re.compile(
    r"(kubectl (get|describe|rollout status|auth can-i|config current-context)|\.venv/bin/colo) "
)
PAGES = {
    name: Page(ROOT / "docs" / "tasks" / f"{name}.md")
    for name in ("add-a-training-job", "managed-cluster", "own-cluster", "upgrade")
}
COMMANDS = sorted(
    {
        line.partition(" #")[0].strip()
        for page in PAGES.values()
        for block in page.blocks("sh")
        for line in block.splitlines()
        if LOOKS.match(f"{line.strip()} ")
    }
)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_that_looks_works_on_the_deployed_stack(command, deployed_once, sandbox):
    found = sandbox.workspace
    line = re.sub(r"\blab\b", "dev", command).replace(".venv/bin/colo", "colo")
    path = f"{found.kubectl.parent}:{found.environment()['PATH']}"
    done = subprocess.run(
        ["bash", "-ec", line],
        cwd=ROOT,
        env={**found.environment(), "PATH": path, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    # The doctor ends with 1 where something else on the sandbox is unwell: that is an answer too.
    assert done.returncode == 0 or (done.returncode == 1 and " doctor " in line), done.stdout + done.stderr
    assert done.stdout.strip()
