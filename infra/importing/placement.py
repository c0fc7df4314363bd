"""Where pods may go: node selector, tolerations, affinity, spread."""

from collections.abc import Iterator
from typing import Any

from infra.importing.entry import Data, Piece
from infra.models.base import Loc
from infra.vocabulary import JOB_NAME_LABEL

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def pieces(pod: Data, at: Loc, job: str) -> Iterator[Piece]:
    """Each with the field of an entry that says the same, if one does."""
    for field, name, typed in (
        ("node_selector", "nodeSelector", dict),
        ("tolerations", "tolerations", _tolerations),
        ("affinity", "affinity", _affinity),
        ("topology_spread", "topologySpreadConstraints", lambda found: _spread(found, job)),
    ):
        if found := pod.get(name):
            yield Piece(field, {name: found}, (*at, name), typed(found))


def _tolerations(found: list[Data]) -> list[dict[str, Any]]:
    names = {
        "key": "key",
        "operator": "operator",
        "value": "value",
        "effect": "effect",
        "tolerationSeconds": "toleration_seconds",
    }
    # The API takes any number, and means by one below 0 what it means by 0.
    found = [
        {k: max(v, 0) if k == "tolerationSeconds" else v for k, v in toleration.items()}
        for toleration in found
    ]
    given = [{names[k]: v for k, v in toleration.items() if v != ""} for toleration in found]
    return [{k: v for k, v in item.items() if (k, v) != ("operator", "Equal")} for item in given]


def _affinity(found: Data) -> dict[str, Any] | None:
    """`affinity` of an entry, or None if it cannot say all of this."""
    typed: dict[str, Any] = {}
    terms = {
        "node_affinity": _node_terms(found.get("nodeAffinity", {})),
        "pod_affinity": _pod_terms(found.get("podAffinity", {})),
        "pod_anti_affinity": _pod_terms(found.get("podAntiAffinity", {})),
    }
    for field, value in terms.items():
        if value is None:
            return None
        if value:
            typed[field] = value
    return typed or None


def _node_terms(found: Data) -> list[dict[str, Any]] | None:
    terms = found.get(_REQUIRED, {}).get("nodeSelectorTerms", [])
    if len(terms) > 1:  # any of them would do, and an entry says that all must hold
        return None
    typed = [_expression(e) for term in terms for e in term.get("matchExpressions", [])]
    preferred = [(p.get("weight"), p.get("preference", {})) for p in found.get(_PREFERRED, [])]
    for term in (*terms, *(term for _, term in preferred)):
        if set(term) != {"matchExpressions"}:
            return None
    for weight, term in preferred:
        if len(term["matchExpressions"]) != 1:
            return None
        typed.append({**_expression(term["matchExpressions"][0]), "weight": weight})
    return typed


def _expression(found: Data) -> dict[str, Any]:
    operator = found.get("operator")
    return {
        "key": found.get("key"),
        **({} if operator == "In" else {"operator": operator}),
        **({"values": found["values"]} if found.get("values") else {}),
    }


def _pod_terms(found: Data) -> list[dict[str, Any]] | None:
    typed: list[dict[str, Any]] = []
    required = [(None, term) for term in found.get(_REQUIRED, [])]
    preferred = [(p.get("weight"), p.get("podAffinityTerm", {})) for p in found.get(_PREFERRED, [])]
    for weight, term in (*required, *preferred):
        selector = term.get("labelSelector", {})
        if set(term) != {"labelSelector", "topologyKey"} or set(selector) != {"matchLabels"}:
            return None
        item = {"labels": selector["matchLabels"], "topology_key": term["topologyKey"]}
        typed.append(item if weight is None else {**item, "weight": weight})
    return typed


def _spread(found: list[Data], job: str) -> list[dict[str, Any]] | None:
    """Of the job's own pods, as an entry means it."""
    names = {"maxSkew": "max_skew", "topologyKey": "topology_key", "whenUnsatisfiable": "when_unsatisfiable"}
    if any(
        set(item) - set(names) != {"labelSelector"}
        or item["labelSelector"] != {"matchLabels": {JOB_NAME_LABEL: job}}
        for item in found
    ):
        return None
    return [{names[k]: v for k, v in item.items() if k in names} for item in found]
