"""What the panels and variables of a dashboard ask, as PromQL without Grafana's own words."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from components.rendering.dashboards.imported import mappings, panels, variables
from infra.promql import MOST_PARTS, PromqlError, parse, parts

CHOSEN = "grafana_variable"
"""Stands where a variable's value will be."""
_VARIABLE = re.compile(r"\$\{(\w+)[^}]*\}|\$([A-Za-z_]\w*)|\[\[(\w+)[^\]]*\]\]")
_KNOWN = {
    **dict.fromkeys(("__interval", "__rate_interval", "__range"), "5m"),
    **dict.fromkeys(("__interval_ms", "__range_s", "__range_ms", "__from", "__to"), "60"),
}
_STANDS_FOR = (CHOSEN, "1", "5m")
"""What a variable outside of quotes may be: a name, a number, a duration."""
_MOST_VARIABLES = 4
_LONGEST = 10_000  # characters; people read what they write in a panel
_OF_VALUES = re.compile(r"^\s*(label_values|query_result|metrics|label_names)\s*\((.*)\)\s*$", re.DOTALL)


@dataclass(frozen=True)
class Asked:
    """One expression of a dashboard."""

    where: str
    """`panel CPU` or `variable node`, as a person finds it."""
    promql: str
    """As Grafana has it."""
    legend: str = ""


def asked(page: Mapping[str, Any]) -> Iterator[Asked]:
    """Every expression for a Prometheus, of panels and of variables."""
    whole = dict(page)
    for panel in panels(whole):
        title = str(panel.get("title") or f"{panel.get('id')} (without a title)")
        for target in mappings(panel, "targets"):
            expr = target.get("expr")
            if (
                isinstance(expr, str)
                and expr.strip()
                and _is_prometheus(target.get("datasource"), panel.get("datasource"))
            ):
                yield Asked(f"panel {title}", expr, str(target.get("legendFormat") or ""))
    for variable in variables(whole):
        if variable.get("type") == "query":
            yield from _of_variable(variable)


def _is_prometheus(*sources: Any) -> bool:
    kinds = [source.get("type") for source in sources if isinstance(source, dict) and source.get("type")]
    return not kinds or kinds[0] in ("prometheus", "datasource")


def _of_variable(variable: Mapping[str, Any]) -> Iterator[Asked]:
    query = variable.get("query")
    text = query.get("query") if isinstance(query, dict) else query
    if not isinstance(text, str) or not (found := _OF_VALUES.match(text)):
        return
    kind, inner = found.groups()
    where = f"variable {variable.get('name', 'without a name')}"
    if kind == "query_result":
        yield Asked(where, inner)
    elif kind == "label_values":
        metric, comma, label = inner.rpartition(",")
        if comma and metric.strip():
            yield Asked(where, metric, f"{{{{{label.strip()}}}}}")
        elif not comma:
            yield Asked(where, "", f"{{{{{label.strip()}}}}}")


def readable(promql: str) -> str | None:
    """The expression with something in the place of each variable, so that it can be parsed.

    None where that cannot be decided, as where a variable is the name of a function. Raises PromqlError
    if it cannot be read whatever the variables are.
    """
    found = tuple(_variables(promql)) if len(promql) <= _LONGEST else ()
    names = dict.fromkeys(v.name for v in found if not v.quoted and v.name not in _KNOWN)
    calls = any(promql[v.end :].lstrip().startswith("(") for v in found if not v.quoted)
    if calls or len(names) > _MOST_VARIABLES or len(promql) > _LONGEST or parts(promql) > MOST_PARTS:
        return None
    first: PromqlError | None = None
    for values in product(_STANDS_FOR, repeat=len(names)):
        expression = _filled(promql, found, dict(zip(names, values, strict=True)))
        try:
            parse(expression)
        except PromqlError as error:
            first = first or error
        else:
            return expression
    assert first is not None
    raise first


@dataclass(frozen=True)
class _Variable:
    name: str
    start: int
    end: int
    quoted: bool


def _variables(promql: str) -> Iterator[_Variable]:
    quote, seen = "", 0
    for match in _VARIABLE.finditer(promql):
        quote = _quote_after(promql[seen : match.start()], quote)
        seen = match.end()
        name = next(group for group in match.groups() if group)
        yield _Variable(name, match.start(), match.end(), bool(quote))


def _quote_after(text: str, quote: str) -> str:
    """The quote that is open at the end of a text, at whose beginning another may be."""
    escaped = False
    for char in text:
        if escaped:
            escaped = False
        elif quote:
            escaped = char == "\\" and quote != "`"
            quote = "" if char == quote else quote
        elif char in "\"'`":
            quote = char
    return quote


def _filled(promql: str, found: Sequence[_Variable], values: Mapping[str, str]) -> str:
    parts, seen = [], 0
    for variable in found:
        known = _KNOWN.get(variable.name, CHOSEN if variable.quoted else values.get(variable.name, CHOSEN))
        parts += [promql[seen : variable.start], known]
        seen = variable.end
    return "".join([*parts, promql[seen:]])
