"""GPU pods keep to their pool."""

from __future__ import annotations

import pytest

from tests.policy.conftest import broken, container, tfjob

RULE = "gpu-pods-keep-to-their-pool"
GPU = container(resources={"limits": {"nvidia.com/gpu": "1"}})
TOLERATION = {"key": "gpu", "operator": "Equal", "value": "reserved", "effect": "NoSchedule"}
SELECTOR = {"node-type": "gpu"}


def job(**pod):
    return tfjob(pod={"containers": [GPU], "tolerations": [TOLERATION], "nodeSelector": SELECTOR} | pod)


def affinity(*terms):
    required = {"nodeSelectorTerms": [{"matchExpressions": [term]} for term in terms]}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}


def test_a_gpu_pod_that_tolerates_and_selects_its_pool_is_accepted():
    assert broken(RULE, job()) == []


def test_a_gpu_pod_without_the_toleration_is_refused():
    [message] = broken(RULE, job(tolerations=[]))
    assert "do not tolerate the taint gpu" in message


def test_a_gpu_pod_that_selects_no_pool_is_refused():
    [message] = broken(RULE, job(nodeSelector={"zone": "a"}))
    assert "may go to any node" in message


@pytest.mark.parametrize("toleration", [{"operator": "Exists"}, {"key": "gpu", "operator": "Exists"}])
def test_a_toleration_of_everything_or_of_any_value_will_do(toleration):
    assert broken(RULE, job(tolerations=[toleration])) == []


def test_required_affinity_selects_as_well_if_each_alternative_does():
    pool = {"key": "colocation.io/pool", "operator": "In", "values": ["gpu"]}
    other = {"key": "zone", "operator": "In", "values": ["a"]}
    assert broken(RULE, job(nodeSelector={}, affinity=affinity(pool))) == []
    assert len(broken(RULE, job(nodeSelector={}, affinity=affinity(pool, other)))) == 1


def test_pods_without_gpus_may_go_anywhere():
    assert broken(RULE, tfjob()) == []
    none = container(resources={"limits": {"nvidia.com/gpu": "0"}})
    assert broken(RULE, tfjob(pod={"containers": [none]})) == []


def test_parts_of_gpus_are_gpus():
    part = container(resources={"limits": {"nvidia.com/mig-1g.5gb": 1}})
    assert len(broken(RULE, tfjob(pod={"containers": [part]}))) == 2
