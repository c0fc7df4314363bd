"""A small job, rendered, and the parts of it that a test looks at."""

from components.rendering.tfjob import tfjob_spec
from infra.models import JobSpec, PoolSpec

POOL = PoolSpec.model_validate(
    {
        "name": "gpu",
        "nodes": ["n1"],
        "labels": {"node-type": "gpu"},
        "taints": [{"key": "gpu", "value": "reserved", "effect": "NoSchedule"}],
        "foreign_taints": [{"key": "other", "value": "x", "effect": "NoExecute"}],
    }
)
MNIST = {
    "name": "mnist",
    "tenant": "vision",
    "priority": "offline-low",
    "image": "registry.example/mnist:1.4",
    "worker": {"replicas": 2, "resources": {"gpus": 1}},
}


def rendered(pool=POOL, script_name=None, claims=None, **change):
    return tfjob_spec(
        JobSpec.model_validate(MNIST | change),
        priority_class="offline-low",
        pool=pool,
        script_name=script_name,
        claims=claims,
    )


def role(spec, name="Worker"):
    return spec["tfReplicaSpecs"][name]


def pod(spec, name="Worker"):
    return role(spec, name)["template"]["spec"]


def metadata(spec, name="Worker"):
    return role(spec, name)["template"]["metadata"]


def container(spec, name="Worker"):
    [found] = pod(spec, name)["containers"]
    return found


def env(found):
    """Name to value, or to where the value comes from, of a container."""
    names = [entry["name"] for entry in found["env"]]
    assert len(names) == len(set(names)), names
    return {entry["name"]: entry.get("value", entry.get("valueFrom")) for entry in found["env"]}
