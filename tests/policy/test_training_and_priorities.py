"""Training jobs, and who goes first."""

from __future__ import annotations

import json

import pytest

from tests.policy.conftest import broken, sent, tfjob

RULE = "offline-ranks-below-online"


def ranked(name, value, *, default=False, policy="Never"):
    return sent(
        "PriorityClass",
        version="scheduling.k8s.io/v1",
        name=name,
        namespace=None,
        value=value,
        globalDefault=default,
        preemptionPolicy=policy,
    )


ONLINE = ranked("online-high", 100000.0, default=True, policy="PreemptLowerPriority")


def test_only_the_version_that_the_operator_serves_is_accepted():
    assert broken("training-jobs-are-v1", tfjob()) == []
    [message] = broken("training-jobs-are-v1", tfjob(version="kubeflow.org/v1beta1"))
    assert "write apiVersion: kubeflow.org/v1" in message


def test_a_job_that_is_deleted_when_it_has_finished_is_refused():
    rule, job = "training-jobs-have-no-ttl", tfjob(spec={"runPolicy": {"ttlSecondsAfterFinished": 60}})
    assert broken(rule, tfjob()) == []
    [message] = broken(rule, job)
    assert "ttlSecondsAfterFinished" in message
    assert broken(rule, job, allowed=["team/*"]) == []


def test_a_job_that_a_schedule_makes_may_be_deleted_but_obeys_the_other_rules():
    job = {"apiVersion": "kubeflow.org/v1", "kind": "TFJob", "metadata": {"name": "run", "namespace": "team"}}
    spec = {"runPolicy": {"ttlSecondsAfterFinished": 60}, "tfReplicaSpecs": {"Worker": {"template": {}}}}
    start = sent("ConfigMap", name="start", data={"run.json": json.dumps(job | {"spec": spec})})
    assert broken("training-jobs-have-no-ttl", start) == []
    [message] = broken("offline-pods-have-an-offline-class", start)
    assert message.startswith("TFJob team/run in ConfigMap team/start: ")


def test_offline_classes_below_all_others_are_accepted():
    assert broken(RULE, ONLINE, ranked("offline-low", 1000)) == []


@pytest.mark.parametrize(
    ("classes", "said"),
    [
        ([ranked("offline-low", 1000)], "pods without a class have 0"),
        ([ONLINE, ranked("offline-low", 200000)], "pods without a class have 100000"),
        ([ONLINE, ranked("offline-low", 50), ranked("online-low", 10)], "online-low 10"),
        ([ONLINE, ranked("offline-low", 50, policy=None)], "may push other pods out"),
    ],
)
def test_an_offline_class_that_does_not_give_way_is_refused(classes, said):
    [message] = broken(RULE, *classes)
    assert said in message


def test_a_class_that_training_uses_is_offline_whatever_its_name():
    batch = ranked("batch", 200000)
    assert broken(RULE, ONLINE, batch) == []
    assert len(broken(RULE, ONLINE, batch, tfjob(pod={"priorityClassName": "batch"}))) == 1
