"""Namespaces, Istio, webhooks, storage classes, the version, and what could not be read."""

import pytest

from infra.live.snapshot import FoundClaim, FoundStorageClass, Unread
from infra.models import Stack
from infra.versions import TRAINING_OPERATOR_KUBERNETES
from tests.infra.live.conftest import namespace, webhook

LOWEST, HIGHEST = TRAINING_OPERATOR_KUBERNETES


def test_a_tenants_namespace_of_others_is_a_fault(only):
    theirs = namespace(others=("Helm",))
    assert only(namespaces=(theirs,)) == ("fault", "namespace-of-others", ("tenants", 0, "name"))
    assert "managed by Helm" in only.text


def test_the_operators_own_namespace_may_not_be_of_others_either(data, only):
    data["training_operator"]["namespace"] = "operators"
    theirs = namespace("operators", others=("kubectl-create",))
    there = {"namespaces": (theirs,), "operators": (), "webhooks": ()}
    assert only(**there)[1:] == ("namespace-of-others", ("training_operator", "namespace"))


@pytest.mark.parametrize("part", ["node_protection", "queueing"])
def test_nor_may_that_of_node_protection_or_of_the_stacks_kueue(data, found, only, part):
    data[part] = {"namespace": "apart"}
    assert only(namespaces=(namespace("apart", others=("Helm",)), namespace())) == (
        "fault",
        "namespace-of-others",
        (part, "namespace"),
    )
    assert found(namespaces=(namespace("apart"), namespace())) == ()


def test_the_namespace_of_gpu_metrics_may_not_be_of_others(data, found):
    data["monitoring"] = {"install": False, "gpu_metrics": {"install": True, "namespace": "apart"}}
    theirs = namespace("apart", others=("Helm",))
    places = [
        one.place for one in found(namespaces=(theirs, namespace())) if one.code == "namespace-of-others"
    ]
    assert places == [("monitoring", "gpu_metrics", "namespace")]
    data["pools"] = []  # without GPUs it is not made
    assert "namespace-of-others" not in [one.code for one in found(namespaces=(theirs, namespace()))]


def test_the_namespace_of_a_kueue_that_is_there_already_may_be_of_others(data, found):
    data["queueing"] = {"install": False}
    theirs = namespace("kueue-system", others=("Helm",))
    assert found(namespaces=(theirs, namespace())) == ()


def test_a_namespace_of_others_that_the_stack_does_not_make_is_no_concern(data, found):
    data["training_operator"] = {"install": False, "namespace": "vision"}
    assert found(namespaces=(namespace("operators", others=("Helm",)), namespace())) == ()


@pytest.mark.parametrize(
    "labels",
    [{"istio-injection": "enabled"}, {"istio.io/rev": "1-24"}],
    ids=lambda labels: next(iter(labels)),
)
def test_a_namespace_with_sidecars_is_a_warning(only, labels):
    [(key, value)] = labels.items()
    assert only(namespaces=(namespace(labels=labels),)) == (
        "warning",
        "istio-injection",
        ("tenants", 0, "name"),
    )
    assert f"{key}={value}" in only.text


@pytest.mark.parametrize(
    "labels", [{}, {"istio-injection": "disabled"}, {"istio-injection": "disabled", "istio.io/rev": "x"}]
)
def test_a_namespace_without_sidecars_is_fine(found, labels):
    assert found(namespaces=(namespace(labels=labels),)) == ()


def test_a_webhook_without_endpoint_is_a_fault(only):
    assert only(webhooks=(webhook(ready=False),)) == (
        "fault",
        "webhook-without-endpoint",
        ("training_operator",),
    )
    assert (
        "the Service vision/training-operator, which has no ready endpoint: every TFJob is refused"
        in only.text
    )


def test_a_webhook_that_may_fail_is_a_warning(only):
    assert only(webhooks=(webhook(ready=False, blocks=False),))[:2] == ("warning", "webhook-without-endpoint")


def test_a_webhook_whose_endpoints_cannot_be_read_is_not_judged(found):
    assert found(webhooks=(webhook(ready=None),)) == ()


