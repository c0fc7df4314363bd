"""Bug cases of which only a real cluster can say what is right, by their codes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from infra.checks.parts import rendered_pods
from infra.models import JobSpec
from sandbox import images
from tests.cluster.conftest import eventually
from tests.components.job_examples import BASE

pytestmark = pytest.mark.cluster


def pod(namespace: str, **change: Any) -> dict[str, Any]:
    """The first pod of a job with a change, as the operator would make it."""
    job = JobSpec.model_validate(BASE | change)
    _, spec = next(rendered_pods(job))
    spec = {key: value for key, value in spec.items() if key != "priorityClassName"}
    metadata = {"name": "asked", "namespace": namespace}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def test_a5_a_pod_that_always_restarts_never_succeeds(sandbox, namespace):
    """Verdict: a warning stands. The kubelet starts a training that has ended well once more."""
    asked = pod(namespace, image=images.reference("tensorflow"), command=["true"])
    asked["spec"]["restartPolicy"] = "Always"
    sandbox.kubectl("create", "-f", "-", stdin=json.dumps(asked))

    def restarted() -> bool:
        status = sandbox.get("pod", "-n", namespace, "asked")["status"]
        assert status["phase"] in ("Pending", "Running")
        return any(c["restartCount"] and "terminated" in c["lastState"] for c in status["containerStatuses"])

    eventually(lambda: "containerStatuses" in sandbox.get("pod", "-n", namespace, "asked")["status"])
    eventually(restarted)
    [container] = sandbox.get("pod", "-n", namespace, "asked")["status"]["containerStatuses"]
    assert container["lastState"]["terminated"]["exitCode"] == 0


def test_a14_a_second_tf_config_is_taken_and_the_first_is_lost(sandbox, namespace):
    """Verdict: a fault stands. The operator appends its own to the user's, and nothing refuses the pod."""
    asked = pod(namespace, env={"TF_CONFIG": "{}"})
    [container] = asked["spec"]["containers"]
    container["env"].append({"name": "TF_CONFIG", "value": '{"cluster": {}}'})
    answer = sandbox.kubectl(
        "create", "--dry-run=server", "--validate=strict", "-o", "json", "-f", "-", stdin=json.dumps(asked)
    )
    [taken] = json.loads(answer)["spec"]["containers"]
    assert [entry["value"] for entry in taken["env"] if entry["name"] == "TF_CONFIG"] == [
        "{}",
        '{"cluster": {}}',
    ]


def test_a8_a_job_that_its_ttl_removed_would_train_again(deployed):
    """Verdict: a fault stands. Pulumi sees a job that is gone, and its next update makes it anew."""
    stack = deployed.stack
    [job] = [job for job in stack["jobs"] if job["name"] == "tf-mnist-cpu"]
    job["command"], job["script"] = ["true"], None
    job["run_policy"] = {"ttl_seconds_after_finished": 1, "recreate": True}
    deployed.write(stack)
    deployed.up()
    eventually(
        lambda: (
            "NotFound" in deployed.sandbox.kubectl("get", "tfjob", "-n", "kubeflow", job["name"], check=False)
        )
    )
    assert deployed.plan("--refresh")["tf-mnist-cpu-tfjob"] == "create"


@pytest.mark.parametrize("await_all", ["true", "false"])
def test_e7_a_job_without_pods_is_deployed_in_any_case(deployed, monkeypatch, await_all):
    """Verdict: an update says that a job was sent, not that it runs, however the provider waits."""
    monkeypatch.setenv("PULUMI_K8S_AWAIT_ALL", await_all)
    stack = deployed.stack
    job = {**stack["jobs"][0], "name": "never-started", "run_policy": {"suspend": True}}
    deployed.write({**stack, "jobs": [*stack["jobs"], job]})
    deployed.up()
    assert deployed.sandbox.get("tfjob", "-n", "kubeflow", "never-started")["spec"]["runPolicy"]["suspend"]
    assert (
        deployed.sandbox.items("pods", "-n", "kubeflow", "-l", "training.kubeflow.org/job-name=never-started")
        == []
    )
