"""Kueue on the sandbox: its own manifests, with TFJobs alone and little memory."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from sandbox import images, programs, queueing, tools
from tests.sandbox.conftest import Script

SHELL = """\
cat <<'END'
apiVersion: v1
kind: ConfigMap
metadata: {name: kueue-manager-config}
data: {controller_manager_config.yaml: "integrations: {frameworks: [batch/job]}"}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: workloads.kueue.x-k8s.io}
spec: {versions: [{name: v1beta2, schema: {openAPIV3Schema: {description: prose, type: object}}}]}
---
apiVersion: v1
kind: Namespace
metadata: {name: kueue-system}
---
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1beta2.visibility.kueue.x-k8s.io}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: kueue-controller-manager}
spec:
  template:
    spec:
      containers:
        - {name: manager, image: elsewhere, args: [--config=x], readinessProbe: {httpGet: {port: 8081}}}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: kueue-mutating-webhook-configuration}
webhooks:
  - {name: mtfjob.kb.io, rules: [{apiGroups: [kubeflow.org], resources: [tfjobs]}]}
  - {name: mpod.kb.io, rules: [{apiGroups: [""], resources: [pods]}]}
  - {name: mworkload.kb.io, rules: [{apiGroups: [kueue.x-k8s.io], resources: [workloads]}]}
END
"""


@pytest.fixture
def objects(
    machine: Path, script: Script, monkeypatch: pytest.MonkeyPatch
) -> tuple[list[queueing.Object], list[queueing.Object]]:
    monkeypatch.setattr(tools, "queueing_manifests", lambda: Path("/manifests"))
    return queueing.objects(script("kubectl", SHELL))


def only(items: list[queueing.Object], kind: str) -> queueing.Object:
    [found] = [item for item in items if item["kind"] == kind]
    return found


Objects = tuple[list[queueing.Object], list[queueing.Object]]


def test_definitions_come_first_and_without_their_prose(objects: Objects) -> None:
    [definition] = objects[0]
    assert definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"] == {"type": "object"}
    assert objects[1][0]["kind"] == "Namespace"


def test_it_serves_tfjobs_alone_and_asks_about_nothing_else(objects: Objects) -> None:
    settings = yaml.safe_load(only(objects[1], "ConfigMap")["data"]["controller_manager_config.yaml"])
    assert settings["integrations"]["frameworks"] == ["kubeflow.org/tfjob"]
    webhooks = only(objects[1], "MutatingWebhookConfiguration")["webhooks"]
    assert [webhook["name"] for webhook in webhooks] == ["mtfjob.kb.io", "mworkload.kb.io"]


def test_no_api_server_stands_behind_it(objects: Objects) -> None:
    assert "APIService" not in {item["kind"] for item in objects[1]}


def test_it_runs_from_the_image_made_here(objects: Objects) -> None:
    [manager] = only(objects[1], "Deployment")["spec"]["template"]["spec"]["containers"]
    assert manager["image"] == images.reference("kueue")
    assert manager["imagePullPolicy"] == "Never"
    assert manager["args"][0] == "--config=x"
    assert manager["readinessProbe"]["httpGet"] == {"port": 8081}


def test_it_is_built_when_it_is_asked_for_and_not_before() -> None:
    assert "kueue" not in programs.names()
    assert "kueue" not in images.SANDBOX_IMAGES
    assert programs.group_of("kueue").on_demand
