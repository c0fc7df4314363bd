"""Pods that ask for GPUs go where GPUs are kept for them, and nowhere else."""

from collections.abc import Iterator
from typing import Any

from infra.vocabulary import GPU_RESOURCE, POOL_LABEL
from policy.objects import KubernetesObject, mapping, mappings
from policy.pods import Pods, pods, stated
from policy.rules.rule import ObjectRule, Settings, listed, texts

_VENDOR = GPU_RESOURCE.partition("/")[0] + "/"  # also nvidia.com/mig-1g.5gb


def _kept_to_the_pool(sent: KubernetesObject, settings: Settings) -> Iterator[str]:
    taints, labels = listed(settings, "taints"), listed(settings, "labels")
    for group in pods(sent):
        if not _asks_gpus(group):
            continue
        if not _tolerates(group, taints):
            yield (
                f"{group.what} ask GPUs and do not tolerate the taint {' or '.join(taints)}: no GPU node "
                "would take them; add the toleration"
            )
        if not _selects(group, labels):
            yield (
                f"{group.what} ask GPUs and may go to any node that has some; select a pool "
                f"by nodeSelector: {' or '.join(labels)}"
            )


def _asks_gpus(group: Pods) -> bool:
    return any(
        name.startswith(_VENDOR) and amount not in ("0", 0)
        for _, container in group.containers()
        for kind in ("requests", "limits")
        for name, amount in stated(container, kind).items()
    )


def _tolerates(group: Pods, taints: list[str]) -> bool:
    found = mappings(group.spec.get("tolerations"))
    return any(toleration.get("key") in taints for toleration in found) or any(
        toleration.get("operator") == "Exists" and not toleration.get("key") for toleration in found
    )


def _selects(group: Pods, labels: list[str]) -> bool:
    if any(label in mapping(group.spec.get("nodeSelector")) for label in labels):
        return True
    affinity = mapping(mapping(group.spec.get("affinity")).get("nodeAffinity"))
    required = mapping(affinity.get("requiredDuringSchedulingIgnoredDuringExecution"))
    terms = mappings(required.get("nodeSelectorTerms"))  # alternatives: each must
    return bool(terms) and all(_names(term, labels) for term in terms)


def _names(term: Any, labels: list[str]) -> bool:
    wanted = mappings(term.get("matchExpressions"))
    return any(one.get("key") in labels and one.get("operator") in ("In", "Exists") for one in wanted)


RULES = (
    ObjectRule(
        name="gpu-pods-keep-to-their-pool",
        description="Pods that ask for GPUs tolerate the taint of GPU nodes and select a pool.",
        find=_kept_to_the_pool,
        settings={
            "taints": texts("keys of the taints that reserve GPU nodes", ["gpu"]),
            "labels": texts("keys of the labels by which pools are selected", [POOL_LABEL, "node-type"]),
        },
    ),
)
