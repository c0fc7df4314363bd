"""What becomes of the rules of a PrometheusRule, by the names of alerts."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from infra.review.preview import Change, as_mapping

Tell = Callable[[str, tuple[Any, Any]], str]
_FIELDS = {"for": "waits for", "keep_firing_for": "keeps firing for", "expr": "expression"}
_LABELS, _TEXTS = "labels", "annotations"
_Key = tuple[str, int]
"""The name of a rule, and how many before it in the object bear it too."""


def changes(change: Change, tell: Tell) -> Iterator[str]:
    """`+GPULost`, `-GPUHot`, `NodeNotReady: severity warning -> critical`.

    `tell` spells a field whose values differ.
    """
    old, new = _rules(change.old), _rules(change.new)
    yield from (f"+{key[0]}" for key in new if key not in old)
    yield from (f"-{key[0]}" for key in old if key not in new)
    for key in new:
        if key in old and (fields := list(_fields(old[key], new[key], tell))):
            yield f"{key[0]}: {', '.join(fields)}"
    yield from (
        f"evaluated every {a or 'default'} -> {b or 'default'}" for a, b in _intervals(change) if a != b
    )


def names(side: Mapping[str, Any]) -> list[str]:
    """Of the rules that come or go with an object."""
    return [name for name, _ in _rules(side)]


def others(change: Change) -> Mapping[str, tuple[Any, Any]]:
    """What differs beside the rules."""
    return {path: pair for path, pair in change.fields.items() if not path.startswith("spec.groups")}


def _fields(old: Mapping[str, Any], new: Mapping[str, Any], tell: Tell) -> Iterator[str]:
    for field in dict.fromkeys((*old, *new)):
        pair = old.get(field), new.get(field)
        if pair[0] == pair[1]:
            continue
        if field == _TEXTS:
            yield "its text changed"
        elif field == _LABELS:
            a, b = map(as_mapping, pair)
            yield from (
                tell(str(k), (a.get(k), b.get(k))) for k in dict.fromkeys((*a, *b)) if a.get(k) != b.get(k)
            )
        else:
            yield tell(_FIELDS.get(str(field), str(field)), pair)


def _groups(side: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    groups = as_mapping(side.get("spec")).get("groups")
    yield from map(as_mapping, groups if isinstance(groups, list) else ())


def _rules(side: Mapping[str, Any]) -> Mapping[_Key, Mapping[str, Any]]:
    found: dict[_Key, Mapping[str, Any]] = {}
    for group in _groups(side):
        rules = group.get("rules")
        for rule in map(as_mapping, rules if isinstance(rules, list) else ()):
            name = str(rule.get("alert") or rule.get("record") or "a rule without a name")
            found[name, sum(known == name for known, _ in found)] = rule
    return found


def _intervals(change: Change) -> Iterator[tuple[Any, Any]]:
    """Of groups that are there before and after."""
    old, new = ({str(g.get("name")): g.get("interval") for g in _groups(s)} for s in (change.old, change.new))
    yield from dict.fromkeys((old[name], new[name]) for name in new if name in old)
