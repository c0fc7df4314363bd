"""`colo doctor` and `colo status` as they are typed: a healthy sandbox, few rights, no cluster."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from infra.places import ROOT
from tests.cluster.conftest import eventually
from tests.cluster.test_check_live import written

pytestmark = pytest.mark.cluster


@pytest.fixture
def colo(sandbox):
    """Runs the command: exit code, stdout, stderr."""

    def run(*arguments, **variables):
        done = subprocess.run(
            [sys.executable, "-m", "infra.cli", *arguments],
            cwd=ROOT,
            env=sandbox.workspace.environment() | variables,
            capture_output=True,
            text=True,
            check=False,
        )
        assert "Traceback" not in done.stdout + done.stderr
        return done.returncode, done.stdout, done.stderr

    return run


def settled(colo, *arguments, well):
    """What the command says once it finds all well, else what it says in the end.

    Tests before these restarted the operator and Prometheus, which find each other some moments later.
    """
    said = []

    def probe():
        said[:] = [colo(*arguments)]
        return well(*said[0])

    try:
        eventually(probe)
    except AssertionError:
        if not said:
            raise
    return said[0]


def test_the_deployed_stack_is_well(deployed_once, colo):
    code, out, err = settled(
        colo, "doctor", "--stack", "dev", well=lambda code, out, err: out.startswith("stack dev: no faults (")
    )
    assert (code, err) == (0, ""), out
    assert out.startswith("stack dev: no faults (")


def test_the_stack_that_the_cluster_carries_is_the_one_that_is_meant(deployed_once, colo):
    # A job that has not ended: of one that has, a Prometheus made anew since then has no data.
    code, out, _ = settled(
        colo,
        *("doctor", "tf-mnist-gpu", "--format", "json"),
        well=lambda code, out, err: not json.loads(out)["diagnoses"],
    )
    assert (code, json.loads(out)["diagnoses"]) == (0, [])


def test_a_job_that_is_not_there_is_told_with_those_there_are(colo):
    code, out, err = colo("doctor", "tf-mnist-cup", "--stack", "dev")
    assert (code, out) == (2, "")
    assert "stack dev has no job tf-mnist-cup; write tf-mnist-cpu" in err


def test_every_command_of_the_page_works(deployed_once, colo):
    page = (ROOT / "docs/tasks/doctor.md").read_text("utf-8")
    commands = [
        line.split(" #")[0].split()[1:] for line in page.splitlines() if line.startswith(".venv/bin/colo ")
    ]
    assert len(commands) >= 3
    for command in commands:
        if "--watch" not in command:
            code, _, err = settled(colo, *command, well=lambda code, out, err: code == 0)
            assert (code, err if "json" not in command else "") == (0, ""), command


def test_what_an_account_may_not_read_is_said_and_the_rest_goes_on(sandbox, namespace, colo, tmp_path):
    sandbox.kubectl("create", "serviceaccount", "nobody", "-n", namespace)
    name = f"doctor-{namespace}"
    sandbox.kubectl("create", "clusterrole", name, "--verb=list", "--resource=namespaces,pods")
    account = f"--serviceaccount={namespace}:nobody"
    sandbox.kubectl("create", "clusterrolebinding", name, f"--clusterrole={name}", account)
    token = sandbox.kubectl("create", "token", "nobody", "-n", namespace).strip()
    kubeconfig = written(tmp_path, sandbox, token)
    try:

        def looked():
            code, out, _ = colo("doctor", "--stack", "dev", "--format", "json", KUBECONFIG=kubeconfig)
            unread = {one["kind"] for one in json.loads(out)["unread"]}
            return "pods" not in unread and (code, unread)

        code, unread = eventually(looked)
        assert code == 0
        assert {"nodes", "tfjobs", "events", "deployments", "customresourcedefinitions"} <= unread
    finally:
        sandbox.kubectl("delete", "clusterrolebinding", name)
        sandbox.kubectl("delete", "clusterrole", name)


def test_status_fits_on_a_narrow_screen(deployed_once, colo):
    code, out, err = colo("status", "--stack", "dev")
    assert (code, err) == (0, "")
    assert max(map(len, out.splitlines())) <= 80
    for word in ("tf-digits-dist", "tf-mnist-gpu", "node-gpu-0", "requests.nvidia.com/gpu"):
        assert word in out


def test_without_the_definition_the_jobs_that_it_takes_along_are_told(deployed, colo):
    deployed.sandbox.kubectl("delete", "crd", "tfjobs.kubeflow.org", "--timeout=60s")
    try:
        code, out, _ = colo("doctor", "--stack", "dev", "--format", "json")
        [found] = [one for one in json.loads(out)["diagnoses"] if one["code"] == "crd-absent"]
        assert (code, "tf-mnist-cpu" in found["affects"]) == (1, True)
        assert found["fix"] == "pulumi up --refresh --stack dev"
    finally:
        deployed.up("--refresh")
    # The operator has lost its caches, and makes the pods anew.
    code, out, _ = settled(colo, "doctor", "--stack", "dev", well=lambda code, out, err: code == 0)
    assert code == 0, out
