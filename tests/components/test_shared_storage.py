"""What SharedStorage declares."""

import pytest

from components.shared_storage import SharedStorage, SharedStorageArgs
from infra.models import StorageSpec

CLAIM = "kubernetes:core/v1:PersistentVolumeClaim"
VOLUME = "kubernetes:core/v1:PersistentVolume"
BY_CLASS = {"name": "data", "tenant": "vision", "size": "10Gi", "storage_class": "shared"}
BY_NFS = {
    "name": "data",
    "tenant": "vision",
    "size": "10Gi",
    "nfs": {"server": "nas.example", "path": "/data"},
}


def data(**spec):
    return SharedStorageArgs(spec=StorageSpec.model_validate(spec), namespace="vision")


def test_many_nodes_may_write_a_claim(declare):
    claim = declare(lambda: SharedStorage("data", data(**BY_CLASS))).only(CLAIM).inputs
    assert claim["metadata"]["name"] == "data"
    assert claim["metadata"]["namespace"] == "vision"
    assert claim["spec"]["accessModes"] == ["ReadWriteMany"]
    assert claim["spec"]["storageClassName"] == "shared"
    assert claim["spec"]["resources"] == {"requests": {"storage": "10Gi"}}


@pytest.mark.parametrize("source", [BY_CLASS, BY_NFS])
def test_a_disk_of_one_node_is_claimed_as_one(declare, source):
    disk = data(**source, access_mode="ReadWriteOnce")
    declared = declare(lambda: SharedStorage("data", disk))
    assert declared.only(CLAIM).inputs["spec"]["accessModes"] == ["ReadWriteOnce"]
    for volume in declared.all(VOLUME):
        assert volume.inputs["spec"]["accessModes"] == ["ReadWriteOnce"]


def test_a_class_makes_its_own_volume(declare):
    declared = declare(lambda: SharedStorage("data", data(**BY_CLASS)))
    assert declared.all(VOLUME) == []
    assert "volumeName" not in declared.only(CLAIM).inputs["spec"]


def test_an_nfs_claim_gets_its_own_volume_and_no_other(declare):
    declared = declare(lambda: SharedStorage("data", data(**BY_NFS)))
    volume, claim = declared.only(VOLUME).inputs, declared.only(CLAIM).inputs
    assert volume["spec"]["nfs"] == {"server": "nas.example", "path": "/data"}
    assert volume["spec"]["persistentVolumeReclaimPolicy"] == "Retain"
    assert claim["spec"]["volumeName"] == volume["metadata"]["name"] == "vision-data"
    assert claim["spec"]["storageClassName"] == ""


@pytest.mark.parametrize("source", [BY_CLASS, BY_NFS])
def test_data_is_protected_unless_the_stack_says_otherwise(declare, source):
    kept = declare(lambda: SharedStorage("data", data(**source))).requests
    loose = declare(lambda: SharedStorage("data", data(**source, protect=False))).requests
    names = [name for name in kept if name != "data"]
    assert [kept[name].protect for name in names] == [True] * len(names)
    assert not any(loose[name].protect for name in names)


def test_a_claim_that_waits_for_its_first_pod_holds_up_no_update(declare):
    claim = declare(lambda: SharedStorage("data", data(**BY_CLASS))).only(CLAIM).inputs
    assert claim["metadata"]["annotations"] == {"pulumi.com/skipAwait": "true"}


def test_the_claims_name_comes_out_for_jobs(declare):
    seen = []
    declare(lambda: SharedStorage("data", data(**BY_CLASS)).claim_name.apply(seen.append))
    assert seen == ["data"]
