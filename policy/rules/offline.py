"""Offline pods say what they need, that they give way, and what happens when they fail."""

from collections.abc import Iterator

from policy.objects import KubernetesObject
from policy.pods import OFFLINE_CLASSES, is_offline, name_of, pods, states
from policy.rules.rule import ObjectRule, Settings, listed, texts

_STATED = (("requests", "cpu"), ("requests", "memory"), ("limits", "cpu"), ("limits", "memory"))
_CLASSES = {"classes": texts("patterns of the PriorityClasses of offline work", OFFLINE_CLASSES)}
_ENDING = ("CronJob", "Job", "Pod")


def _resources(sent: KubernetesObject, settings: Settings) -> Iterator[str]:
    for group in pods(sent):
        if not group.offline(settings.get("classes")):
            continue
        for _, container in group.containers():
            lacking = [f"{kind}.{name}" for kind, name in _STATED if not states(container, kind, name)]
            if lacking:
                yield (
                    f"container {name_of(container)} of {group.what} states no {', '.join(lacking)}: "
                    f"it would take what online services need; write them under resources"
                )


def _class(sent: KubernetesObject, settings: Settings) -> Iterator[str]:
    classes = listed(settings, "classes")
    for group in pods(sent):
        named = group.priority_class
        if group.training and not is_offline(named, classes) and _is_known(group.spec):
            yield (
                f"{group.what} have {f'the class {named}' if named else 'no class'}, and would not give way "
                f"to online services; write a priorityClassName that matches {' or '.join(classes)}"
            )


def _is_known(spec: object) -> bool:
    """Whether the class is not one that only the update will know."""
    value = spec.get("priorityClassName") if isinstance(spec, dict) else None
    return value is None or isinstance(value, str)


def _restart(sent: KubernetesObject, settings: Settings) -> Iterator[str]:
    for group in pods(sent):
        ends = group.training or sent.kind in _ENDING
        if ends and group.offline(settings.get("classes")) and group.restart_policy is None:
            yield (
                f"{group.what} say no restartPolicy, and what a failure does is then left to chance; "
                f"write {'Never, OnFailure or ExitCode' if group.training else 'Never or OnFailure'}"
            )


RULES = (
    ObjectRule(
        name="offline-pods-state-resources",
        description="Offline pods state requests and limits of CPU and memory.",
        find=_resources,
        settings=_CLASSES,
    ),
    ObjectRule(
        name="offline-pods-have-an-offline-class",
        description="Pods of training jobs have a PriorityClass of offline work.",
        find=_class,
        settings=_CLASSES,
    ),
    ObjectRule(
        name="offline-pods-state-a-restart-policy",
        description="Offline pods say what happens when they fail.",
        find=_restart,
        settings=_CLASSES,
    ),
)
