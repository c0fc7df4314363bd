"""Sums over the stack: quotas fit the cluster, and jobs fit their quotas."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from decimal import Decimal

from infra.pod_resources import counted, shown
from infra.vocabulary import QUEUE_NAME_LABEL
from policy.objects import KubernetesObject, mapping, mappings
from policy.pods import Pods, pods, read
from policy.rules.rule import Breach, Settings, StackRule


def _within_the_cluster(stack: Sequence[KubernetesObject], settings: Settings) -> Iterator[Breach]:
    promised: dict[str, Decimal] = defaultdict(Decimal)
    for quota in _quotas(stack):
        for key, value in mapping(quota.spec.get("hard")).items():
            promised[key] += read(value) or Decimal(0)
    for key, value in mapping(settings.get("capacity")).items():
        has = read(value) or Decimal(0)
        if promised[key] > has:
            yield Breach(
                f"the quotas promise {shown(key, promised[key])} {key}, and the cluster has "
                f"{shown(key, has)}; lower a quota, or correct the capacity in the pack's config"
            )


def _within_the_quota(stack: Sequence[KubernetesObject], settings: Settings) -> Iterator[Breach]:
    for quota in _quotas(stack):
        here = [sent for sent in stack if sent.namespace == quota.namespace and not _suspended(sent)]
        for key, value in mapping(quota.spec.get("hard")).items():
            hard, need = read(value), _need(here, key, _priorities(quota))
            if hard is not None and need > hard:
                yield Breach(
                    f"what is declared in {quota.namespace} comes to {shown(key, need)} {key}, and {quota} "
                    f"holds {shown(key, hard)}; suspend or lower jobs, or raise the quota",
                    quota.urn,
                )


def _quotas(stack: Sequence[KubernetesObject]) -> list[KubernetesObject]:
    return [sent for sent in stack if sent.kind == "ResourceQuota"]


def _need(here: Sequence[KubernetesObject], key: str, priorities: list[object] | None) -> Decimal:
    """What is there at once: everything, but of what waits in a queue only one may find room at a time."""
    together = largest = Decimal(0)
    for sent in here:
        groups = (g for g in pods(sent) if priorities is None or g.priority_class in priorities)
        asked = sum((_asked(group, key) for group in groups), Decimal(0))
        if QUEUE_NAME_LABEL in mapping(mapping(sent.body.get("metadata")).get("labels")):
            largest = max(largest, asked)
        else:
            together += asked
    return together + largest


def _asked(group: Pods, key: str) -> Decimal:
    return group.replicas * counted(key, group.asked("requests"), group.asked("limits"))


def _priorities(quota: KubernetesObject) -> list[object] | None:
    """The classes that a quota is for; None: for all pods."""
    selector = mapping(quota.spec.get("scopeSelector"))
    for expression in mappings(selector.get("matchExpressions")):
        values = expression.get("values")
        if expression.get("scopeName") == "PriorityClass" and isinstance(values, list):
            return values
    return None


def _suspended(sent: KubernetesObject) -> bool:
    return sent.spec.get("suspend") is True or mapping(sent.spec.get("runPolicy")).get("suspend") is True


RULES = (
    StackRule(
        name="quotas-within-the-cluster",
        description="The ResourceQuotas together promise no more than the cluster has.",
        find=_within_the_cluster,
        settings={
            "capacity": {
                "type": "object",
                "additionalProperties": {"type": "string"},
                "description": "what the cluster has, by key of a quota; others are not added up",
                "default": {},
            }
        },
    ),
    StackRule(
        name="jobs-within-quotas",
        description="What is declared in a namespace fits its ResourceQuota.",
        find=_within_the_quota,
    ),
)
