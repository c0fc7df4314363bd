"""A pool of two nodes, and what Pulumi would do with it."""

POOL = "colocation.io/pool"
STACK = "colocation.io/stack"
CLAIM = {POOL: "gpu", STACK: "dev"}
CORDON = {"key": "cordon", "effect": "NoSchedule"}
FAKE = {"key": "kwok", "value": "fake", "effect": "NoSchedule"}
GPU = {
    "stack": "dev",
    "pool": "gpu",
    "nodes": ["n1", "n2"],
    "selector": {},
    "labels": {"type": "gpu"},
    "taints": [{"key": "gpu", "value": "reserved", "effect": "NoSchedule"}],
    "marked": None,
}
RENDER = GPU | {"pool": "render", "nodes": ["n3"], "labels": {"type": "render"}}


def created(provider, props=GPU):
    return provider.create(dict(props)).outs


def updated(provider, olds, **change):
    news = {key: olds[key] for key in GPU} | {"marked": None} | change
    return provider.update(olds["pool"], olds, news).outs


def changes(provider, olds, **change):
    return provider.diff(olds["pool"], olds, {key: olds[key] for key in GPU} | change).changes


def faults(provider, props):
    return [failure.reason for failure in provider.check({}, dict(props)).failures]
