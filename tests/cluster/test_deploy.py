"""What `make up` promises: everything is deployed by `pulumi up`, trains, and stays as it is."""

from __future__ import annotations

import base64
import json

import pytest

from sandbox import deploy, scratch
from sandbox.node import NODE_NAME
from sandbox.progress import Progress
from tests.cluster.conftest import Deployment

pytestmark = pytest.mark.cluster

CERTIFICATE = ("secret", "training-operator-webhook-cert", "-n", "kubeflow")


@pytest.fixture(scope="module")
def jobs(sandbox):
    """The declared jobs after `make up`."""
    deploy.deploy(Progress())
    return {job.name: job for job in deploy.job_states(sandbox.workspace)}


def test_the_single_worker_job_trains_on_the_real_node(jobs):
    job = jobs["tf-mnist-cpu"]
    assert (job.state, job.nodes) == ("Succeeded", (NODE_NAME,))
    assert float(job.accuracy) > 0.9


def test_the_gpu_job_is_scheduled_to_a_gpu_node(jobs):
    job = jobs["tf-mnist-gpu"]
    assert job.simulated
    assert job.nodes[0].startswith("node-gpu-")


def test_the_distributed_job_trains_across_its_pods(jobs):
    job = jobs["tf-digits-dist"]
    assert job.state == "Succeeded"
    assert float(job.accuracy) > 0.8


def test_every_claim_is_bound(jobs, sandbox):
    claims = sandbox.items("pvc", "-n", "kubeflow")
    assert [claim["status"]["phase"] for claim in claims] == ["Bound"]


def test_the_same_stack_again_changes_nothing_and_keeps_the_webhooks_certificate(jobs, deployment):
    before = deployment.sandbox.get(*CERTIFICATE)["data"]
    deployment.up("--expect-no-changes")
    deployment.up("--expect-no-changes", "--refresh")
    assert deployment.sandbox.get(*CERTIFICATE)["data"] == before
    assert base64.b64decode(before["tls.crt"])


def test_a_job_that_an_earlier_run_left_failed_runs_again(jobs, sandbox):
    """As after a machine that stopped in the middle of a training; here only the job's status says so."""
    job = ("tfjob", "tf-mnist-cpu", "-n", "kubeflow")
    before = {name: sandbox.get("tfjob", name, "-n", "kubeflow")["metadata"]["uid"] for name in jobs}
    conditions = sandbox.get(*job)["status"]["conditions"]
    failed = [{**one, "status": "False"} for one in conditions] + [{**conditions[-1], "type": "Failed"}]
    patch = json.dumps({"status": {"conditions": failed}})
    sandbox.kubectl("patch", *job, "--subresource=status", "--type=merge", "-p", patch)
    deploy.deploy(Progress())
    after = {name: sandbox.get("tfjob", name, "-n", "kubeflow")["metadata"]["uid"] for name in jobs}
    assert {name for name in jobs if after[name] != before[name]} == {"tf-mnist-cpu"}
    assert {job.name: job.state for job in deploy.job_states(sandbox.workspace)}[
        "tf-mnist-cpu"
    ] == "Succeeded"


def test_a_preview_where_nothing_is_shows_every_resource(deployed, tmp_path):
    whole = deployed.resources()
    deployed.destroy()
    # Gone as well: the definition and the claim, which outlive the stack, are in no new state.
    deployed.sandbox.kubectl("delete", "crd", "tfjobs.kubeflow.org")
    new = Deployment(
        deployed.sandbox, scratch.with_own_state(scratch.copied(deployed.workspace, tmp_path / "new"))
    )
    plan = new.plan()
    assert whole - set(plan) == set()
    assert {plan[name] for name in whole} == {"create"}


def test_outputs_say_how_to_follow_each_job(jobs, deployment):
    outputs = deployment.workspace.outputs()
    assert set(outputs["jobs"]) == set(jobs)
    assert "kubectl" in str(outputs["jobs"]["tf-mnist-cpu"])
