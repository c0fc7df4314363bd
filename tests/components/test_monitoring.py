"""What Monitoring declares."""

import pulumi
import pytest
from pulumi_kubernetes import Provider

from components.generated_password import GeneratedPasswordProvider
from components.monitoring import Monitoring, MonitoringArgs
from components.rendering.monitoring.values import chart_values
from infra.models import MonitoringSpec

RELEASE = "kubernetes:helm.sh/v3:Release"
NAMESPACE = "kubernetes:core/v1:Namespace"
SECRET = "kubernetes:core/v1:Secret"
SERVICE = "kubernetes:core/v1:Service"


@pytest.fixture
def declared(declare):
    """Declares the component; what came out of it is in `out`."""
    out = {}

    def run(**spec):
        def program():
            model = MonitoringSpec.model_validate(spec)
            keeper = Provider("keeper", upsert_existing_objects=True) if model.install else None
            made = Monitoring("monitoring", MonitoringArgs(spec=model, keeper=keeper))
            out.update(namespace=made.namespace, password=made.grafana_password)

        result = declare(program)
        result.out = out
        return result

    return run


def test_the_release_has_the_name_the_namespace_and_the_values(declared):
    release = declared(namespace="obs").only(RELEASE).inputs
    assert (release["name"], release["namespace"]) == ("kube-prometheus-stack", "obs")
    assert release["values"] == chart_values(MonitoringSpec(namespace="obs"))
    assert release["chart"] == "kube-prometheus-stack"
    assert not release.get("skipAwait")


def test_e2_the_hooks_of_the_chart_run_and_the_operator_waits_for_its_certificate(declared):
    release = declared().only(RELEASE).inputs
    assert not release.get("disableWebhooks")
    assert release["values"]["prometheusOperator"]["admissionWebhooks"]["enabled"] is True


def test_a_chart_beside_the_stack_has_the_same_path_on_every_machine(declared):
    release = declared(chart={"source": "charts/kps"}).only(RELEASE).inputs
    assert not release["chart"].startswith("/")
    assert release["chart"].endswith("charts/kps")
    assert "repositoryOpts" not in release


def test_the_namespace_allows_node_exporter_and_outlives_the_stack(declared):
    found = declared()
    labels = found.only(NAMESPACE).inputs["metadata"]["labels"]
    assert labels["pod-security.kubernetes.io/enforce"] == "privileged"
    assert found.requests["monitoring-namespace"].retainOnDelete


def test_what_is_there_already_is_taken_over_not_refused(declared):
    found = declared()
    for name in ("monitoring-namespace", "monitoring-kubelets", "monitoring-webhook-certificate"):
        assert "::keeper::" in found.requests[name].provider


def test_the_release_waits_for_the_password_and_leaves_before_the_kubelets(declared):
    waits_for = declared().waits_for["monitoring-release"]
    assert {"monitoring-grafana-admin", "monitoring-kubelets"} <= waits_for


def test_the_certificate_of_the_hook_is_ours_after_the_hook(declared):
    found = declared()
    assert "monitoring-release" in found.waits_for["monitoring-webhook-certificate"]
    assert "data" in found.requests["monitoring-webhook-certificate"].ignoreChanges


def test_the_password_is_a_secret_of_the_state(declared):
    found = declared()
    assert list(found.requests["monitoring-grafana-password"].additionalSecretOutputs) == ["password"]
    assert found.out["password"] is not None
    assert found.named("monitoring-grafana-admin").inputs["metadata"]["name"] == "grafana-admin"


def test_without_grafana_there_is_no_password(declared):
    found = declared(grafana={"install": False})
    assert found.out["password"] is None
    assert "monitoring-grafana-admin" not in found.names()


def test_a_stack_that_is_there_already_is_left_alone(declared):
    found = declared(install=False, namespace="obs")
    assert found.names() == ["monitoring"]
    assert found.out["password"] is None


def test_a_password_is_long_and_never_the_same_twice():
    provider = GeneratedPasswordProvider()
    made = [provider.create({"purpose": "x"}).outs["password"] for _ in range(2)]
    assert made[0] != made[1]
    assert min(map(len, made)) >= 32


def test_a_password_does_not_change_with_what_is_said_of_it():
    provider = GeneratedPasswordProvider()
    assert provider.diff("x", {"purpose": "x", "password": "p"}, {"purpose": "y"}).changes is False


def test_the_state_holds_no_code_of_the_password(declared):
    kept = declared().named("monitoring-grafana-password").inputs["__provider"]
    assert len(pulumi.Output.unsecret(kept) if isinstance(kept, pulumi.Output) else kept) < 200
