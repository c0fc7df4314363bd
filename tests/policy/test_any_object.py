"""Whatever a program sends, a rule answers: a pack that ends takes the preview with it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from policy.objects import UNKNOWN, declared
from tests.policy.conftest import RULES, broken

WORDS = """
metadata name namespace labels spec template jobTemplate containers initContainers volumes env
args name value image resources requests limits cpu nvidia.com/gpu securityContext privileged
hostPath path tolerations key nodeSelector affinity nodeAffinity
requiredDuringSchedulingIgnoredDuringExecution nodeSelectorTerms matchExpressions operator
tfReplicaSpecs Worker replicas restartPolicy priorityClassName runPolicy suspend
ttlSecondsAfterFinished hard scopeSelector values data value globalDefault preemptionPolicy
run.json app.yaml
"""
TOKENS = (
    "kubernetes:kubeflow.org/v1:TFJob",
    "kubernetes:apps/v1:Deployment",
    "kubernetes:batch/v1:CronJob",
    "kubernetes:core/v1:Pod",
    "kubernetes:core/v1:ConfigMap",
    "kubernetes:core/v1:Namespace",
    "kubernetes:core/v1:ResourceQuota",
    "kubernetes:core/v1:PersistentVolumeClaim",
    "kubernetes:scheduling.k8s.io/v1:PriorityClass",
    "kubernetes:helm.sh/v3:Release",
)
TEXT = st.text(max_size=9) | st.sampled_from(
    ('{"kind": "TFJob", "apiVersion": "kubeflow.org/v1"}', "1e999", "-1", "[", "1Gi")
)
SCALAR = st.none() | st.booleans() | st.integers() | st.floats() | TEXT | st.just(UNKNOWN)
ANYTHING = st.recursive(
    SCALAR,
    lambda below: (
        st.lists(below, max_size=3) | st.dictionaries(st.sampled_from(WORDS.split()), below, max_size=4)
    ),
    max_leaves=16,
)
OBJECTS = st.builds(
    lambda token, body: declared(token, body),
    st.sampled_from(TOKENS),
    st.dictionaries(st.sampled_from(WORDS.split()), ANYTHING, max_size=5),
)


@pytest.mark.parametrize("rule", RULES)
@settings(max_examples=40)
@given(st.lists(OBJECTS, min_size=1, max_size=4))
def test_a_rule_answers_whatever_is_sent(rule, objects):
    assert all(isinstance(message, str) for message in broken(rule, *objects))
