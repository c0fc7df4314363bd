"""Slips in how a stack is written: keys, amounts, choices, names."""

from __future__ import annotations

from random import Random
from typing import Any

from infra.models.base import Loc
from tests.generated.mistakes.register import leads_to, one
from tests.generated.words import Data

_OPEN = (
    "env",
    "env_value_from",
    "labels",
    "annotations",
    "node_selector",
    "selector",
    "quota",
    "pod_overrides",
)
_ENUMS = (
    "access_mode",
    "clean_pod_policy",
    "effect",
    "image_pull_policy",
    "kind",
    "operator",
    "pod_security",
    "protocol",
    "restart_policy",
    "success_policy",
    "when_unsatisfiable",
)
_AMOUNTS = {"cpu": ("1 core", "0.5m", "-1", "."), "memory": ("512m", "1 Gi", "1GB", "-1", "Gi")}
_AMOUNTS |= dict.fromkeys(("ephemeral_storage", "size", "size_limit"), _AMOUNTS["memory"])


def _keys(value: Any, at: Loc = ()) -> list[tuple[Loc, Data]]:
    """Every key that the models know, with the mapping that it stands in."""
    found: list[tuple[Loc, Data]] = []
    for key, below in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(value, dict):
            found.append(((*at, key), value))
        if isinstance(below, dict | list) and key not in _OPEN:
            found += _keys(below, (*at, key))
    return found


@leads_to("unknown-key")
def a_key_is_misspelt(stack: Data, pick: Random) -> Loc:
    place, holder = pick.choice(_keys(stack))
    key = str(place[-1])
    slips = (key + "x", key.capitalize(), key[0] + key, key.replace("_", "-") + "s-", f"{key[:-1]}_")
    wrong = pick.choice(slips)
    holder[wrong] = holder.pop(key)
    return (*place[:-1], wrong)


@leads_to("bad-value")
def an_amount_has_no_such_unit(stack: Data, pick: Random) -> Loc | None:
    amounts = [(place, holder) for place, holder in _keys(stack) if place[-1] in _AMOUNTS]
    if not amounts:
        return None
    place, holder = pick.choice(amounts)
    holder[place[-1]] = pick.choice(_AMOUNTS[str(place[-1])])
    return place


@leads_to("bad-value")
def a_choice_has_another_case(stack: Data, pick: Random) -> Loc:
    place, holder = pick.choice([(p, h) for p, h in _keys(stack) if p[-1] in _ENUMS])
    holder[place[-1]] = holder[place[-1]].swapcase()
    return place


@leads_to("bad-value")
def a_number_is_in_quotes(stack: Data, pick: Random) -> Loc:
    at, job = one(stack, "jobs", pick)
    job["worker"]["replicas"] = "2"
    return (*at, "worker", "replicas")


@leads_to("bad-value")
def a_name_has_capitals(stack: Data, pick: Random) -> Loc:
    at, item = one(stack, pick.choice(["jobs", "pools", "tenants"]), pick)
    item["name"] = "Vision"
    return (*at, "name")


@leads_to("bad-value")
def a_job_name_starts_with_a_digit(stack: Data, pick: Random) -> Loc:
    at, job = one(stack, "jobs", pick)
    job["name"] = "2024-mnist"
    return (*at, "name")


@leads_to("bad-value")
def a_gpu_is_split(stack: Data, pick: Random) -> Loc:
    at, job = one(stack, "jobs", pick)
    job["worker"]["resources"]["gpus"] = pick.choice([0.5, "500m"])
    return (*at, "worker", "resources", "gpus")
