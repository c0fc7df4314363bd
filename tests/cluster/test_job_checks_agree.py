"""The real API server refuses what the checks of a job call a fault, and takes what they let pass.

Everything is asked with server-side dry run.
"""

from __future__ import annotations

import json
import os

import pytest

from components.rendering.pod_security import pod_security_labels
from infra.checks.parts import rendered_pods
from infra.models import JobSpec
from tests.cluster.conftest import make_namespace
from tests.infra.checks.test_pod_security import BASELINE, CONTRADICTIONS, RESTRICTED
from tests.infra.conftest import SMALL

pytestmark = pytest.mark.cluster

LEVELS = ("restricted", "baseline", "privileged")
JOB = SMALL["jobs"][0] | {"volumes": [], "checkpoint_path": None}


@pytest.fixture(scope="module", params=LEVELS)
def levelled(sandbox, request):
    """A namespace that enforces a Pod Security level."""
    name = f"test-job-checks-{os.getpid()}-{request.param}"
    labels = [f"{key}={value}" for key, value in pod_security_labels(request.param).items()]
    make_namespace(sandbox, name)
    sandbox.kubectl("label", "namespace", name, *labels)
    yield name, request.param
    sandbox.kubectl("delete", "namespace", name, "--wait=false")


def asked(sandbox, namespace, kind, spec):
    metadata = {"name": "asked", "namespace": namespace}
    manifest = {"apiVersion": "v1", "kind": kind, "metadata": metadata, "spec": spec}
    how = ("create", "--dry-run=server", "--validate=strict", "-o", "name", "-f", "-")
    return sandbox.kubectl(*how, stdin=json.dumps(manifest), check=False)


def pod(**change):
    _, spec = next(rendered_pods(JobSpec.model_validate(JOB | change)))
    # The class of the small stack is not on this cluster, and says nothing of rights.
    return {key: value for key, value in spec.items() if key != "priorityClassName"}


@pytest.mark.parametrize("overrides", [overrides for overrides, _ in BASELINE])
def test_what_the_checks_refuse_at_baseline_is_refused(sandbox, levelled, overrides):
    namespace, level = levelled
    answer = asked(sandbox, namespace, "Pod", pod(pod_overrides=overrides))
    assert ("violates PodSecurity" in answer) == (level != "privileged"), answer
    assert answer.startswith("pod/") == (level == "privileged"), answer


@pytest.mark.parametrize(
    "change",
    [{"pod_overrides": overrides} for overrides, _ in RESTRICTED]
    + [{"security": {"run_as_non_root": False}}],
)
def test_what_the_checks_refuse_at_restricted_only_is_refused_there_only(sandbox, levelled, change):
    namespace, level = levelled
    answer = asked(sandbox, namespace, "Pod", pod(**change))
    assert ("violates PodSecurity" in answer) == (level == "restricted"), answer
    assert answer.startswith("pod/") == (level != "restricted"), answer


@pytest.mark.parametrize("overrides", [change["pod_overrides"] for change, _ in CONTRADICTIONS[1:]])
def test_what_contradicts_itself_is_refused_at_every_level(sandbox, levelled, overrides):
    assert "is invalid" in asked(sandbox, levelled[0], "Pod", pod(pod_overrides=overrides))


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"security": {"run_as_user": None, "fs_group": None}},
        {
            "pod_overrides": {
                "containers": [
                    {"name": "tensorflow", "securityContext": {"capabilities": {"add": ["NET_BIND_SERVICE"]}}}
                ]
            }
        },
    ],
)
def test_what_passes_the_checks_is_taken(sandbox, levelled, change):
    assert asked(sandbox, levelled[0], "Pod", pod(**change)).startswith("pod/")


def test_a_service_holds_each_number_once(sandbox, levelled):
    """Why 2222 under another name is a fault: the operator makes a Service of a container's ports."""
    ports = [{"name": "tfjob-port", "port": 2222}, {"name": "grpc", "port": 2222}]
    answer = asked(sandbox, levelled[0], "Service", {"clusterIP": "None", "ports": ports})
    assert "Duplicate value" in answer


def test_a_container_has_each_port_name_once(sandbox, levelled):
    spec = pod(ports=[{"name": "grpc", "port": 1}, {"name": "grpc", "port": 2}])
    assert "Duplicate value" in asked(sandbox, levelled[0], "Pod", spec)


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        ({"hostAlias": []}, "unknown field"),
        ({"tolerations": {}}, "cannot be handled"),
        ({"hostname": 7}, "cannot be handled"),
        ({"terminationGracePeriodSeconds": "30"}, "cannot be handled"),
    ],
)
def test_a_field_or_value_that_a_pod_does_not_have_is_refused(sandbox, levelled, overrides, words):
    assert words in asked(sandbox, levelled[0], "Pod", pod(pod_overrides=overrides))
