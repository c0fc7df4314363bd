"""Nodes in memory, with as much of the API server's behaviour as a pool's marks rely on."""

import copy
import itertools

from components.cluster_nodes import ChangedError, UnreachableError


class FakeCluster:
    """Stands in for ClusterNodes. `before_write` lets a test change a node behind one's back."""

    def __init__(self):
        self.nodes = {}
        self.writes = []
        self.before_write = None
        self.down = False
        self._versions = itertools.count(1)

    def join(self, name, *taints, **labels):
        """A node as its cloud makes it."""
        self.nodes[name] = {
            "metadata": {
                "name": name,
                "uid": f"uid-{next(self._versions)}",
                "resourceVersion": str(next(self._versions)),
                "labels": dict(labels),
                "annotations": {},
                "managedFields": [entry("cloud", labels)],
            },
            "spec": {"taints": list(taints)},
        }

    def leave(self, name):
        del self.nodes[name]

    def edit(self, name, change):
        """Someone else's write."""
        change(self.nodes[name])
        self.nodes[name]["metadata"]["resourceVersion"] = str(next(self._versions))

    def labels(self, name):
        return self.nodes[name]["metadata"]["labels"]

    def taints(self, name):
        return [f"{taint['key']}={taint.get('value', '')}" for taint in self.nodes[name]["spec"]["taints"]]

    def get(self, name):
        self._answer()
        return copy.deepcopy(self.nodes.get(name))

    def matching(self, labels):
        self._answer()
        return [self.get(name) for name in sorted(self.nodes) if labels.items() <= self.labels(name).items()]

    def apply(self, patch, manager):
        name = patch["metadata"]["name"]
        node = self._about_to_write(name, manager)
        metadata, wanted = node["metadata"], patch["metadata"].get("labels", {})
        if metadata["uid"] != patch["metadata"]["uid"]:
            raise ChangedError("uid mismatch")
        others = [e for e in metadata["managedFields"] if e["manager"] != manager]
        theirs = {key for e in others for key in keys(e)}
        if any(metadata["labels"].get(key, value) != value for key, value in wanted.items() if key in theirs):
            raise ChangedError("conflict with another manager")
        ours = {key for e in metadata["managedFields"] if e["manager"] == manager for key in keys(e)}
        for key in ours - theirs - set(wanted):
            metadata["labels"].pop(key, None)
        metadata["labels"] |= wanted
        metadata["managedFields"] = others + ([entry(manager, wanted)] if wanted else [])
        return self.get(name)

    def merge(self, name, patch, manager):
        node = self._about_to_write(name, manager)
        if node["metadata"]["resourceVersion"] != patch["metadata"]["resourceVersion"]:
            raise ChangedError("the object has been modified")
        for key, value in patch["metadata"]["annotations"].items():
            node["metadata"]["annotations"].pop(key, None)
            if value is not None:
                node["metadata"]["annotations"][key] = value
        node["spec"]["taints"] = patch["spec"]["taints"]
        return self.get(name)

    def _about_to_write(self, name, manager):
        self._answer()
        if self.before_write:
            self.before_write(name)
        self.writes.append((name, manager))
        return self.nodes[name]

    def _answer(self):
        if self.down:
            raise UnreachableError("the API server does not answer")


def entry(manager, labels):
    fields = {f"f:{key}": {} for key in labels}
    return {"manager": manager, "operation": "Apply", "fieldsV1": {"f:metadata": {"f:labels": fields}}}


def keys(managed):
    return {key.removeprefix("f:") for key in managed["fieldsV1"]["f:metadata"]["f:labels"]}
