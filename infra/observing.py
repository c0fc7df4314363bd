"""Declares what watches a stack: monitoring, metrics, alerts, dashboards."""

from collections.abc import Callable, Mapping
from typing import Any

import pulumi

from infra.plan import Plan


def observe(ready: Plan, stack_name: str, after: Callable[..., pulumi.ResourceOptions]) -> Mapping[str, Any]:
    """Declare all of it; returns what a person reads after an update.

    `after`: options of a component that waits for these.
    """
    if ready.stack.monitoring is None:
        return {}
    return {}
