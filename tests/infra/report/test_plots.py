"""Charts: what a reader finds in them, and that nothing but the data decides their bytes."""

import subprocess
import sys
from datetime import UTC, datetime, timedelta
from xml.etree import ElementTree

import pytest

from infra.report.plots import OFFLINE, ONLINE, Series, bars, lines, stacked

SVG = "{http://www.w3.org/2000/svg}"
DAY = [datetime(2026, 3, 1, tzinfo=UTC) + timedelta(hours=hour) for hour in range(25)]
SHARES = (
    Series(name="online", values=[20.0] * 25, colour=ONLINE),
    Series(name="offline", values=[*[30.0] * 24, None], colour=OFFLINE),
)


def texts(svg):
    return ["".join(found.itertext()).strip() for found in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def day():
    return stacked("cpu", "CPU in a day", DAY, SHARES, y="% of allocatable")


def test_legend_and_axes_are_text():
    assert {"online", "offline", "% of allocatable", "12:00"} <= set(texts(day()))


def test_the_same_data_is_the_same_bytes_in_another_process():
    program = "from tests.infra.report.test_plots import day; print(day(), end='')"
    again = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert again.stdout == day()


def test_colours_of_text_follow_the_reader():
    assert "currentColor" in day()
    assert "prefers-color-scheme:dark" in day()
    assert "#000000" not in day()


def test_people_who_do_not_see_it_hear_its_title():
    svg = ElementTree.fromstring(stacked("a", "Idle & <free>", DAY, SHARES, y="%"))
    assert (svg.get("role"), svg.get("aria-label")) == ("img", "Idle & <free>")
    assert svg.findtext(f"{SVG}title") == "Idle & <free>"


def test_ids_of_two_charts_in_a_page_are_apart():
    def ids(name):
        svg = ElementTree.fromstring(stacked(name, "A", DAY, SHARES, y="%"))
        return {found.get("id") for found in svg.iter() if found.get("id")}

    assert ids("one")
    assert ids("one") & ids("two") == set()


def test_references_inside_a_chart_lead_somewhere():
    svg = day()
    ids = {found.get("id") for found in ElementTree.fromstring(svg).iter()}
    used = {part.split('"')[0] for part in svg.split('href="#')[1:]}
    used |= {part.split(")")[0] for part in svg.split("url(#")[1:]}
    assert used
    assert used <= ids


def test_nothing_is_fetched():
    names = svg_without_namespaces = day()
    for known in ("http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"):
        svg_without_namespaces = svg_without_namespaces.replace(known, "")
    assert names != svg_without_namespaces
    assert "http" not in svg_without_namespaces


def drawn(svg):
    """The only line that belongs to the data: how often its pen moves, and draws."""
    svg = svg.partition('id="a-legend_1"')[0]
    [path] = [line for line in svg.split("<path")[1:] if f"fill: none; stroke: {ONLINE}" in line]
    return path.count("M "), path.count("L ")


def test_a_line_has_a_gap_where_nothing_is_known():
    known = [Series(name="a", values=[1, 5, 2, 7, 1], colour=ONLINE)]
    gap = [Series(name="a", values=[1, 5, None, 7, 1], colour=ONLINE)]
    assert drawn(lines("a", "A", range(5), known, y="s")) == (1, 4)
    assert drawn(lines("a", "A", range(5), gap, y="s")) == (2, 2)


def test_bars_show_their_values_and_say_where_there_is_none():
    svg = bars("a", "A", ["alone", "ours"], [Series(name="P99", values=[7.46, None])], y="ms")
    assert {"7.46", "no data", "alone", "ours", "ms"} <= set(texts(svg))


def test_bars_with_a_spread_have_whiskers():
    plain = Series(name="P99", values=[7.0])
    spread = Series(name="P99", values=[7.0], spread=[(6.0, 9.0)])
    assert bars("a", "A", ["x"], [plain], y="ms") != bars("a", "A", ["x"], [spread], y="ms")


def test_a_chart_of_nothing_is_a_chart():
    assert texts(lines("a", "A", [], [], y="s"))
    assert texts(lines("a", "A", [1.0], [Series(name="only", values=[2.0])], y="s"))


def test_values_that_do_not_fit_the_times_are_refused():
    with pytest.raises(ValueError, match="'a' does not have 2 values"):
        lines("a", "A", [1, 2], [Series(name="a", values=[1])], y="s")
