"""Whatever stack `colo check` passes, the real API server and the operator's webhook take whole.

Stacks are generated, assembled as the program does it, and sent with server-side dry run. An API server
knows less of a TFJob than of a Pod, so every pod and Service that the operator would make is sent too.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from kubernetes import config
from kubernetes.dynamic import DynamicClient
from kubernetes.dynamic.exceptions import DynamicApiError

from components.rendering.pod_security import pod_security_labels
from components.start_run import MANIFEST
from infra.assembly import assemble
from infra.models import Stack
from infra.plan import Plan
from infra.source import Source
from infra.vocabulary import (
    TENSORFLOW_CONTAINER,
    TFJOB_KIND,
    TFJOB_PORT,
    TFJOB_PORT_NAME,
    TRAINING_OPERATOR_WEBHOOKS,
)
from tests.cluster.conftest import make_namespace
from tests.generated.stacks import SCRIPTS, SOUND

pytestmark = pytest.mark.cluster

LEVELS = ("restricted", "baseline", "privileged")
Object = dict[str, Any]


@dataclass(frozen=True)
class Server:
    """The API server, asked whether it would take objects, over one connection."""

    client: DynamicClient
    namespaces: Mapping[str, str]
    """One that enforces each Pod Security level."""

    def refusal(self, manifest: Object) -> str | None:
        """Why it would not take an object."""
        kind = self.client.resources.get(api_version=manifest["apiVersion"], kind=manifest["kind"])
        ask = ("dryRun", "All"), ("fieldValidation", "Strict"), ("fieldManager", "test-generated")
        try:
            if manifest["kind"] in ("Pod", "Service"):  # the operator creates, this program applies
                self.client.create(kind, body=manifest, query_params=list(ask))
            else:
                self.client.server_side_apply(kind, body=manifest, query_params=list(ask))
        except DynamicApiError as error:
            return f"{manifest['kind']} {manifest['metadata']['name']}: {error.summary()}\n{manifest}"
        return None


@pytest.fixture(scope="module")
def server(sandbox) -> Iterator[Server]:
    """Namespaces of each level, with the account that some of the jobs name."""
    sandbox.kubectl("get", "validatingwebhookconfiguration", TRAINING_OPERATOR_WEBHOOKS)  # it has a say
    names = {level: f"test-generated-{os.getpid()}-{level}" for level in LEVELS}
    for level, name in names.items():
        labels = [f"{key}={value}" for key, value in pod_security_labels(level).items()]
        make_namespace(sandbox, name)
        sandbox.kubectl("label", "namespace", name, *labels)
        sandbox.kubectl("create", "serviceaccount", "trainer", "-n", name, check=False)
    kubeconfig = sandbox.workspace.environment()["KUBECONFIG"]
    yield Server(DynamicClient(config.new_client_from_config(kubeconfig)), names)
    for name in names.values():
        sandbox.kubectl("delete", "namespace", name, "--wait=false")


def declared_by(data: Object, declare: Any) -> list[Object]:
    """Every object that the program declares, without those of the operator."""
    stack = Stack.model_validate(data | {"training_operator": {"install": False}})
    ready = Plan(stack, scripts=SCRIPTS, dashboards={}, source=Source({}, {}))
    declared = declare(lambda: assemble(ready, "test", {}))
    found = (resource.inputs for resource in declared.resources if "apiVersion" in resource.inputs)
    # Without an engine, every number has passed as a floating one.
    return [json.loads(json.dumps(inputs), parse_float=_whole) for inputs in found]


def _whole(text: str) -> float:
    number = float(text)
    return int(number) if number.is_integer() else number


def placed(found: list[Object], data: Object, namespaces: Mapping[str, str]) -> Iterator[Object]:
    """The objects in namespaces that are there."""
    levels = {tenant["name"]: tenant.get("pod_security", "restricted") for tenant in data["tenants"]}
    for manifest in found:
        metadata = manifest["metadata"]
        if manifest["kind"] == "PriorityClass":
            # The cluster may have its default class already, and its own value of another.
            metadata = metadata | {"name": f"test-{metadata['name']}"}
            manifest = manifest | {"globalDefault": False}
        if "namespace" in metadata:
            metadata = metadata | {"namespace": namespaces[levels[metadata["namespace"]]]}
        yield manifest | {"metadata": metadata}


def made_of(manifest: Object) -> Iterator[Object]:
    """What the cluster makes of an object in turn, as far as this program decides it."""
    if manifest["kind"] == TFJOB_KIND:
        for role, replica in manifest["spec"]["tfReplicaSpecs"].items():
            template = replica["template"]
            name = f"{manifest['metadata']['name']}-{role.lower()}-0"
            never = replica["restartPolicy"] in ("Never", "ExitCode")
            restart_policy = "Never" if never else replica["restartPolicy"]
            yield _pod(name, manifest, template, restartPolicy=restart_policy)
            yield _service(name, manifest, template["spec"])
    elif manifest["kind"] == "CronJob":
        template = manifest["spec"]["jobTemplate"]["spec"]["template"]
        # The account that the program declares is not made by a dry run.
        yield _pod(manifest["metadata"]["name"], manifest, template, serviceAccountName="trainer")
    elif manifest["kind"] == "ConfigMap" and MANIFEST in manifest.get("data", {}):
        tfjob = json.loads(manifest["data"][MANIFEST])
        metadata = tfjob["metadata"] | {"namespace": manifest["metadata"]["namespace"]}
        run = tfjob | {"metadata": metadata | {"name": f"{metadata['name']}-29000000"}}
        yield from (run, *made_of(run))


def _pod(name: str, owner: Object, template: Object, **spec: Any) -> Object:
    metadata = {"name": name, "namespace": owner["metadata"]["namespace"], **template["metadata"]}
    # Its class is not on this cluster, and is asked about by itself.
    kept = {key: value for key, value in template["spec"].items() if key != "priorityClassName"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": kept | spec}


def _service(name: str, owner: Object, pod: Object) -> Object:
    [training] = [found for found in pod["containers"] if found["name"] == TENSORFLOW_CONTAINER]
    ports = [{"name": port["name"], "port": port["containerPort"]} for port in training.get("ports", ())]
    ports.append({"name": TFJOB_PORT_NAME, "port": TFJOB_PORT})
    metadata = {"name": name, "namespace": owner["metadata"]["namespace"]}
    spec = {"clusterIP": "None", "ports": ports}
    return {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": spec}


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=SOUND)
def test_a_stack_without_faults_is_accepted_whole(server, declare, data):
    found = list(placed(declared_by(data, declare), data, server.namespaces))
    asked = [*found, *(made for manifest in found for made in made_of(manifest))]
    assert sum(manifest["kind"] == TFJOB_KIND for manifest in asked) == len(data["jobs"])
    assert [refused for manifest in asked if (refused := server.refusal(manifest))] == []
