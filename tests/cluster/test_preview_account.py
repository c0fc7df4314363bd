"""The account of previews (ci/preview-account.yaml): enough for a preview, and no more."""

from __future__ import annotations

import json
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


def test_a_preview_works_with_it_also_of_what_kubernetes_refuses_to_try(account, deployment, tmp_path):
    """The value of a PriorityClass: an update makes the class anew, and a trial run meets the old one."""
    stack = deployment.stack
    [offline] = [priority for priority in stack["priorities"] if priority["kind"] == "offline"]
    offline["value"] += 100
    deployment.write(stack)
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
    ops = {step["urn"].split("::")[-1]: step["op"] for step in json.loads(done.stdout)["steps"]}
    assert ops[f"priorities-{offline['name']}"] in ("replace", "delete-replaced", "create-replacement")
