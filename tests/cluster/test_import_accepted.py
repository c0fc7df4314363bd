"""The API server and the operator's webhook take what is rendered from an import, and refuse faults."""

from __future__ import annotations

import json

import pytest

from tests.infra.importing.conftest import operator_module  # noqa: F401 (a fixture)
from tests.infra.importing.effect import rendered
from tests.infra.importing.manifests import entry, found, manifest, with_container
from tests.infra.importing.test_round_trip import SHAPES

pytestmark = pytest.mark.cluster


def answer(sandbox, job):
    """What the server says to the job in the namespace `default`, without making it."""
    placed = job | {"metadata": job["metadata"] | {"namespace": "default"}}
    arguments = ("create", "--dry-run=server", "--filename=-")
    return sandbox.kubectl(*arguments, stdin=json.dumps(placed), check=False)


@pytest.mark.parametrize("job", SHAPES.values(), ids=SHAPES)
def test_the_server_takes_the_manifest_and_what_is_rendered_from_its_entry(sandbox, job):
    assert "created (server dry run)" in answer(sandbox, job)
    assert "created (server dry run)" in answer(sandbox, rendered(entry(job)))


def test_the_server_takes_what_is_rendered_from_the_operators_examples(sandbox, operator_module):  # noqa: F811
    from infra.importing import imported, manifests_of

    examples = operator_module / "examples" / "tensorflow"
    jobs = [job for file in examples.rglob("*.yaml") for job in manifests_of(file).manifests]
    assert jobs
    for job in jobs:
        assert "created (server dry run)" in answer(sandbox, rendered(imported(job.data).entry))


REFUSED = {
    "no container of the name": with_container(name="trainer"),
    "an amount as a fraction": with_container(resources={"requests": {"cpu": 0.5}}),
    "a number as a variable": with_container(env=[{"name": "A", "value": 1}]),
    "a variable twice": with_container(env=[{"name": "A", "value": "1"}, {"name": "A", "value": "2"}]),
    "a policy in the wrong place": manifest(cleanPodPolicy="All"),
    "an unknown field": with_container(imagePullPolcy="Always"),
    "a chief and a master": manifest(("Chief", "Master")),
    "an unknown manager": manifest(runPolicy={"managedBy": "someone"}),
    "no image": with_container(image=""),
}


@pytest.mark.parametrize("job", REFUSED.values(), ids=REFUSED)
def test_what_is_a_fault_of_the_manifest_the_server_refuses_too(sandbox, job):
    assert found(job) != []
    assert "created (server dry run)" not in answer(sandbox, job)


def test_a_service_with_an_unnamed_port_beside_the_operators_is_refused(sandbox):
    """Why such a port is a fault: the operator makes this Service of it."""
    ports = [{"port": 6006}, {"name": "tfjob-port", "port": 2222}]
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "probe"}}
    assert "Required value" in answer(sandbox, service | {"spec": {"clusterIP": "None", "ports": ports}})