def classes(**provisioners):
    return tuple(FoundStorageClass(name=n, provisioner=p) for n, p in provisioners.items())


@pytest.mark.parametrize(
    ("there", "remedy"),
    [
        ({}, "have one made, or give nfs instead"),
        ({"shraed": "x"}, "write shraed"),
        ({"b": "x", "a": "x"}, "write one of a, b"),
    ],
)
def test_a_missing_storage_class_is_a_fault(only, there, remedy):
    place = ("storage", 0, "storage_class")
    assert only(storage_classes=classes(**there)) == ("fault", "storage-class-absent", place)
    assert only.text.endswith(remedy)


@pytest.mark.parametrize(
    "provisioner",
    ["ebs.csi.aws.com", "rancher.io/local-path", "rbd.csi.ceph.com", "rook-ceph.rbd.csi.ceph.com"],
)
def test_a_storage_class_of_disks_is_a_warning(only, provisioner):
    place = ("storage", 0, "storage_class")
    there = classes(shared=provisioner)
    assert only(storage_classes=there) == ("warning", "storage-class-not-shared", place)


@pytest.mark.parametrize("provisioner", ["efs.csi.aws.com", "rook-ceph.cephfs.csi.ceph.com"])
def test_a_storage_class_of_shared_file_systems_is_fine(found, provisioner):
    assert found(storage_classes=classes(shared=provisioner)) == ()


def test_storage_on_an_nfs_server_needs_no_class(data, found):
    del data["storage"][0]["storage_class"]
    data["storage"][0]["nfs"] = {"server": "files.example", "path": "/data"}
    assert found(storage_classes=()) == ()


def test_storage_classes_that_cannot_be_read_are_not_missing(found):
    assert found(storage_classes=None) == ()


def claim(**change):
    there = {"namespace": "vision", "name": "data", "size": "10Gi", "storage_class": "shared"}
    return FoundClaim(**{**there, "access_modes": ("ReadWriteMany",), **change})


@pytest.mark.parametrize("size", ["10Gi", "9Gi"])
def test_a_claim_that_stays_or_grows_is_fine(found, size):
    assert found(claims=(claim(size=size),)) == ()


def test_a_claim_that_would_shrink_is_a_fault(only):
    assert only(claims=(claim(size="1Ti"),)) == ("fault", "claim-would-shrink", ("storage", 0, "size"))
    assert "write 1Ti or more" in only.text


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"storage_class": "fast"}, "storage_class"),
        ({"storage_class": None}, "storage_class"),
        ({"access_modes": ("ReadWriteOnce",)}, "access_mode"),
    ],
)
def test_a_claim_that_only_a_new_one_could_be_is_a_fault(only, change, field):
    assert only(claims=(claim(**change),)) == ("fault", "claim-would-be-replaced", ("storage", 0, field))


def test_a_claim_of_another_namespace_is_no_concern(found):
    assert found(claims=(claim(namespace="other", size="1Ti"),)) == ()


@pytest.mark.parametrize("version", [(LOWEST[0], LOWEST[1] - 1), (HIGHEST[0], HIGHEST[1] + 1)])
def test_a_version_that_the_operator_is_not_made_for_is_a_warning(data, found, only, version):
    assert only(version=version) == ("warning", "kubernetes-version", ("training_operator",))
    assert f"Kubernetes {version[0]}.{version[1]}" in only.text
    data["training_operator"]["install"] = False
    assert found(version=version) == ()


@pytest.mark.parametrize("version", [LOWEST, HIGHEST])
def test_a_version_at_the_edge_of_the_range_is_fine(found, version):
    assert found(version=version) == ()


def test_what_could_not_be_read_is_advice(only):
    assert only(unread=(Unread(kind="nodes", reason="forbidden"),)) == ("advice", "live-unread", ())
    assert only.text.startswith("nodes could not be read")


def test_an_empty_stack_has_only_its_operator_to_compare(found, data):
    data.clear()
    assert Stack.model_validate(data).training_operator.namespace == "kubeflow"
    assert [finding.code for finding in found()] == ["two-operators"]
