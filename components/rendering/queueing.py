"""Kueue's settings and the queues of tenants, as plain data."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

import yaml

from components.rendering.objects import Object
from infra.models import QueueingSpec
from infra.versions import KUEUE as VERSION
from infra.vocabulary import (
    KUEUE_IMAGE,
    KUEUE_REGISTRY,
    NAMESPACE_NAME_LABEL,
    QUEUE_GROUP,
    QUEUED_LABEL,
    STACK_MANAGER_PREFIX,
    TFJOB_FRAMEWORK,
    TFJOB_KIND,
    TRAINING_API_VERSION,
)

if TYPE_CHECKING:
    import pulumi

_BUSIEST = (f"{TFJOB_KIND}.{TRAINING_API_VERSION.partition('/')[0]}", f"Workload.{QUEUE_GROUP}")
"""Kinds of objects that Kueue reads again at each step of each job."""
_STARTED_WITHIN = "15m"
"""From admission until the leading pod runs: a large image is pulled in it."""


def kueue_configuration(*, leader_election: bool = True) -> Object:
    """What Kueue's manager is started with: TFJobs alone, in the namespaces of tenants that have a queue."""
    return {
        "apiVersion": "config.kueue.x-k8s.io/v1beta2",
        "kind": "Configuration",
        "health": {"healthProbeBindAddress": ":8081"},
        "metrics": {"bindAddress": ":8443"},
        "webhook": {"port": 9443},
        # As its makers ship it. Unset it would ask 20 times a second, and do one thing at a time.
        "clientConnection": {"qps": 50, "burst": 100},
        "controller": {"groupKindConcurrency": dict.fromkeys(_BUSIEST, 5)},
        "leaderElection": {"leaderElect": leader_election, "resourceName": "c1f6bfd2.kueue.x-k8s.io"},
        "manageJobsWithoutQueueName": False,
        "managedJobsNamespaceSelector": {"matchLabels": {QUEUED_LABEL: "true"}},
        "integrations": {"frameworks": [TFJOB_FRAMEWORK]},
        # A quota says what a tenant may use, not what nodes have free. A job that has its quota and no node
        # goes back to the end of its queue, and those behind it get their turn.
        "waitForPodsReady": {"timeout": _STARTED_WITHIN, "recoveryTimeout": _STARTED_WITHIN},
    }


def chart_values(spec: QueueingSpec) -> Object:
    """The values of Kueue's chart. What is not named here stays as the chart has it."""
    image = {
        "repository": f"{spec.image_registry or KUEUE_REGISTRY}/{KUEUE_IMAGE}",
        # A chart beside the stack names the image of its own version.
        **({} if spec.chart.path else {"tag": f"v{spec.chart.version or VERSION}"}),
        "pullPolicy": "IfNotPresent",
    }
    return {
        "controllerManager": {"manager": {"image": image}},
        "managerConfig": {"controllerManagerConfigYaml": yaml.safe_dump(kueue_configuration())},
    }


def flavor_name(stack: str) -> str:
    """The name of a stack's ResourceFlavor: those of stacks may have characters that objects' may not."""
    return re.sub(r"[^a-z0-9]+", "-", f"{STACK_MANAGER_PREFIX}{stack}".lower()).strip("-")


def cluster_queue_spec(flavor: pulumi.Input[str], namespace: str, quotas: Mapping[str, str]) -> Object:
    """What the jobs of a namespace may use together, by resource.

    Jobs wait in the order of their priority, then of their age. One that has no room lets smaller ones pass,
    and nothing that runs is ended for another: offline work never preempts.
    """
    resources = [{"name": name, "nominalQuota": amount} for name, amount in quotas.items()]
    group = {"coveredResources": list(quotas), "flavors": [{"name": flavor, "resources": resources}]}
    return {
        "namespaceSelector": {"matchLabels": {NAMESPACE_NAME_LABEL: namespace}},
        "queueingStrategy": "BestEffortFIFO",
        "resourceGroups": [group],
    }
