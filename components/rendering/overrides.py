"""Raw fields laid over rendered ones."""

from collections.abc import Mapping
from typing import Any

from components.rendering.objects import Object

_IDENTITIES = ("mountPath", "name")
"""What tells the items of a list apart. A mount's `name` is its volume's, which may have several."""

_OF_ONE_SOURCE = {"env", "valueFrom", "volumes"}
"""Where an item may have one key beside its name, so that another key takes the place of the first."""


def merged(base: Mapping[str, Any], over: Mapping[str, Any]) -> Object:
    """`base` with `over` laid over it; null takes a field away.

    Mappings are merged by key, lists of named things by name (mounts by path), everything else is
    replaced. What is new comes last, so that the order of the rest stays.
    """
    result = dict(base)
    for key, value in over.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = _laid_over(result.get(key), value, key)
    return result


def _laid_over(base: Any, over: Any, key: str) -> Any:
    if isinstance(over, Mapping):
        return _item(base if isinstance(base, Mapping) else {}, over, key)
    if isinstance(base, list) and isinstance(over, list):
        for identity in _IDENTITIES:
            if _told_apart_by(identity, base) and _told_apart_by(identity, over):
                return _merged_lists(base, over, identity, key)
    return over


def _told_apart_by(identity: str, items: list[Any]) -> bool:
    if not items or not all(
        isinstance(item, Mapping) and isinstance(item.get(identity), str) for item in items
    ):
        return False
    return len({item[identity] for item in items}) == len(items)


def _merged_lists(base: list[Object], over: list[Object], identity: str, key: str) -> list[Object]:
    result = {item[identity]: item for item in base}
    for item in over:
        result[item[identity]] = _item(result.get(item[identity], {}), item, key)
    return list(result.values())


def _item(base: Mapping[str, Any], over: Mapping[str, Any], key: str) -> Object:
    if key in _OF_ONE_SOURCE and _sources(over) and not _sources(over) & _sources(base):
        return merged({}, over)
    return merged(base, over)


def _sources(item: Mapping[str, Any]) -> set[str]:
    return {key for key, value in item.items() if value is not None} - {"name"}
