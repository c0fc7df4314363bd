"""What TrainingOperator declares."""

import pulumi
import pytest
from pulumi_kubernetes import Provider
from pulumi_kubernetes.core.v1 import ConfigMap

from components.training_operator import TrainingOperator, TrainingOperatorArgs, _options, overlay_from
from infra.models import TrainingOperatorSpec

DIRECTORY = "kubernetes:kustomize/v2:Directory"
NAMESPACE = "kubernetes:core/v1:Namespace"
POLICY = "kubernetes:networking.k8s.io/v1:NetworkPolicy"


@pytest.fixture
def operator(tmp_path):
    def args(tenant="kubeflow", **spec):
        return TrainingOperatorArgs(
            spec=TrainingOperatorSpec.model_validate(spec),
            stack_name="dev",
            namespace=tenant,
            work_folder=tmp_path,
        )

    return args


CRD = "kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinition"
DEFINITION = {
    "spec": {"versions": [{"schema": {"openAPIV3Schema": {"type": "object", "description": "prose"}}}]}
}


def transformed(typ, crd_provider=None, props=None):
    """What an object of the kustomization ends up as."""
    args = pulumi.ResourceTransformArgs(
        custom=True, type_=typ, name="x", props=props or {}, opts=pulumi.ResourceOptions()
    )
    return _options(crd_provider)(args)


def options_of(typ, crd_provider=None, props=None):
    result = transformed(typ, crd_provider, props)
    return result.opts if result else None


def test_the_kustomization_is_written_for_its_stack(declare, operator, tmp_path):
    directory = declare(lambda: TrainingOperator("operator", operator())).only(DIRECTORY)
    folder = tmp_path / "dev" / "training-operator"
    assert (folder / "kustomization.yaml").is_file()
    assert not directory.inputs["directory"].startswith("/")


def test_the_pinned_upstream_tag_is_the_default(declare, operator, tmp_path):
    declare(lambda: TrainingOperator("operator", operator()))
    written = (tmp_path / "dev" / "training-operator" / "kustomization.yaml").read_text()
    assert "https://github.com/kubeflow/trainer//manifests/overlays/standalone?ref=v" in written


def test_an_unchanged_kustomization_is_not_written_again(declare, operator, tmp_path):
    declare(lambda: TrainingOperator("operator", operator()))
    file = tmp_path / "dev" / "training-operator" / "kustomization.yaml"
    before = file.stat().st_ino
    declare(lambda: TrainingOperator("operator", operator()))
    assert file.stat().st_ino == before
    assert sorted(f.name for f in file.parent.iterdir()) == ["kustomization.yaml", "secrets.yaml"]


def test_a_mirror_directory_is_named_by_a_relative_path(tmp_path):
    overlay = tmp_path / "mirror"
    overlay.mkdir()
    (overlay / "kustomization.yaml").touch()
    assert overlay_from(str(overlay), tmp_path / "work" / "dev") == "../../mirror"


@pytest.mark.parametrize(
    "url", ["https://git.corp/trainer//overlay?ref=v1.9.4", "git@git.corp:trainer//overlay?ref=v1.9.4"]
)
def test_a_mirror_repository_is_taken_as_it_is(tmp_path, url):
    assert overlay_from(url, tmp_path) == url


def test_a_directory_without_an_overlay_is_refused_with_what_to_give(tmp_path):
    with pytest.raises(pulumi.RunError, match=r"training_operator.source: .* give the directory manifests/"):
        overlay_from(str(tmp_path), tmp_path)


def test_in_a_tenants_namespace_no_namespace_is_made(declare, operator):
    declared = declare(lambda: TrainingOperator("operator", operator()))
    assert declared.all(NAMESPACE) == []


def test_without_a_tenant_it_makes_its_namespace_first(declare, operator):
    declared = declare(lambda: TrainingOperator("operator", operator(None, namespace="ml-system")))
    namespace = declared.only(NAMESPACE)
    assert namespace.inputs["metadata"]["name"] == "ml-system"
    assert namespace.inputs["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "restricted"
    assert "operator-namespace" in declared.waits_for["operator-manifests"]


def test_its_traffic_is_allowed_before_it_starts(declare, operator):
    declared = declare(lambda: TrainingOperator("operator", operator()))
    assert declared.only(POLICY).inputs["metadata"]["namespace"] == "kubeflow"
    assert "operator-traffic" in declared.waits_for["operator-manifests"]


def test_an_operator_that_is_there_already_is_left_alone_but_reachable(declare, operator):
    declared = declare(lambda: TrainingOperator("operator", operator(install=False)))
    assert [r.typ for r in declared.resources] == ["colocation:training:TrainingOperator", POLICY]


def test_an_operator_outside_the_stacks_namespaces_needs_nothing(declare, operator):
    declared = declare(lambda: TrainingOperator("operator", operator(None, install=False)))
    assert [r.typ for r in declared.resources] == ["colocation:training:TrainingOperator"]


def test_it_waits_for_what_its_component_waits_for(declare, operator):
    def program():
        first = ConfigMap("first")
        TrainingOperator("operator", operator(), pulumi.ResourceOptions(depends_on=[first]))

    waits_for = declare(program).waits_for
    assert "first" in waits_for["operator-manifests"]
    assert "first" in waits_for["operator-traffic"]


def test_the_certificate_that_the_operator_writes_is_not_taken_back():
    assert options_of("kubernetes:core/v1:Secret").ignore_changes == ["data"]


def test_the_crd_outlives_the_stack_and_is_taken_over_by_the_next():
    provider = Provider.__new__(Provider)
    assert options_of(CRD, props=DEFINITION).retain_on_delete is True
    assert options_of(CRD, provider, DEFINITION).provider is provider


def test_the_crd_comes_without_prose_which_pulumis_state_would_hold_three_times():
    [version] = transformed(CRD, props=DEFINITION).props["spec"]["versions"]
    assert version["schema"]["openAPIV3Schema"] == {"type": "object"}


@pytest.mark.parametrize("typ", ["kubernetes:apps/v1:Deployment", "kubernetes:core/v1:Service"])
def test_an_operator_that_does_not_start_is_told_in_minutes(typ):
    assert options_of(typ).custom_timeouts.create == "5m"


def test_other_objects_have_the_usual_options():
    assert options_of("kubernetes:core/v1:ServiceAccount") is None
