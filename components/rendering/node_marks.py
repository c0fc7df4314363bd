"""What a pool puts on its nodes, as plain data."""

from typing import Any

from infra.models import PoolSpec


def node_marks(spec: PoolSpec, stack_name: str) -> dict[str, Any]:
    """Render what the pool puts on its nodes; foreign taints are not among it."""
    return {
        "stack": stack_name,
        "pool": spec.name,
        "nodes": sorted(spec.nodes),
        "selector": dict(spec.selector),
        "labels": dict(spec.labels),
        "taints": [taint.model_dump() for taint in spec.taints],
    }
