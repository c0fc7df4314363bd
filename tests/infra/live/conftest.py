"""The small stack of tests/infra/conftest.py, and a cluster that fits it in every way."""

import dataclasses

import pytest

from infra.live import Snapshot, compare
from infra.live.snapshot import FoundCrd, FoundNamespace, FoundOperator, FoundStorageClass, FoundWebhook
from infra.models import Stack


def node(name, *, labels=None, taints=(), gpus="4", owners=None, annotations=None):
    """`owners`: field manager by label."""
    managed = [
        {"manager": manager, "fieldsV1": {"f:metadata": {"f:labels": {f"f:{key}": {}}}}}
        for key, manager in (owners or {}).items()
    ]
    metadata = {
        "name": name,
        "labels": labels or {},
        "annotations": annotations or {},
        "managedFields": managed,
    }
    allocatable = {"cpu": "8"} | ({"nvidia.com/gpu": gpus} if gpus is not None else {})
    return {"metadata": metadata, "spec": {"taints": list(taints)}, "status": {"allocatable": allocatable}}


def operator(namespace="vision", **change):
    plain = FoundOperator(
        namespace=namespace, name="training-operator", ready=1, serves_tfjobs=True, watches=None, others=()
    )
    return dataclasses.replace(plain, **change)


def webhook(namespace="vision", **change):
    plain = FoundWebhook(
        configuration="validator.training-operator.kubeflow.org",
        name="validator.tfjob.training-operator.kubeflow.org",
        namespace=namespace,
        service="training-operator",
        of_an_operator=True,
        blocks=True,
        ready=True,
        others=(),
    )
    return dataclasses.replace(plain, **change)


def crd(**change):
    return dataclasses.replace(FoundCrd(served=("v1",), stored=("v1",), others=()), **change)


def namespace(name="vision", labels=None, others=()):
    return FoundNamespace(name=name, labels=labels or {}, others=others)


HEALTHY = Snapshot(
    version=(1, 34),
    nodes=(node("n1"), node("n2"), node("other", gpus=None)),
    namespaces=(namespace("default"), namespace()),
    operators=(operator(),),
    crds=(crd(),),
    prometheus_operators=(),
    monitoring_crds=(),
    webhooks=(webhook(),),
    storage_classes=(FoundStorageClass(name="shared", provisioner="nfs.csi.k8s.io"),),
)


@pytest.fixture
def found(data):
    """What is found in the healthy cluster after changes to it, with the stack `data` as it then is."""

    def find(**change):
        return compare(Stack.model_validate(data), "dev", dataclasses.replace(HEALTHY, **change))

    return find


@pytest.fixture
def only(found):
    """The one finding there is, as severity, code and place; its text is in `only.text`."""

    def find(**change):
        [finding] = found(**change)
        find.text = f"{finding.message}; {finding.remedy}"
        return finding.severity, finding.code, finding.place

    return find
