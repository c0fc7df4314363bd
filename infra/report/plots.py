"""Charts as SVG texts: the same data gives the same bytes. Needs matplotlib, the extra `charts`.

Text and axes take the colour of the surroundings, by `prefers-color-scheme`, in a page as well as in an image
of its own; the colours of series are legible on light and on dark.
"""

import html
import io
import math
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import matplotlib
from matplotlib.axes import Axes
from matplotlib.dates import date2num
from matplotlib.figure import Figure

ONLINE: Final = "#3b82c4"
OFFLINE: Final = "#e08a1e"
OTHER: Final = "#8a8f98"
"""What is neither, and what is compared with."""
COLOURS: Final = (ONLINE, OFFLINE, "#2a9d76", "#c4589b", "#8a6fd1", "#b5893c")
"""Of series that do not say theirs, in their order."""

_INK = "#010203"  # stands for the colour of text until the SVG is written
_INCHES = (5.2, 3.0)  # small: on a phone it is shrunk to three quarters, and still legible
_STYLE = "svg{color:#1f2328}@media(prefers-color-scheme:dark){svg{color:#e6edf3}}"
Times = Sequence[datetime] | Sequence[float]
"""Moments, or numbers of any unit, such as hours since a beginning; in order."""


@dataclass(frozen=True, kw_only=True)
class Series:
    """One line, area, or bar of each group."""

    name: str
    values: Sequence[float | None]
    """As many as there are times or groups; None where nothing is known, which is a gap."""
    spread: Sequence[tuple[float, float]] = ()
    """The lowest and the highest value of each bar, drawn as its whisker; unset: no whiskers."""
    colour: str | None = None
    dashed: bool = False
    """Of a line: what others are compared with."""


def lines(name: str, title: str, times: Times, series: Sequence[Series], *, y: str, x: str = "") -> str:
    """A line for each series.

    name: a word, unique in a page; ids in the SVG begin with it. title: what people hear who do not see it.
    x, y: what the axes say, with the unit.
    """
    return stacked(name, title, times, (), y=y, x=x, above=series)


def stacked(
    name: str,
    title: str,
    times: Times,
    series: Sequence[Series],
    *,
    y: str,
    x: str = "",
    above: Sequence[Series] = (),
) -> str:
    """Areas upon each other, in which a gap counts 0, and lines `above` them that are not summed."""
    _fit(len(times), (*series, *above))
    with _chart(name, title) as (axes, svg):
        at = [date2num(t) if isinstance(t, datetime) else t for t in times]
        if times and isinstance(times[0], datetime):
            axes.xaxis_date("UTC")
        axes.margins(x=0)
        if series:
            heights = [[value or 0.0 for value in one.values] for one in series]
            colours = [_colour(one, i) for i, one in enumerate(series)]
            axes.stackplot(at, heights, labels=[one.name for one in series], colors=colours, alpha=0.85)
        for i, one in enumerate(above):
            style = "--" if one.dashed else "-"
            points = [math.nan if value is None else value for value in one.values]
            marker = "." if sum(value is not None for value in one.values) == 1 else ""
            axes.plot(
                at,
                points,
                style,
                marker=marker,
                label=one.name,
                color=_colour(one, len(series) + i),
                lw=1.6,
            )
        if len(at) > 1:
            axes.set_xlim(at[0], at[-1])  # also where a line begins late
        axes.set_xlabel(x)
        _finish(axes, y)
    return svg[0]


def bars(name: str, title: str, groups: Sequence[str], series: Sequence[Series], *, y: str) -> str:
    """Bars side by side in each group, with their values; a gap says `no data`."""
    _fit(len(groups), series)
    width = 0.8 / max(len(series), 1)
    with _chart(name, title) as (axes, svg):
        for i, one in enumerate(series):
            at = [group + (i - (len(series) - 1) / 2) * width for group in range(len(groups))]
            heights = [value or 0.0 for value in one.values]
            whiskers = None
            if one.spread:
                pairs = list(zip(heights, one.spread, strict=True))
                whiskers = (
                    [max(h - low, 0.0) for h, (low, _) in pairs],
                    [max(high - h, 0.0) for h, (_, high) in pairs],
                )
            drawn = axes.bar(
                at,
                heights,
                width * 0.92,
                label=one.name,
                color=_colour(one, i),
                yerr=whiskers,
                ecolor=_INK,
                capsize=2,
            )
            texts = ["no data" if value is None else f"{value:.3g}" for value in one.values]
            axes.bar_label(drawn, texts, padding=2, fontsize=7.5)
        axes.set_xticks(range(len(groups)), groups)
        axes.tick_params(axis="x", length=0)
        axes.margins(y=0.12)
        _finish(axes, y)
    return svg[0]


def _fit(points: int, series: Sequence[Series]) -> None:
    for one in series:
        if len(one.values) != points or (one.spread and len(one.spread) != points):
            raise ValueError(f"series {one.name!r} does not have {points} values")


def _colour(one: Series, place: int) -> str:
    return one.colour or COLOURS[place % len(COLOURS)]


@contextmanager
def _chart(name: str, title: str) -> Iterator[tuple[Axes, list[str]]]:
    """Axes to draw on, and a list that holds the SVG afterwards."""
    svg: list[str] = []
    with matplotlib.rc_context():
        matplotlib.rcdefaults()  # what a user's matplotlibrc says would be in the bytes
        matplotlib.rcParams.update(
            {
                "svg.fonttype": "none",
                "svg.hashsalt": name,
                "font.family": "sans-serif",
                "font.sans-serif": ["DejaVu Sans"],
                "font.size": 9,
                "axes.spines.top": False,
                "axes.spines.right": False,
                "axes.axisbelow": True,
                "axes.edgecolor": _INK,
                "axes.labelcolor": _INK,
                "text.color": _INK,
                "xtick.color": _INK,
                "ytick.color": _INK,
                "date.converter": "concise",
            }
        )
        figure = Figure(figsize=_INCHES, layout="constrained")
        yield figure.add_subplot(), svg
        written = io.StringIO()
        figure.savefig(written, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    svg.append(_embeddable(written.getvalue(), name, title))


def _finish(axes: Axes, y: str) -> None:
    axes.set_ylabel(y)
    axes.set_ylim(bottom=0, top=None if axes.dataLim.y1 > 0 else 1)
    axes.grid(axis="y", color=OTHER, alpha=0.3, lw=0.6)
    handles, _ = axes.get_legend_handles_labels()
    if handles:
        axes.legend(
            loc="lower left",
            bbox_to_anchor=(0, 1),
            ncols=min(len(handles), 3),
            frameon=False,
            borderaxespad=0,
            columnspacing=1.2,
            handlelength=1.4,
        )


def _embeddable(svg: str, name: str, title: str) -> str:
    """Without the head of a file, ids made unique, and in the reader's colours."""
    body = svg[svg.index("<svg") :].replace(_INK, "currentColor")
    body = re.sub(r"\s*<metadata>.*?</metadata>", "", body, flags=re.DOTALL)
    body = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{name}-", body)
    head, _, rest = body.partition(">")
    label = html.escape(title)
    return f'{head} role="img" aria-label="{label}">\n <title>{label}</title>\n <style>{_STYLE}</style>{rest}'
