"""What the wrapper around the upstream overlay makes of it; built by the real kustomize."""

import os
import subprocess

import pytest
import yaml

from components.rendering.operator_kustomization import operator_files
from infra.models import TrainingOperatorSpec
from sandbox import fitting, programs, tools
from sandbox.errors import SandboxError


@pytest.fixture(scope="module")
def build(tmp_path_factory):
    """Build the kustomization of a spec against the upstream manifests on this machine."""
    try:
        kubectl = fitting.find("kubectl") or tools.folder(programs.group_of("kubectl")) / "kubectl"
        overlay = tools.operator_manifests() / "overlays" / "standalone"
    except SandboxError as missing:
        pytest.skip(str(missing))
    if not (kubectl.exists() and overlay.exists()):
        pytest.skip("kubectl or the operator's manifests are not here; run `colo sandbox build`")
    folder = tmp_path_factory.mktemp("kustomization")

    def run(**spec):
        files = operator_files(
            TrainingOperatorSpec.model_validate(spec), os.path.relpath(overlay.resolve(), folder.resolve())
        )
        for name, text in files.items():
            (folder / name).write_text(text)
        done = subprocess.run([kubectl, "kustomize", folder], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return list(yaml.safe_load_all(done.stdout))

    return run


@pytest.fixture(scope="module")
def built(build):
    return build(namespace="ml-system", cluster_domain="corp.internal", image_registry="mirror.local:5000/x")


def of(objects, kind):
    """The one object of a kind."""
    [found] = [item for item in objects if item["kind"] == kind]
    return found


def pod(objects):
    return of(objects, "Deployment")["spec"]["template"]["spec"]


def container(objects):
    [only] = pod(objects)["containers"]
    return only


def test_only_tfjobs_are_served(built):
    assert of(built, "CustomResourceDefinition")["metadata"]["name"] == "tfjobs.kubeflow.org"
    assert container(built)["args"] == ["--enable-scheme=tfjob"]
    [webhook] = of(built, "ValidatingWebhookConfiguration")["webhooks"]
    assert webhook["name"] == "validator.tfjob.training-operator.kubeflow.org"
    assert webhook["rules"][0]["resources"] == ["tfjobs"]


def test_the_namespace_is_left_to_its_tenant(built):
    assert "Namespace" not in {item["kind"] for item in built}


def test_nothing_stays_in_upstreams_namespace(built):
    namespaces = {item["metadata"]["namespace"] for item in built if "namespace" in item["metadata"]}
    assert namespaces == {"ml-system"}
    [webhook] = of(built, "ValidatingWebhookConfiguration")["webhooks"]
    assert webhook["clientConfig"]["service"]["namespace"] == "ml-system"
    for kind in ("ClusterRoleBinding", "RoleBinding"):
        [subject] = of(built, kind)["subjects"]
        assert subject["namespace"] == "ml-system"


def test_the_webhook_calls_the_operators_own_service(built):
    [webhook] = of(built, "ValidatingWebhookConfiguration")["webhooks"]
    assert webhook["clientConfig"]["service"]["name"] == of(built, "Service")["metadata"]["name"]


def test_no_certificate_is_declared_since_the_operator_makes_its_own(built):
    assert not of(built, "Secret").get("data")
    [webhook] = of(built, "ValidatingWebhookConfiguration")["webhooks"]
    assert "caBundle" not in webhook["clientConfig"]


def test_the_pod_fits_the_restricted_pod_security_level(built):
    security = pod(built)["securityContext"] | container(built)["securityContext"]
    assert security["runAsNonRoot"] is True
    assert security["runAsUser"] == 1000
    assert security["seccompProfile"] == {"type": "RuntimeDefault"}
    assert security["allowPrivilegeEscalation"] is False
    assert security["capabilities"] == {"drop": ["ALL"]}
    assert security["readOnlyRootFilesystem"] is True


def test_the_pod_states_what_it_takes_so_that_a_quota_lets_it_in(built):
    resources = container(built)["resources"]
    assert resources["requests"] == {"cpu": "100m", "memory": "128Mi"}
    assert resources["limits"] == {"cpu": "1", "memory": "512Mi"}


def test_no_sidecar_breaks_the_webhooks_tls(built):
    metadata = of(built, "Deployment")["spec"]["template"]["metadata"]
    assert metadata["labels"]["sidecar.istio.io/inject"] == "false"
    assert metadata["annotations"]["sidecar.istio.io/inject"] == "false"


def test_the_image_comes_from_the_sites_registry_with_upstreams_tag(build, built):
    public = container(build())["image"]
    assert public.startswith("ghcr.io/kubeflow/training-v1/training-operator:v1-")
    assert container(built)["image"] == public.replace("ghcr.io", "mirror.local:5000/x")


def test_another_cluster_domain_reaches_the_operator(build, built):
    assert {"name": "CUSTOM_CLUSTER_DOMAIN", "value": "corp.internal"} in container(built)["env"]
    assert "CUSTOM_CLUSTER_DOMAIN" not in {entry["name"] for entry in container(build())["env"]}


def test_upstreams_own_settings_stay(built):
    names = {entry["name"] for entry in container(built)["env"]}
    assert {"MY_POD_NAMESPACE", "MY_POD_NAME"} <= names
    assert container(built)["readinessProbe"]["httpGet"] == {"path": "/readyz", "port": 8081}
    assert container(built)["volumeMounts"][0]["name"] == "cert"


def test_secrets_are_read_in_the_operators_namespace_only(built):
    assert not [rule for rule in of(built, "ClusterRole")["rules"] if "secrets" in rule["resources"]]
    [rule] = of(built, "Role")["rules"]
    assert rule["resources"] == ["secrets"]
    assert of(built, "RoleBinding")["roleRef"]["name"] == of(built, "Role")["metadata"]["name"]


def test_no_job_of_another_kind_may_be_touched(built):
    resources = {name for rule in of(built, "ClusterRole")["rules"] for name in rule["resources"]}
    assert {name for name in resources if "jobs" in name} == {"tfjobs", "tfjobs/status", "tfjobs/finalizers"}


def test_the_operator_starts_after_all_that_it_would_crash_without(built):
    needed = of(built, "Deployment")["metadata"]["annotations"]["config.kubernetes.io/depends-on"].split(",")
    there = {f"{item['kind']}/{item['metadata']['name']}" for item in built}
    assert {"/".join(name.split("/")[-2:]) for name in needed} <= there
    assert "apiextensions.k8s.io/CustomResourceDefinition/tfjobs.kubeflow.org" in needed


def test_a_crd_that_an_earlier_stack_left_is_taken_over(built):
    annotations = of(built, "CustomResourceDefinition")["metadata"]["annotations"]
    assert annotations["pulumi.com/patchForce"] == "true"


def test_the_crd_fits_a_client_side_apply_too(built):
    """Beyond 256 KiB an annotation with the whole object is refused."""
    assert "last-applied-configuration" not in str(of(built, "CustomResourceDefinition")["metadata"])
