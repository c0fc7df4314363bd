"""A dashboard that Grafana has exported, made fit to be loaded from a file.

The browser resolves an export's inputs when somebody imports it; what loads files does not.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

Json = dict[str, Any]

_LONGEST_UID: Final = 40
_SOURCE: Final = "datasource"
_PLUGIN: Final = "prometheus"
_LEFT: Final = "${DS_"


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
    inputs = {entry["name"]: entry for entry in mappings(page, "__inputs") if "name" in entry}
    kept = {key: value for key, value in page.items() if not key.startswith("__")}
    source = _source_variable(kept)
    resolved: Json = _replaced(kept, {f"${{{key}}}": _value(entry, source) for key, entry in inputs.items()})
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
        page = json.loads(text, parse_constant=_no_number)
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


def mappings(parent: Json, key: str) -> Iterator[Json]:
    """The items of a list that are mappings; none where there is no list."""
    found = parent.get(key)
    return (item for item in found if isinstance(item, dict)) if isinstance(found, list) else iter(())


def _source_variable(page: Json) -> str:
    """The name of the variable that is a Prometheus; made where there is none."""
    names = [
        v["name"] for v in variables(page) if v.get("type") == "datasource" and v.get("query") == _PLUGIN
    ]
    if names:
        return str(names[0])
    made = {"name": _SOURCE, "label": "Data source", "type": "datasource", "query": _PLUGIN}
    page["templating"] = {"list": [made, *variables(page)]}
    return _SOURCE


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


def _replaced(value: Any, by: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: _replaced(inner, by) for key, inner in value.items()}
    if isinstance(value, list):
        return [_replaced(inner, by) for inner in value]
    if isinstance(value, str):
        for placeholder, text in by.items():
            value = value.replace(placeholder, text)
    return value
