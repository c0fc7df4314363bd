"""The training operator that runs, and the one that the stack declares."""

import pytest

from tests.infra.live.conftest import crd, operator, webhook

INSTALL = ("training_operator", "install")
NAMESPACE = ("training_operator", "namespace")


@pytest.fixture
def attached(data):
    """The stack uses an operator that is there."""
    data["training_operator"]["install"] = False


def test_an_operator_of_others_where_the_stack_installs_one_is_a_fault(only):
    theirs = operator("kubeflow", others=("kubectl-create",))
    assert only(operators=(theirs,)) == ("fault", "operator-of-others", INSTALL)
    assert "Deployment kubeflow/training-operator, and two would both run each job" in only.text
    assert "write install: false and namespace: kubeflow" in only.text


def test_an_operator_of_others_in_the_stacks_namespace_is_a_fault_too(only):
    assert only(operators=(operator(others=("Helm",)),))[1] == "operator-of-others"


def test_a_second_operator_of_others_beside_the_stacks_own_is_a_fault(only):
    theirs = operator("old", name="tf-job-operator", ready=0, others=("kubectl-create",))
    assert only(operators=(operator(), theirs))[1] == "operator-of-others"


def test_an_operator_of_other_jobs_still_owns_the_same_names(only):
    theirs = operator("torch", serves_tfjobs=False, others=("kubectl-create",))
    assert only(operators=(operator(), theirs))[1] == "operator-of-others"
    assert "own cluster-wide objects of the same names" in only.text


@pytest.mark.parametrize("second", [operator("bench"), operator(name="second")])
def test_a_second_operator_of_pulumi_beside_the_stacks_own_is_a_fault(only, second):
    assert only(operators=(operator(), second)) == ("fault", "two-operators", NAMESPACE)


def test_an_operator_of_pulumi_elsewhere_may_be_the_stacks_own_before_it_moves(only):
    there = {"operators": (operator("before"),), "webhooks": (webhook("before"),)}
    assert only(**there) == ("warning", "two-operators", NAMESPACE)


def test_an_operator_that_only_its_webhook_betrays_is_found(only):
    theirs = webhook("hidden", others=("kubectl-create",))
    assert only(operators=(), webhooks=(theirs,))[1] == "operator-of-others"
    assert "Service hidden/training-operator" in only.text


@pytest.mark.parametrize("change", [{"of_an_operator": False}, {"ready": None}])
def test_a_webhook_of_something_else_is_no_operator(found, change):
    assert found(webhooks=(webhook("kueue-system", others=("Helm",), **change),)) == ()


@pytest.mark.usefixtures("attached")
def test_an_attached_operator_of_others_is_fine(found):
    assert found(operators=(operator(others=("Helm",)),)) == ()


@pytest.mark.usefixtures("attached")
@pytest.mark.parametrize("there", [(), (operator(serves_tfjobs=False),)])
def test_no_operator_to_attach_to_is_a_fault(only, there):
    assert only(operators=there, webhooks=()) == ("fault", "operator-absent", INSTALL)
    assert only.text.endswith("write install: true")


@pytest.mark.usefixtures("attached")
def test_an_operator_without_a_ready_pod_is_a_fault(only):
    assert only(operators=(operator(ready=0),))[1] == "operator-absent"
    assert only.text.endswith("has no ready pod; look at its pods in vision")


@pytest.mark.usefixtures("attached")
def test_an_operator_in_another_namespace_than_declared_is_a_fault(only):
    there = {"operators": (operator("kubeflow"),), "webhooks": (webhook("kubeflow"),)}
    assert only(**there) == ("fault", "operator-elsewhere", NAMESPACE)
    assert only.text.endswith("write kubeflow")


@pytest.mark.usefixtures("attached")
def test_two_operators_to_attach_to_are_a_fault(only):
    assert only(operators=(operator(), operator("old"))) == ("fault", "two-operators", INSTALL)


@pytest.mark.usefixtures("attached")
def test_an_operator_that_watches_another_namespace_is_a_fault(only):
    assert only(operators=(operator(watches="speech"),)) == (
        "fault",
        "operator-watches-elsewhere",
        ("jobs", 0, "tenant"),
    )


@pytest.mark.usefixtures("attached")
def test_an_operator_that_watches_the_jobs_namespace_is_fine(found):
    assert found(operators=(operator(watches="vision"),)) == ()


@pytest.mark.usefixtures("attached")
def test_a_missing_crd_is_a_fault_only_where_the_stack_does_not_bring_it(data, found, only):
    assert only(crds=()) == ("fault", "crd-absent", INSTALL)
    data["training_operator"]["install"] = True
    assert found(crds=()) == ()


@pytest.mark.usefixtures("attached")
def test_a_crd_that_does_not_serve_v1_is_a_fault(only):
    old = crd(served=("v1beta1", "v1beta2"), stored=("v1beta1",))
    assert only(crds=(old,)) == ("fault", "crd-of-old-version", INSTALL)
    assert "serves v1beta1 and v1beta2, not v1" in only.text


def test_a_crd_that_stores_an_old_version_cannot_be_taken_over(only):
    assert only(crds=(crd(stored=("v1beta1", "v1")),)) == ("fault", "crd-of-old-version", INSTALL)


def test_a_crd_of_others_without_their_operator_is_a_warning(only):
    assert only(operators=(), webhooks=(), crds=(crd(others=("Helm",)),)) == (
        "warning",
        "crd-of-others",
        INSTALL,
    )


def test_a_crd_of_others_is_not_told_beside_their_operator(only):
    theirs = {"operators": (operator(others=("Helm",)),), "crds": (crd(others=("Helm",)),)}
    assert only(**theirs)[1] == "operator-of-others"


@pytest.mark.parametrize("install", [True, False])
def test_without_access_nothing_is_concluded_about_operators(data, found, install):
    data["training_operator"]["install"] = install
    assert found(operators=None, crds=None, webhooks=()) == ()
