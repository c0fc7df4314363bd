"""The real API server, the TFJob's webhook and the `restricted` level take what is rendered.

The API server asks with server-side dry run and refuses unknown fields. Of a TFJob it knows less than
of a Pod, so every pod that the operator would make of it is asked about too.
"""

from __future__ import annotations

import json
import os
from typing import Any

import pytest

from components.rendering.pod_security import pod_security_labels
from tests.cluster.conftest import make_namespace
from tests.components.job_examples import EXAMPLES, NOTHING, Change, manifest
from tests.components.maximal_job import MAXIMAL

pytestmark = pytest.mark.cluster

AS_ROOT = "SecuritySpec.run_as_non_root"
STRICT = ("--dry-run=server", "--validate=strict", "-f", "-", "-o", "name")
CREATE = ("create", *STRICT)
APPLY = ("apply", "--server-side", *STRICT)


@pytest.fixture(scope="module")
def restricted(sandbox):
    """A tenant's namespace, with the account that some of the examples name."""
    name = f"test-rendering-{os.getpid()}"
    labels = [f"{key}={value}" for key, value in pod_security_labels("restricted").items()]
    make_namespace(sandbox, name)
    sandbox.kubectl("label", "namespace", name, *labels)
    sandbox.kubectl("create", "serviceaccount", "trainer", "-n", name)
    yield name
    sandbox.kubectl("delete", "namespace", name, "--wait=false")


def objects(change: Change, namespace: str) -> list[dict[str, Any]]:
    """The TFJob and one pod of each of its roles, as the operator would make it."""
    tfjob = manifest(change | {"tenant": namespace})
    pods = []
    for role, replica in tfjob["spec"]["tfReplicaSpecs"].items():
        template = replica["template"]
        name = f"{tfjob['metadata']['name']}-{role.lower()}-0"
        metadata = {"name": name, "namespace": namespace, **template["metadata"]}
        restart_policy = "Never" if replica["restartPolicy"] == "ExitCode" else replica["restartPolicy"]
        spec = {**template["spec"], "restartPolicy": restart_policy}
        pods.append({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec})
    return [tfjob, *pods]


def asked(sandbox, found: list[dict[str, Any]], *, how: tuple[str, ...] = CREATE, check: bool = True) -> str:
    listed = {"apiVersion": "v1", "kind": "List", "items": found}
    return sandbox.kubectl(*how, stdin=json.dumps(listed), check=check)


@pytest.mark.parametrize("field", [field for field in EXAMPLES if field != AS_ROOT])
def test_a_job_that_uses_a_field_is_accepted(sandbox, restricted, field):
    found = objects(EXAMPLES[field][1], restricted)
    assert len(asked(sandbox, found).split()) == len(found) >= 2


def test_a_job_that_uses_everything_at_once_is_accepted(sandbox, restricted):
    assert len(asked(sandbox, objects(MAXIMAL, restricted)).split()) == 5


def test_such_a_job_can_be_applied_as_the_program_does(sandbox, restricted):
    """Server-side apply refuses two items of a list that it could not tell apart."""
    [tfjob, *_] = objects(MAXIMAL, restricted)
    assert asked(sandbox, [tfjob], how=APPLY).startswith("tfjob")


def test_a_job_that_may_run_as_root_is_refused_where_the_level_is_restricted(sandbox, restricted):
    [tfjob, pod] = objects(EXAMPLES[AS_ROOT][1], restricted)
    assert "violates PodSecurity" in asked(sandbox, [pod], check=False)
    assert asked(sandbox, [tfjob]).startswith("tfjob")


def test_a_field_that_the_api_server_does_not_know_is_refused(sandbox, restricted):
    tfjob, pod = objects(NOTHING, restricted)
    tfjob["spec"]["runPolicy"]["cleanPods"] = "All"
    pod["spec"]["toleration"] = []
    for found, field in ((tfjob, "cleanPods"), (pod, "toleration")):
        answer = asked(sandbox, [found], check=False)
        assert "unknown field" in answer
        assert f'{field}"' in answer
