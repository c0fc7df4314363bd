"""Namespaces restrain what runs in them."""

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase

from infra.vocabulary import KUEUE_NAMESPACE, NODE_PROTECTION, POD_SECURITY_PREFIX
from policy.objects import KubernetesObject, mapping
from policy.rules.rule import Breach, ObjectRule, Settings, StackRule, listed, texts

_ENFORCE = f"{POD_SECURITY_PREFIX}/enforce"

_NODE_AGENTS = ("monitoring", "gpu-monitoring", NODE_PROTECTION)  # what looks at the node itself


def _pod_security(sent: KubernetesObject, settings: Settings) -> Iterator[str]:
    if sent.kind == "Namespace":
        labels = mapping(mapping(sent.body.get("metadata")).get("labels"))
        level = labels.get(_ENFORCE)
        if level is None:
            yield f"{sent} lets in pods of any kind; label it {_ENFORCE}: restricted or baseline"
        elif level == "privileged" and not _exempt(sent, listed(settings, "privileged")):
            yield (
                f"{sent} lets in pods of any kind ({_ENFORCE}: privileged); write restricted or baseline, "
                "or name it in the pack's config"
            )


def _quota(stack: Sequence[KubernetesObject], settings: Settings) -> Iterator[Breach]:
    limited = {sent.namespace for sent in stack if sent.kind == "ResourceQuota"}
    for sent in stack:
        if sent.kind != "Namespace" or not sent.name or sent.name in limited:
            continue
        if not _exempt(sent, listed(settings, "without_quota")):
            yield Breach(
                f"{sent} has no ResourceQuota, and what runs in it may take the whole cluster; "
                "give it one, or name it in the pack's config",
                sent.urn,
            )


def _exempt(sent: KubernetesObject, patterns: list[str]) -> bool:
    return any(fnmatchcase(sent.name or "", pattern) for pattern in patterns)


RULES = (
    ObjectRule(
        name="namespaces-have-pod-security",
        description="Namespaces enforce a level of Pod Security.",
        find=_pod_security,
        settings={"privileged": texts("patterns of namespaces that may enforce none", _NODE_AGENTS)},
    ),
    StackRule(
        name="namespaces-have-a-quota",
        description="Namespaces have a ResourceQuota.",
        find=_quota,
        settings={
            "without_quota": texts("patterns of namespaces that need none", ["monitoring", KUEUE_NAMESPACE])
        },
    ),
)
