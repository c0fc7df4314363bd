"""The accounts of doctor, status and previews, as the API server sees them: what is written, and no more."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from functools import cache

import pytest
import yaml

from infra.places import ROOT
from tests.cluster.conftest import eventually
from tests.cluster.test_check_live import written

pytestmark = pytest.mark.cluster

Right = tuple[str, str, str, str]
"""Verb, API group, resource, and the name of the one object or nothing."""
MADE = "rights-drill"
"""A namespace of nobody's: rights there are rights everywhere."""
NAMESPACES = ("kubeflow", "monitoring", "kube-system", MADE)


@dataclass(frozen=True)
class Account:
    namespace: str
    name: str
    manifests: tuple[str, ...]

    @property
    def documents(self):
        texts = [(ROOT / file).read_text("utf-8") for file in self.manifests]
        return [document for text in texts for document in yaml.safe_load_all(text)]

    def granted(self, namespace):
        """What its manifests give it in a namespace."""
        roles = {(d["kind"], d["metadata"]["name"]): d["rules"] for d in self.documents if "rules" in d}
        return {
            right
            for binding in self.documents
            if binding["kind"] == "ClusterRoleBinding"
            or (binding["kind"] == "RoleBinding" and binding["metadata"]["namespace"] == namespace)
            for rule in roles[binding["roleRef"]["kind"], binding["roleRef"]["name"]]
            for right in flat(rule)
        }


READER = Account("kubeflow", "colocation-reader", ("rbac/reader.yaml", "rbac/metrics-reader.yaml"))
PREVIEW = Account("colocation-ci", "preview", ("ci/preview-account.yaml",))
ACCOUNTS = pytest.mark.parametrize("account", [READER, PREVIEW], ids=lambda account: account.name)


def flat(rule):
    """A rule, right by right."""
    return {
        (verb, group, resource, name)
        for verb in rule["verbs"]
        for group in rule.get("apiGroups") or [""]
        for resource in rule.get("resources") or []
        for name in rule.get("resourceNames") or [""]
    }


@pytest.fixture(scope="module", autouse=True)
def accounts(sandbox, deployed_once):
    """Both are there as long as these tests run, beside one that was given nothing."""
    files = [option for account in (READER, PREVIEW) for file in account.manifests for option in ("-f", file)]
    sandbox.kubectl("apply", *(str(ROOT / f) if f != "-f" else f for f in files))
    sandbox.kubectl("create", "namespace", MADE)
    yield
    sandbox.kubectl("delete", *(str(ROOT / f) if f != "-f" else f for f in files), "--wait=false")
    sandbox.kubectl("delete", "namespace", MADE, "--wait=false")


@pytest.fixture(scope="module")
def may(sandbox):
    """The rights of an account in a namespace, by the API server; and the paths that are no objects."""

    def ask(namespace, account_namespace, name):
        review = {
            "apiVersion": "authorization.k8s.io/v1",
            "kind": "SelfSubjectRulesReview",
            "spec": {"namespace": namespace},
        }
        user = f"--as=system:serviceaccount:{account_namespace}:{name}"
        command = ("create", "--validate=false", "-f", "-", "-o", "json", user)
        said = sandbox.kubectl(*command, stdin=json.dumps(review))
        status = json.loads(said)["status"]
        assert not status.get("incomplete")
        paths = {
            (v, p)
            for rule in status["nonResourceRules"]
            for v in rule["verbs"]
            for p in rule["nonResourceURLs"]
        }
        return {right for rule in status["resourceRules"] for right in flat(rule)}, paths

    @cache
    def settled(namespace, account_namespace, name):
        """Of the two accounts, once the API server has taken up what was applied, else what it has."""
        wanted = {
            right
            for account in (READER, PREVIEW)
            if (account.namespace, account.name) == (account_namespace, name)
            for right in account.granted(namespace)
        }
        with suppress(AssertionError):
            eventually(lambda: wanted <= ask(namespace, account_namespace, name)[0], timeout_seconds=30)
        return ask(namespace, account_namespace, name)

    return settled


@ACCOUNTS
@pytest.mark.parametrize("namespace", NAMESPACES)
def test_an_account_has_the_rights_of_its_manifest_and_no_other_anywhere(may, account, namespace):
    given, paths = may(namespace, account.namespace, account.name)
    everybodys, open_paths = may(namespace, MADE, "nobody")
    assert given - everybodys == account.granted(namespace) - everybodys
    assert paths == open_paths
    assert account.granted(namespace)


@ACCOUNTS
def test_whatever_an_account_may_do_is_to_read(account):
    rights = {right for namespace in NAMESPACES for right in account.granted(namespace)}
    assert {verb for verb, *_ in rights} <= {"get", "list"}
    assert not {resource for _, _, resource, _ in rights} & {"secrets", "pods/exec", "serviceaccounts/token"}
    everything = {(group, resource) for _, group, resource, _ in rights if "*" in (group, resource)}
    assert everything <= {("monitoring.coreos.com", "*")}


def test_only_the_account_of_previews_reads_configmaps(may):
    """A preview compares scripts and dashboards with those that are there."""
    assert not [
        right for right in may("kubeflow", READER.namespace, READER.name)[0] if right[2] == "configmaps"
    ]


@pytest.mark.parametrize(
    "write",
    [
        ("delete", "tfjob", "tf-mnist-gpu", "-n", "kubeflow"),
        ("create", "configmap", "drill", "-n", "kubeflow"),
        ("label", "node", "node-gpu-01", "drill=1"),
        ("get", "secrets", "-A"),
        ("exec", "-n", "kubeflow", "deploy/training-operator", "--", "true"),
        ("create", "token", "default", "-n", "kubeflow"),
    ],
    ids=lambda write: " ".join(write[:2]),
)
@ACCOUNTS
def test_a_request_beyond_it_is_refused(sandbox, account, write):
    user = f"--as=system:serviceaccount:{account.namespace}:{account.name}"
    assert "orbidden" in sandbox.kubectl(user, *write, check=False)


@pytest.fixture(scope="module")
def reader(sandbox, tmp_path_factory):
    """A kubeconfig with nothing but the account's token."""
    token = sandbox.kubectl("create", "token", READER.name, "-n", READER.namespace).strip()
    return written(tmp_path_factory.mktemp("reader"), sandbox, token)


@pytest.mark.parametrize("command", ["doctor", "status", "report --window 1m", "check --live"])
def test_the_account_of_the_manifest_is_all_that_a_command_needs(sandbox, reader, command):
    def allowed():
        done = subprocess.run(
            [sys.executable, "-m", "infra.cli", *command.split(), "--stack", "dev"],
            cwd=ROOT,
            env=sandbox.workspace.environment() | {"KUBECONFIG": reader},
            capture_output=True,
            text=True,
            check=False,
        )
        assert "Traceback" not in done.stdout + done.stderr
        refused = "could not be" in done.stdout or "may not be read" in done.stdout
        return done.returncode == 0 and not refused and done.stdout

    assert "dev" in eventually(allowed)
