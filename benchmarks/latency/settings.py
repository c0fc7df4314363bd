"""What is compared: one training in several settings, each as a stack of this project renders it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

NAMESPACE = "latency-bench"
ONLINE, OFFLINE = "latency-online", "latency-offline"
"""PriorityClasses of the benchmark's own, so that those of other stacks stay as they are."""
JOB = "train"
NODES = f"{NAMESPACE}-nodes"
"""Where node protection is."""
ONLINE_REQUESTS: Mapping[str, str] = {"cpu": "500m", "memory": "128Mi"}


@dataclass(frozen=True, kw_only=True)
class Setting:
    """One way to run training beside a service."""

    name: str
    title: str
    requests: Mapping[str, str] = field(default_factory=dict)
    limits: Mapping[str, str] = field(default_factory=dict)
    trains: bool = True
    protection: Mapping[str, Any] | None = None
    """Fields of `node_protection:`; None: without it."""


_MEMORY = {"memory": "1Gi"}
_OURS = Setting(
    name="ours",
    title="ours: requests 100m, limit 1.5",
    requests={"cpu": "100m", **_MEMORY},
    limits={"cpu": "1500m", "memory": "2Gi"},
)
SETTINGS = (
    Setting(name="alone", title="no training", trains=False),
    Setting(name="unbounded", title="training without requests or limits"),
    Setting(
        name="greedy",
        title="training that asks for most of the node",
        requests={"cpu": "1200m", **_MEMORY},
    ),
    Setting(
        name="article",
        title="requests 1 CPU, limit 2",
        requests={"cpu": "1", "memory": "2Gi"},
        limits={"cpu": "2", "memory": "4Gi"},
    ),
    _OURS,
    replace(
        _OURS, name="idle", title="ours with node protection, no core spared", protection={"spare_cores": 0}
    ),
    replace(_OURS, name="protected", title="ours with node protection, one core spared", protection={}),
)


def stack(setting: Setting, image: str) -> dict[str, Any]:
    """The stack file of a setting."""
    job = {
        "name": JOB,
        "tenant": NAMESPACE,
        "priority": OFFLINE,
        "image": image,
        "script": "train.py",
        "worker": {"resources": {"requests": dict(setting.requests), "limits": dict(setting.limits)}},
    }
    protection = None
    if setting.protection is not None:
        protection = {"namespace": NODES, "image": image, **setting.protection}
    return {
        "priorities": [
            {"name": ONLINE, "value": 1000, "kind": "online"},
            {"name": OFFLINE, "value": -1000, "kind": "offline"},
        ],
        "tenants": [{"name": NAMESPACE}],
        "training_operator": {"install": False},
        "jobs": [job] if setting.trains else [],
        "node_protection": protection,
    }
