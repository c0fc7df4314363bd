"""Pools, priorities, tenants, storage and the operator: what they may say."""

import pytest
from pydantic import ValidationError

from infra.models import NfsSpec, PoolSpec, PrioritySpec, Stack, StorageSpec, TenantSpec, TrainingOperatorSpec


def pool(**change):
    return PoolSpec.model_validate({"name": "gpu", "nodes": ["n1"]} | change)


def tenant(**change):
    return TenantSpec.model_validate({"name": "vision"} | change)


def storage(**change):
    base = {"name": "data", "tenant": "vision", "size": "10Gi", "storage_class": "shared"}
    return StorageSpec.model_validate(base | change)


def test_an_empty_stack_is_a_stack():
    assert Stack.model_validate({}) == Stack()


def test_a_pool_is_named_nodes_or_a_selector():
    assert pool(nodes=[], selector={"a": "b"}).selector == {"a": "b"}
    with pytest.raises(ValidationError, match="both of nodes and selector"):
        pool(selector={"a": "b"})
    with pytest.raises(ValidationError, match="neither of nodes and selector"):
        pool(nodes=[])


def test_a_node_is_listed_once():
    with pytest.raises(ValidationError, match="n1 is listed already"):
        pool(nodes=["n1", "n2", "n1"])


def test_a_taint_has_one_of_three_effects():
    assert pool(taints=[{"key": "gpu", "effect": "NoExecute"}]).taints[0].value == ""
    with pytest.raises(ValidationError, match="NoSchedule"):
        pool(taints=[{"key": "gpu", "effect": "NoSchedul"}])


def test_a_priority_is_online_or_offline():
    low = {"name": "offline-low", "value": 1000, "kind": "offline"}
    assert not PrioritySpec.model_validate(low).global_default
    with pytest.raises(ValidationError, match="'online' or 'offline'"):
        PrioritySpec.model_validate(low | {"kind": "batch"})


def test_a_tenant_is_restricted_and_closed_unless_said_otherwise():
    assert tenant().pod_security == "restricted"
    assert tenant().network_policy is True
    assert tenant().limit_range is None


def test_quota_amounts_are_canonical():
    quota = {"requests.cpu": 200, "requests.memory": "614400Mi", "requests.nvidia.com/gpu": "16", "pods": 9}
    assert tenant(quota=quota).quota == {
        "requests.cpu": "200",
        "requests.memory": "600Gi",
        "requests.nvidia.com/gpu": "16",
        "pods": "9",
    }


@pytest.mark.parametrize(
    "key",
    ["count/tfjobs.kubeflow.org", "shared.storageclass.storage.k8s.io/persistentvolumeclaims"],
)
def test_quota_may_count_objects(key):
    assert tenant(quota={key: 3}).quota == {key: "3"}


def test_priorities_of_a_quota_need_a_quota():
    with pytest.raises(ValidationError, match="no quota that could count them"):
        tenant(quota_priorities=["offline-low"])


@pytest.mark.parametrize(
    ("quota", "complaint"),
    [
        ({"requests.cpus": 1}, "write requests.cpu"),
        ({"limits.nvidia.com/gpu": 1}, "write requests.nvidia.com/gpu"),
        ({"requests.memory": "512m"}, "did you mean 512Mi"),
        ({"requests.nvidia.com/gpu": "500m"}, "not whole"),
        ({"pods": 1.5}, "not whole"),
        (["requests.cpu"], "valid dictionary|valid mapping"),
    ],
)
def test_a_bad_quota_is_refused_with_the_reason(quota, complaint):
    with pytest.raises(ValidationError, match=complaint):
        tenant(quota=quota)


def test_limit_range_bounds_are_in_order():
    fine = {"min": {"cpu": "100m"}, "default_request": {"cpu": "100m"}, "max": {"cpu": 2}}
    assert tenant(limit_range=fine).limit_range.max.cpu == "2"


@pytest.mark.parametrize(
    ("low", "high"),
    [
        ("min", "default_request"),
        ("min", "max"),
        ("default_request", "default"),
        ("default_request", "max"),
        ("default", "max"),
        ("min", "default"),
    ],
)
def test_a_limit_range_out_of_order_is_refused(low, high):
    with pytest.raises(ValidationError, match=rf"2 is more than {high}.cpu, which is 1"):
        tenant(limit_range={low: {"cpu": 2}, high: {"cpu": 1}})


def test_storage_has_a_class_or_a_server():
    nfs = {"server": "nfs.example", "path": "/export/data"}
    assert storage(storage_class=None, nfs=nfs).nfs == NfsSpec(**nfs)
    with pytest.raises(ValidationError, match="both of storage_class and nfs"):
        storage(nfs=nfs)
    with pytest.raises(ValidationError, match="neither of storage_class and nfs"):
        storage(storage_class=None)


def test_storage_is_protected_unless_said_otherwise():
    assert storage().protect is True
    assert storage(protect=False).protect is False


def test_an_operator_that_is_there_already_takes_no_settings():
    assert TrainingOperatorSpec.model_validate({"install": False, "namespace": "other"}).install is False
    with pytest.raises(ValidationError, match="no effect with install: false"):
        TrainingOperatorSpec.model_validate({"install": False, "image_registry": "mirror.example"})


@pytest.mark.parametrize("bad", ["https://mirror.example", "Mirror", "mirror/", ""])
def test_an_image_registry_is_a_host_with_a_path(bad):
    with pytest.raises(ValidationError, match="is not a registry"):
        TrainingOperatorSpec.model_validate({"image_registry": bad})


@pytest.mark.parametrize("source", ["https://me:word@example.org/x", "https://t0ken@example.org/x?ref=v1"])
def test_the_address_of_the_operator_holds_no_user(source):
    with pytest.raises(ValidationError, match="holds a user") as refused:
        TrainingOperatorSpec(source=source)
    assert "word" not in str(refused.value.errors()[0]["msg"])


@pytest.mark.parametrize(
    "source", ["ssh://git@example.org/x?ref=v1", "git@example.org:x/y", "overlays/operator"]
)
def test_the_address_of_the_operator_may_be_any_that_git_takes(source):
    assert TrainingOperatorSpec(source=source).source == source


def test_what_is_left_out_of_the_operators_resources_keeps_its_default():
    given = {"resources": {"limits": {"memory": "2Gi"}, "requests": {"cpu": None}}}
    resources = TrainingOperatorSpec.model_validate(given).resources
    assert resources.limits.as_kubernetes() == {"cpu": "1", "memory": "2Gi"}
    assert resources.requests.as_kubernetes() == {"memory": "128Mi"}


def test_the_operator_has_no_gpus():
    with pytest.raises(ValidationError, match="gpus"):
        TrainingOperatorSpec.model_validate({"resources": {"gpus": 1}})


@pytest.mark.parametrize("key", ["count/" + "a" * 64, "count/a." + "b" * 300, "requests.a.b/" + "c" * 64])
def test_a_quota_has_a_name_of_63_characters_at_most(key):
    with pytest.raises(ValidationError, match="use at most 253 characters before '/' and 63 after it"):
        tenant(quota={key: 1})


@pytest.mark.parametrize("key", ["hugepages-2Mi", "requests.hugepages-1Gi"])
def test_quota_may_count_huge_pages(key):
    assert tenant(quota={key: "4Gi"}).quota == {key: "4Gi"}
