"""Objects as a program would send them, and a rule asked about them."""

from __future__ import annotations

from policy.objects import declared
from policy.rules import OBJECT_RULES, STACK_RULES

RULES = {rule.name: rule for rule in (*OBJECT_RULES, *STACK_RULES)}


def sent(kind, *, version="v1", name="thing", namespace="team", labels=None, options=None, **body):
    """An object; `options` are resource options."""
    token = f"kubernetes:{version if '/' in version else f'core/{version}'}:{kind}"
    metadata = {"name": name, "labels": labels or {}}
    if namespace:
        metadata["namespace"] = namespace
    return declared(token, {"metadata": metadata, **body}, urn=f"urn::{name}", **(options or {}))


def container(**change):
    amounts = {"cpu": "1", "memory": "1Gi"}
    base = {"name": "tensorflow", "image": "reg.example.org/tf:2.1"}
    return base | {"resources": {"requests": amounts, "limits": amounts}} | change


def tfjob(*, pod=None, replica=None, role="Worker", version="kubeflow.org/v1", spec=None, **change):
    """A sound training job, and one change."""
    template = {"spec": {"priorityClassName": "offline-low", "containers": [container()], **(pod or {})}}
    worker = {"replicas": 1, "restartPolicy": "Never", "template": template, **(replica or {})}
    body = {"tfReplicaSpecs": {role: worker}, **(spec or {})}
    return sent("TFJob", version=version, spec=body, **change)


def broken(rule, *objects, **settings):
    """Messages of one rule about an object, or about a stack of them."""
    found = RULES[rule]
    given = {name: setting["default"] for name, setting in found.settings.items()} | settings
    if found in STACK_RULES:
        return [breach.message for breach in found.broken(objects, given)]
    return [message for one in objects for message in found.broken(one, given)]
