"""The account of previews (ci/preview-account.yaml): enough for a preview, and no more."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from infra.places import ROOT

pytestmark = pytest.mark.cluster

MANIFEST = ROOT / "ci" / "preview-account.yaml"


@pytest.fixture(scope="module")
def account(sandbox):
    """The account, there as long as these tests run."""
    sandbox.kubectl("apply", "-f", str(MANIFEST))
    yield
    sandbox.kubectl("delete", "-f", str(MANIFEST), "--wait=false")


def test_a_preview_works_with_it(account, deployment, tmp_path):
    workspace = deployment.workspace
    token = deployment.sandbox.kubectl("create", "token", "-n", "colocation-ci", "preview").strip()
    config = yaml.safe_load(Path(workspace.variables["KUBECONFIG"]).read_text())
    config["users"] = [{"name": config["users"][0]["name"], "user": {"token": token}}]
    kubeconfig = tmp_path / "kubeconfig"
    kubeconfig.write_text(yaml.safe_dump(config))
    variables = {**workspace.variables, "KUBECONFIG": str(kubeconfig)}
    done = replace(workspace, variables=variables).preview("--json", capture=True)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-2000:]
    assert "Forbidden" not in done.stdout
