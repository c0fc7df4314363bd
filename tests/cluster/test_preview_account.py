"""The account of previews (ci/preview-account.yaml): enough for a preview, and no more."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from infra.places import ROOT
from sandbox import kubectl

pytestmark = pytest.mark.cluster

MANIFEST = ROOT / "ci" / "preview-account.yaml"
ACCOUNT = "system:serviceaccount:colocation-ci:preview"


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


@pytest.mark.parametrize(
    ("verb", "kind"),
    [
        ("get", "secrets"),
        ("list", "secrets"),
        ("get", "pods/log"),
        ("create", "pods"),
        ("create", "pods/exec"),
        ("patch", "nodes"),
        ("create", "tfjobs.kubeflow.org"),
        ("patch", "configmaps"),
        ("delete", "namespaces"),
        ("escalate", "clusterroles"),
        ("impersonate", "serviceaccounts"),
        ("create", "serviceaccounts/token"),
    ],
)
def test_it_may_do_nothing_else(verb, kind, account, sandbox):
    asked = ("auth", "can-i", verb, kind, "-A", "--as", ACCOUNT)
    assert kubectl.run(sandbox.workspace.kubectl, *asked).stdout.strip() == "no"


def test_all_of_its_rights_are_to_read():
    roles = [one for one in yaml.safe_load_all(MANIFEST.read_text()) if one["kind"] == "ClusterRole"]
    verbs = {verb for role in roles for rule in role["rules"] for verb in rule["verbs"]}
    assert verbs == {"get", "list"}
