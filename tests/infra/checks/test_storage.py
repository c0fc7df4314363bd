"""Claims: their volumes, and the pods that mount them."""

import pytest

from infra.checks import examine
from tests.infra.checks.jobs import MANY, examined, found

DISK = {
    "name": "data",
    "tenant": "vision",
    "size": "10Gi",
    "storage_class": "disk",
    "access_mode": "ReadWriteOnce",
}
NFS = {"size": "10Gi", "nfs": {"server": "nas.example", "path": "/x"}}
CLAIM = ("volumes", 0, "claim")


def on(*pools, storage=DISK):
    return {"storage": [storage], "pools": list(pools) or [{"name": "gpu", "nodes": ["n1", "n2"]}]}


def test_pods_on_several_nodes_do_not_share_a_claim_of_one():
    assert found(**MANY, stack=on()) == [("fault", "claim-of-one-node", CLAIM)]


def test_one_pod_may_have_a_claim_of_one_node():
    assert found(stack=on()) == []


def test_pods_on_one_node_may_share_it():
    assert found(**MANY, stack=on({"name": "gpu", "nodes": ["n1"]})) == []
    assert found(**MANY, node_selector={"kubernetes.io/hostname": "n1"}, stack=on()) == []


def test_roles_that_stay_off_the_pool_are_on_other_nodes():
    stack = on({"name": "gpu", "nodes": ["n1"]})
    assert found(ps={}, stack=stack) == [("fault", "claim-of-one-node", CLAIM)]


def test_two_jobs_may_wait_for_each_other(data, subject):
    data["storage"] = [DISK]
    data["jobs"].append(data["jobs"][0] | {"name": "other"})
    [finding] = examine(subject(data))
    assert (finding.severity, finding.code) == ("warning", "claim-of-one-node-shared")
    assert finding.place == ("jobs", 1, *CLAIM)


def test_a_claim_of_the_stack_is_named_as_one():
    volume = {"existing_claim": "data", "mount_path": "/data"}
    [finding] = examined(volumes=[volume])
    assert (finding.severity, finding.code) == ("warning", "claim-declared-here")
    assert finding.remedy == "write claim: data"


def test_a_claim_of_that_name_elsewhere_is_another():
    volume = {"existing_claim": "data", "mount_path": "/data"}
    tenants = {"tenants": [{"name": "vision"}, {"name": "speech"}]}
    assert found(volumes=[volume], stack=tenants | on(storage=DISK | {"tenant": "speech"})) == []


@pytest.mark.parametrize(
    ("source", "codes"), [(NFS, ["volume-name-twice"]), ({"size": "1Gi", "storage_class": "x"}, [])]
)
def test_nfs_volumes_of_two_tenants_do_not_collide(source, codes):
    stack = {
        "tenants": [{"name": "vision"}, {"name": "a"}, {"name": "a-b"}],
        "storage": [
            {"name": "data", "tenant": "vision"} | source,
            {"name": "b-c", "tenant": "a"} | source,
            {"name": "c", "tenant": "a-b"} | source,
        ],
    }
    assert [code for _, code, _ in found(stack=stack)] == codes
