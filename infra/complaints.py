"""What pydantic found, in words: what is wrong, and what to write instead."""

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from infra.checks.findings import Finding
from infra.models import Model
from infra.models.base import Loc
from infra.models.names import without_credentials
from infra.unknown_keys import unknown_key


def complaints(error: ValidationError, root: type[Model]) -> Iterator[Finding]:
    """Every fault with its place, relative to the root."""
    errors = error.errors(include_url=False)
    above = {other["loc"][:length] for other in errors for length in range(len(other["loc"]))}
    for found in errors:
        if found["type"] == "too_short" and found["loc"] in above:
            continue  # its items are there, and faulty
        loc = tuple(part for part in found["loc"] if part != "[key]")
        if found["type"] == "faults":
            for below, sentence in found["ctx"]["faults"]:
                yield Finding.of(code="broken-rule", place=(*loc, *below), sentence=sentence)
        else:
            code = {"missing": "missing-key", "extra_forbidden": "unknown-key"}.get(
                found["type"], "bad-value"
            )
            yield Finding.of(code, loc, _words(found, loc, root))


def _words(found: ErrorDetails, loc: Loc, root: type[Model]) -> str:
    kind, given, limits = found["type"], found["input"], found.get("ctx", {})
    match kind:
        case "value_error":
            return str(limits["error"])
        case "missing":
            return f"is missing; add `{loc[-1]}:`"
        case "extra_forbidden":
            return unknown_key(root, loc)
        case _ if given is None:
            return "has no value; write one, or remove the key"
        case "literal_error":
            expected = str(limits["expected"]).replace("'", "").replace(" or ", ", ")
            return f"{given!r} is not known; write one of {expected}{_near(given, expected)}"
        case "greater_than_equal":
            return f"{given} is too low; write {limits['ge']} or more"
        case "less_than_equal":
            return f"{given} is too high; write {limits['le']} or less"
    wanted, shown = _WANTED.get(kind), _shown(given, loc)
    if wanted is None:
        return f"{shown} is refused ({found['msg']}); see stacks/schema.json"
    return f"{shown} stands here; write {wanted}"


_WANTED = {
    "string_type": "text, in quotes if it looks like a number or a switch",
    "int_type": "a whole number in plain decimal digits, without quotes",
    "bool_type": "true or false, without quotes",
    "tuple_type": "a list, each item after '- '",
    "model_type": "`key: value` pairs",
    "mapping_type": "`key: value` pairs",
    "dict_type": "`key: value` pairs",
    "string_too_short": "some text",
    "too_short": "one item at least",
}


_MAY_BE_SECRET = {"env", "args", "command"}


def _shown(given: Any, loc: Loc) -> str:
    if isinstance(given, list | tuple):
        return "a list"
    if isinstance(given, Mapping):
        return "a mapping"
    if _MAY_BE_SECRET.intersection(loc) or str(loc[-1]).endswith("secret"):
        return (
            "text" if isinstance(given, str) else "true or false" if isinstance(given, bool) else "a number"
        )
    if isinstance(given, str):
        given = without_credentials(given)
    text = str(given).lower() if isinstance(given, bool) else repr(given)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _near(given: Any, expected: str) -> str:
    close = get_close_matches(str(given), expected.split(", "), n=1)
    return f" (did you mean {close[0]}?)" if close else ""
