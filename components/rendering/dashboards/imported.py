"""A dashboard that Grafana has exported, made fit to be loaded from a file.

The browser resolves an export's inputs when somebody imports it; what loads files does not.
"""

import hashlib
import json
import math
from collections.abc import Iterator, Mapping
from typing import Any, Final

Json = dict[str, Any]

_LONGEST_UID: Final = 40
_SOURCE: Final = "datasource"
_PLUGIN: Final = "prometheus"
_LEFT: Final = "${DS_"
_DEEPEST: Final = 100
"""Brackets within brackets; Grafana's own exports have about ten."""


class UnfitError(Exception):
    """A file that is no dashboard, or none that can be loaded: `<what is wrong>; <what to do>`."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code


def fit(text: str, name: str) -> Json:
    """A stack's own dashboard as Grafana loads it; raises UnfitError.

    Its data source is what the reader chooses, by a variable; its uid comes from its name in the stack.
    """
    page = _page(text)
    if not any(True for _ in panels(page)):
        raise UnfitError("dashboard-empty", "has no panels; export the dashboard from Grafana again")
    if page.get("__elements"):
        raise UnfitError(
            "no-dashboard",
            "uses library panels, which only the Grafana that it comes from has; unlink them, and export it "
            "again",
        )
    inputs = {_name(entry, "dashboard-input", "an input"): entry for entry in mappings(page, "__inputs")}
    kept = {key: value for key, value in page.items() if not key.startswith("__")}
    source = _source_variable(kept)
    values = {f"${{{key}}}": _value(entry, source) for key, entry in inputs.items()}
    resolved: Json = _chosen(_replaced(kept, values), source)
    if (at := json.dumps(resolved).find(_LEFT)) >= 0:
        left = json.dumps(resolved)[at:].partition("}")[0]
        raise UnfitError(
            "dashboard-input",
            f"asks for the data source {left}}}, which nothing here declares; write ${{{_SOURCE}}} instead",
        )
    return {**resolved, "id": None, "uid": uid(name)}


def written(page: Json) -> str:
    """The same dashboard is the same text every time."""
    return json.dumps(page, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def uid(name: str) -> str:
    """What links call a stack's own dashboard by; Grafana allows 40 characters."""
    whole = f"own-{name}"
    if len(whole) <= _LONGEST_UID:
        return whole
    return f"{whole[: _LONGEST_UID - 9]}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def panels(page: Json) -> Iterator[Json]:
    """All that are no headings, also those beneath a closed heading and those of the time before 2018."""
    for row in mappings(page, "rows"):
        yield from mappings(row, "panels")
    for panel in mappings(page, "panels"):
        yield from mappings(panel, "panels")
        if panel.get("type") != "row":
            yield panel


def variables(page: Json) -> Iterator[Json]:
    """What a reader chooses at the top."""
    templating = page.get("templating")
    if isinstance(templating, dict):
        yield from mappings(templating, "list")


def _page(text: str) -> Json:
    try:
        page = json.loads(text, parse_constant=_no_number, parse_float=_finite, parse_int=_whole)
        _depth(page)
        json.dumps(page, ensure_ascii=False).encode()  # half a surrogate pair can be read, and not written
    except UnicodeEncodeError as error:
        half = ascii(str(error.object)[error.start : error.start + 1]).strip("'")
        raise UnfitError(
            "dashboard-no-json", f"has half a character ({half}), which no file can hold; remove it"
        ) from None
    except (ValueError, RecursionError) as error:
        where = f"line {error.lineno}: {error.msg}" if isinstance(error, json.JSONDecodeError) else str(error)
        sentence = f"is not JSON ({where}); export it from Grafana again"
        raise UnfitError("dashboard-no-json", sentence) from None
    if not isinstance(page, dict):
        raise UnfitError("no-dashboard", "is no dashboard; export one from Grafana")
    if isinstance(page.get("dashboard"), dict):
        raise UnfitError(
            "no-dashboard", "is an answer of Grafana's API; keep only what stands under `dashboard`"
        )
    if "elements" in page or "apiVersion" in page:
        raise UnfitError(
            "no-dashboard", "is of Grafana's second schema; export it as Classic, which files are read as"
        )
    if not isinstance(page.get("title"), str) or not page["title"].strip():
        raise UnfitError("no-dashboard", "has no title, so it is no dashboard; export one from Grafana")
    return page


def _no_number(text: str) -> None:
    raise ValueError(f"{text} is no number there")


def _finite(text: str) -> float:
    if math.isinf(number := float(text)):
        _no_number(text if len(text) <= 20 else f"{text[:20]}...")
    return number


def _whole(text: str) -> int:
    _finite(text)
    return int(text)


def _depth(page: Any) -> None:
    """Refuse what is nested so deep that walking through it would end the program."""
    level = [page]
    for _ in range(_DEEPEST):
        level = [
            inner
            for value in level
            if isinstance(value, dict | list)
            for inner in (value.values() if isinstance(value, dict) else value)
        ]
    if level:
        raise ValueError(f"more than {_DEEPEST} brackets within brackets")


def mappings(parent: Json, key: str) -> Iterator[Json]:
    """The items of a list that are mappings; none where there is no list."""
    found = parent.get(key)
    return (item for item in found if isinstance(item, dict)) if isinstance(found, list) else iter(())


def _source_variable(page: Json) -> str:
    """The name of the variable that is a Prometheus; made where there is none."""
    for variable in variables(page):
        if variable.get("type") == "datasource" and variable.get("query") == _PLUGIN:
            return _name(variable, "no-dashboard", "a variable")
    made = {"name": _SOURCE, "label": "Data source", "type": "datasource", "query": _PLUGIN}
    page["templating"] = {"list": [made, *variables(page)]}
    return _SOURCE


def _name(entry: Json, code: str, what: str) -> str:
    name = entry.get("name")
    if not isinstance(name, str) or not name:
        raise UnfitError(code, f"has {what} without a name; export it from Grafana again")
    return name


def _value(entry: Json, source: str) -> str:
    if entry.get("type") == "constant":
        return str(entry.get("value", ""))
    if entry.get("pluginId") == _PLUGIN:
        return f"${{{source}}}"
    raise UnfitError(
        "dashboard-input",
        f"asks for a data source of the kind {entry.get('pluginId')!r} ({entry['name']}), and the stack has "
        "a Prometheus; remove its panels",
    )


def _chosen(value: Any, source: str) -> Any:
    """With the variable wherever a Prometheus of another Grafana is asked, by the uid that it has there."""
    if isinstance(value, list):
        return [_chosen(inner, source) for inner in value]
    if not isinstance(value, dict):
        return value
    found = {key: _chosen(inner, source) for key, inner in value.items()}
    asked = found.get("datasource")
    if isinstance(asked, dict) and asked.get("type") == _PLUGIN and not _is_variable(asked.get("uid")):
        found["datasource"] = {**asked, "uid": f"${{{source}}}"}
    return found


def _is_variable(reference: Any) -> bool:
    return isinstance(reference, str) and reference.startswith(("$", "[["))


def _replaced(value: Any, by: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: _replaced(inner, by) for key, inner in value.items()}
    if isinstance(value, list):
        return [_replaced(inner, by) for inner in value]
    if isinstance(value, str):
        for placeholder, text in by.items():
            value = value.replace(placeholder, text)
    return value
