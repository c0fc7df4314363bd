"""Offline classes rank below online ones, also below pods that name no class."""

from collections.abc import Iterator, Sequence
from decimal import Decimal

from policy.objects import KubernetesObject
from policy.pods import OFFLINE_CLASSES, is_offline, pods, read
from policy.rules.rule import Breach, Settings, StackRule, listed, texts


def _below(stack: Sequence[KubernetesObject], settings: Settings) -> Iterator[Breach]:
    used = {group.priority_class for sent in stack for group in pods(sent) if group.training}
    classes = [sent for sent in stack if sent.kind == "PriorityClass" and sent.name]
    values = {sent.name: read(sent.body.get("value")) or Decimal(0) for sent in classes}
    unnamed = max(
        (values[sent.name] for sent in classes if sent.body.get("globalDefault") is True), default=Decimal(0)
    )
    patterns = listed(settings, "classes")
    offline = [sent for sent in classes if sent.name in used or is_offline(sent.name, patterns)]
    online = [sent for sent in classes if sent not in offline]
    for sent in offline:
        value = values[sent.name]
        if value >= unnamed:
            yield Breach(
                f"{sent} is {_whole(value)}, and pods without a class have {_whole(unnamed)}: "
                "training would rank as high as online services; lower it, or raise the global default",
                sent.urn,
            )
        for above in online:
            if value >= values[above.name] and above.body.get("globalDefault") is not True:
                yield Breach(
                    f"{sent} is {_whole(value)}, and {above} {_whole(values[above.name])}; lower it", sent.urn
                )
        if sent.body.get("preemptionPolicy") != "Never":
            yield Breach(f"{sent} may push other pods out; write preemptionPolicy: Never", sent.urn)


def _whole(value: Decimal) -> str:
    """Without the `.0` that numbers get on their way here."""
    return f"{value.normalize():f}"


RULES = (
    StackRule(
        name="offline-ranks-below-online",
        description="PriorityClasses of offline work are below those of online services, and never preempt.",
        find=_below,
        settings={"classes": texts("patterns of the PriorityClasses of offline work", OFFLINE_CLASSES)},
    ),
)
