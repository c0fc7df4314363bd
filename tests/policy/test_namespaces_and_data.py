"""Namespaces, and what holds data."""

from __future__ import annotations

import pytest

from tests.policy.conftest import broken, sent

LEVEL = "pod-security.kubernetes.io/enforce"
KEPT = {"protected": True}


def namespace(level="restricted", name="team", **change):
    return sent("Namespace", name=name, namespace=None, labels={LEVEL: level} if level else {}, **change)


def claim(**options):
    return sent("PersistentVolumeClaim", name="data", options=options)


def test_a_namespace_without_a_level_of_pod_security_is_refused():
    assert broken("namespaces-have-pod-security", namespace(), namespace("baseline")) == []
    [message] = broken("namespaces-have-pod-security", namespace(None))
    assert message.startswith("Namespace team lets in pods of any kind")


def test_a_namespace_that_enforces_nothing_has_to_be_named():
    rule = "namespaces-have-pod-security"
    assert len(broken(rule, namespace("privileged"))) == 1
    assert broken(rule, namespace("privileged", name="monitoring")) == []


def test_a_namespace_without_a_quota_is_refused():
    rule, quota = "namespaces-have-a-quota", sent("ResourceQuota", name="quota")
    assert broken(rule, namespace(), quota) == []
    [message] = broken(rule, namespace(), namespace(name="other"), quota)
    assert message.startswith("Namespace other has no ResourceQuota")
    assert broken(rule, namespace(), without_quota=["te*"]) == []


@pytest.mark.parametrize("kind", ["PersistentVolumeClaim", "PersistentVolume"])
def test_what_holds_data_has_to_be_protected(kind):
    [message] = broken("claims-are-protected", sent(kind))
    assert "protect" in message
    assert broken("claims-are-protected", sent(kind, options=KEPT)) == []


def test_a_definition_has_to_be_protected_or_known_to_be_retained():
    rule, version = "definitions-are-kept", "apiextensions.k8s.io/v1"
    theirs = {"version": version, "name": "widgets.example.org", "namespace": None}
    assert len(broken(rule, sent("CustomResourceDefinition", **theirs))) == 1
    assert broken(rule, sent("CustomResourceDefinition", **theirs, options=KEPT)) == []
    ours = theirs | {"name": "tfjobs.kubeflow.org"}
    assert broken(rule, sent("CustomResourceDefinition", **ours)) == []


def test_a_namespace_with_a_claim_has_to_be_kept_by_it():
    rule, home = "namespaces-with-data-are-kept", namespace()
    assert broken(rule, home, claim(depends_on=frozenset({home.urn}))) == []
    assert broken(rule, namespace(options=KEPT), claim()) == []
    assert broken(rule, claim()) == []  # somebody else's namespace
    [message] = broken(rule, home, claim())
    assert "PersistentVolumeClaim team/data does not depend on its Namespace team" in message
