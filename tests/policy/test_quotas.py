"""Sums over the stack."""

from __future__ import annotations

import pytest

from tests.policy.conftest import broken, container, sent, tfjob

GPUS = "requests.nvidia.com/gpu"


def quota(namespace="team", scope=None, **hard):
    spec = {"hard": {key.replace("__", "."): value for key, value in hard.items()}}
    if scope:
        only = {"scopeName": "PriorityClass", "operator": "In", "values": scope}
        spec["scopeSelector"] = {"matchExpressions": [only]}
    return sent("ResourceQuota", name="quota", namespace=namespace, spec=spec)


def test_quotas_that_promise_more_than_the_cluster_has_are_refused():
    rule, quotas = "quotas-within-the-cluster", (quota(requests__cpu="60"), quota("other", requests__cpu=50))
    assert broken(rule, *quotas) == []
    assert broken(rule, *quotas, capacity={"requests.cpu": "110"}) == []
    [message] = broken(rule, *quotas, capacity={"requests.cpu": "100", "requests.memory": "1Gi"})
    assert message.startswith("the quotas promise 110 requests.cpu, and the cluster has 100;")


def test_jobs_that_fit_their_quota_are_accepted():
    assert broken("jobs-within-quotas", quota(requests__cpu="4"), tfjob(replica={"replicas": 4.0})) == []


@pytest.mark.parametrize(
    ("hard", "need"),
    [
        ({"requests.cpu": "3"}, "4 requests.cpu"),
        ({"limits.memory": "3Gi"}, "4Gi limits.memory"),
        ({"pods": 3}, "4 pods"),
    ],
)
def test_jobs_larger_than_their_quota_are_refused(hard, need):
    [message] = broken("jobs-within-quotas", quota(**hard), tfjob(replica={"replicas": 4}))
    assert f"what is declared in team comes to {need}, and ResourceQuota team/quota holds 3" in message


def test_gpus_are_added_up_over_jobs():
    gpu = {"containers": [container(resources={"limits": {"nvidia.com/gpu": 2}})]}
    jobs = [tfjob(name=name, pod=gpu) for name in ("a", "b")]
    assert broken("jobs-within-quotas", quota(**{GPUS: "4"}), *jobs) == []
    assert len(broken("jobs-within-quotas", quota(**{GPUS: "3"}), *jobs)) == 1


def test_of_jobs_that_wait_in_a_queue_each_has_to_fit_alone():
    queued = {"kueue.x-k8s.io/queue-name": "training"}
    jobs = [tfjob(name=name, labels=queued, replica={"replicas": 3}) for name in ("a", "b")]
    assert broken("jobs-within-quotas", quota(pods=3), *jobs) == []
    assert len(broken("jobs-within-quotas", quota(pods=2), *jobs)) == 1
    assert len(broken("jobs-within-quotas", quota(pods=3), *jobs, tfjob(name="c"))) == 1


def test_suspended_jobs_those_of_other_namespaces_and_of_other_classes_take_nothing():
    jobs = (
        tfjob(spec={"runPolicy": {"suspend": True}}),
        tfjob(namespace="other"),
        tfjob(pod={"priorityClassName": "offline-lower"}),
    )
    assert broken("jobs-within-quotas", quota(pods=0, scope=["offline-low"]), *jobs) == []
    assert len(broken("jobs-within-quotas", quota(pods=0), *jobs)) == 1
