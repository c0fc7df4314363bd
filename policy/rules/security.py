"""Pods stay off the node that they run on, but those that are named."""

from collections.abc import Iterator
from fnmatch import fnmatchcase

from infra.vocabulary import NODE_PROTECTION
from policy.objects import KubernetesObject, mapping, mappings, text
from policy.pods import name_of, pods
from policy.rules.rule import ObjectRule, Settings, listed, texts

_SHARED = {
    "hostNetwork": "the node's network",
    "hostPID": "the node's processes",
    "hostIPC": "the node's IPC",
}

_ON_THE_NODE = (
    "*/dcgm-exporter",  # asks the kubelet which pod has which GPU
    f"*/{NODE_PROTECTION}",  # sets cpu.idle on the control groups of offline pods
)


def _off_the_node(sent: KubernetesObject, settings: Settings) -> Iterator[str]:
    if any(fnmatchcase(sent.path, pattern) for pattern in listed(settings, "allowed")):
        return
    for group in pods(sent):
        remedy = f"take it away, or allow {sent.path} in the pack's config"
        for name, what in _SHARED.items():
            if group.spec.get(name) is True:
                yield f"{group.what} share {what} ({name}); {remedy}"
        for volume in mappings(group.spec.get("volumes")):
            if "hostPath" in volume:
                path = text(mapping(volume["hostPath"]).get("path")) or "unknown"
                yield f"{group.what} see the node's folder {path} (hostPath); {remedy}"
        for _, container in group.containers():
            if mapping(container.get("securityContext")).get("privileged") is True:
                yield f"container {name_of(container)} of {group.what} is privileged; {remedy}"


RULES = (
    ObjectRule(
        name="pods-stay-off-the-node",
        description="No privileged containers, host paths or host namespaces but those of named objects.",
        find=_off_the_node,
        settings={"allowed": texts("patterns of namespace/name of the objects that may", _ON_THE_NODE)},
    ),
)
