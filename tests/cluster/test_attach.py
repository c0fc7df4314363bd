"""A stack that attaches to an operator which another stack installed."""

from __future__ import annotations

import pytest

from sandbox import images, scratch
from tests.cluster.conftest import Deployment, eventually

pytestmark = pytest.mark.cluster

STACK = {
    # Below the default class of the stack that is there.
    "priorities": [{"name": "attached-low", "value": -10, "kind": "offline"}],
    "tenants": [{"name": "attached"}],
    "training_operator": {"install": False, "namespace": "kubeflow"},
    "jobs": [
        {
            "name": "attached",
            "tenant": "attached",
            "priority": "attached-low",
            "image": images.reference("tensorflow"),
            "command": ["python3", "-c", "print('trained')"],
            "worker": {
                "resources": {
                    "requests": {"cpu": "50m", "memory": "64Mi"},
                    "limits": {"cpu": "1", "memory": "256Mi"},
                }
            },
        }
    ],
}


def test_a_stack_uses_the_operator_that_is_there_and_leaves_it_there(deployed, tmp_path):
    sandbox = deployed.sandbox
    copy = scratch.copied(deployed.workspace, tmp_path / "attached")
    attached = Deployment(sandbox, scratch.with_own_state(copy))
    attached.write(STACK)
    operator = ("deployment", "training-operator", "-n", "kubeflow")
    before = sandbox.get(*operator)["metadata"]
    attached.up()
    try:
        eventually(lambda: "Succeeded" in sandbox.kubectl("get", "tfjob", "attached", "-n", "attached"))
    finally:
        attached.destroy()
    after = sandbox.get(*operator)["metadata"]
    assert (after["uid"], after["generation"]) == (before["uid"], before["generation"])
    assert "NotFound" in sandbox.kubectl("get", "namespace", "attached", check=False)
    deployed.up("--expect-no-changes")
