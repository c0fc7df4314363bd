"""What a dashboard is made of, as plain data; `grafana.py` writes it in Grafana's words."""

from dataclasses import dataclass
from typing import Final, Literal

TAG: Final = "colocation"
"""On every dashboard of this project; each links to the others by it."""
UID_PREFIX: Final = "colocation-"

Unit = Literal["short", "percentunit", "percent", "bytes", "Bps", "s", "celsius", "watt", "reqps"]
"""Grafana's names; `percentunit` is a share of 1, `percent` of 100."""
Kind = Literal["timeseries", "stat", "bars", "table", "states"]
"""states: how a number that stands for a state changes in time."""


@dataclass(frozen=True, kw_only=True)
class Query:
    """One PromQL expression, and what its series are called: `{{label}}` is a label's value."""

    expr: str
    legend: str = ""


@dataclass(frozen=True)
class Threshold:
    """From this value on, in the panel's unit, things have this colour. Below the first they are green."""

    value: float
    colour: Literal["green", "orange", "red"]


@dataclass(frozen=True)
class State:
    """What a number stands for."""

    value: int
    text: str
    colour: str


@dataclass(frozen=True, kw_only=True)
class Link:
    """From a table's column to another dashboard."""

    column: str
    title: str
    url: str


@dataclass(frozen=True, kw_only=True)
class Panel:
    """One picture. 24 units are the width of the screen; a unit of height is some 30 pixels."""

    title: str
    description: str
    queries: tuple[Query, ...]
    unit: Unit
    kind: Kind = "timeseries"
    thresholds: tuple[Threshold, ...] = ()
    states: tuple[State, ...] = ()
    columns: tuple[str, ...] = ()
    """Of a table: the labels that it shows, in this order; the value comes last."""
    value_column: str = "Value"
    """Of a table: what the value is called."""
    links: tuple[Link, ...] = ()
    stacked: bool = False
    maximum: float | None = None
    width: int = 8
    height: int = 8


@dataclass(frozen=True, kw_only=True)
class Text:
    """Markdown, with variables."""

    title: str
    description: str
    markdown: str
    width: int = 24
    height: int = 8


@dataclass(frozen=True, kw_only=True)
class Row:
    """Panels beneath a heading, from left to right and then down."""

    title: str
    panels: tuple[Panel | Text, ...]


@dataclass(frozen=True, kw_only=True)
class Variable:
    """What a reader chooses at the top, from what Prometheus has; any number of values, at first all."""

    name: str
    label: str
    query: str
    """In Grafana's words: `label_values(metric, label)` or `query_result(expression)`."""
    regex: str = ""
    """Takes the value out of a line of `query_result`."""
    several: bool = True
    """false: exactly one value, at first the first."""
    hidden: bool = False


@dataclass(frozen=True, kw_only=True)
class Choice:
    """What a reader chooses at the top, from what the stack has; any number of values, at first all."""

    name: str
    label: str
    values: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Dashboard:
    """One page of Grafana."""

    name: str
    """Part of the names of its object and of its address."""
    title: str
    description: str
    variables: tuple[Variable | Choice, ...]
    rows: tuple[Row, ...]

    @property
    def uid(self) -> str:
        """What links call it by; at most 40 characters."""
        return UID_PREFIX + self.name

    @property
    def panels(self) -> tuple[Panel, ...]:
        """Those that ask something."""
        return tuple(panel for row in self.rows for panel in row.panels if isinstance(panel, Panel))


NAMESPACE: Final = Variable(
    name="namespace", label="Namespace", query="label_values(container_cpu_usage_seconds_total, namespace)"
)


def link_to(name: str, **variables: str) -> str:
    """The address of a dashboard, with the time range kept and variables set."""
    chosen = "".join(f"&var-{key}={value}" for key, value in variables.items())
    return f"/d/{UID_PREFIX}{name}?${{__url_time_range}}{chosen}"
