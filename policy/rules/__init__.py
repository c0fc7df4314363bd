"""Every rule of the pack. A module a subject; nothing here knows of the engine."""

from policy.rules import (
    data,
    gpus,
    images,
    namespaces,
    offline,
    priorities,
    quotas,
    secrets,
    security,
    training,
)
from policy.rules.rule import Breach, ObjectRule, Settings, StackRule

_MODULES = (offline, gpus, images, security, namespaces, training, data, priorities, secrets, quotas)
_RULES: list[ObjectRule | StackRule] = [rule for module in _MODULES for rule in module.RULES]

OBJECT_RULES = tuple(rule for rule in _RULES if isinstance(rule, ObjectRule))
STACK_RULES = tuple(rule for rule in _RULES if isinstance(rule, StackRule))

__all__ = ["OBJECT_RULES", "STACK_RULES", "Breach", "ObjectRule", "Settings", "StackRule"]
