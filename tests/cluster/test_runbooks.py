"""What the runbooks tell people to look at can be looked at."""

from __future__ import annotations

import subprocess

import pytest

from components.rendering.alerts import alert_names
from sandbox.node import NODE_NAME
from tests.docs.conftest import ROOT, Page

pytestmark = pytest.mark.cluster

FILLED_IN = {
    "<namespace>": "kubeflow",
    "<job>": "tf-mnist-cpu",
    "<pod>": "tf-mnist-cpu-worker-0",
    "<node>": NODE_NAME,
}


@pytest.mark.parametrize("name", alert_names())
def test_each_command_of_a_runbook_answers(deployment, deployed_once, name):
    for block in Page(ROOT / "docs" / "runbooks" / f"{name}.md").blocks("sh"):
        for command in block.splitlines():
            if "<cronjob>" in command:
                continue  # the stack `dev` has no schedule
            for placeholder, value in FILLED_IN.items():
                command = command.replace(placeholder, value)
            kubectl = str(deployment.workspace.kubectl)
            done = subprocess.run(
                ["bash", "-c", command.replace("kubectl", kubectl, 1)],
                capture_output=True,
                text=True,
                check=False,
                env=deployment.workspace.environment(),
            )
            assert done.returncode == 0, f"{command}: {done.stderr}"
