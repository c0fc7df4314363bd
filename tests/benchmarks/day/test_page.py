"""The page of results: its numbers are the run's."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks.day import page, results
from benchmarks.day.measure import Shares, Waits
from benchmarks.day.results import DayResult, Offline, Results, SizeResult
from benchmarks.day.scheduler_metrics import Pace
from benchmarks.day.workload import Amount


def day(setting, cpu, **change):
    shares = Shares(cpu=cpu, memory=0.5, gpus=0.4)
    offline = Offline(3, 1.5, 6.0, 10, 20, 30.0, 400.0, 0, 2)
    given = DayResult(
        setting=setting,
        title=f"title of {setting}",
        began="2026-01-02T03:04:05+00:00",
        ended="2026-01-02T03:06:05+00:00",
        requested=shares,
        used=shares,
        stalled=shares,
        online_requested=shares,
        waits=Waits(10, 0.1, 0.5, 0.7, 0),
        online_served=0.99,
        online_preempted=0,
        offline=offline,
        pace=Pace(0.001, 100, 0.5),
        observer_lag_seconds=0.1,
        slowest_tick_seconds=0.2,
        cpu_requested_over_day=[0.4, 0.6],
        cpu_online_over_day=[0.2, 0.3],
    )
    return replace(given, **change)


def test_what_the_report_says_of_a_day_stands_below_what_was_seen(run):
    [size] = run.sizes
    asked = replace(size.days[1], online_requested=Shares(0.25, 0, 0), reported_offline_cpu=0.37)
    text = page.page(replace(run, sizes=[replace(size, days=[size.days[0], asked])]))
    assert "| CPU requested by jobs | 0 % | 36 % |\n| the same, by `colo report` |  | 37 % |" in text


@pytest.fixture
def run():
    days = [day("a", 0.2), day("d", 0.61)]
    size = SizeResult(9, Amount(320, 1280, 16), 24, 5, 4, 20, days)
    return Results("trace", 7, "2 cores", {"training-operator": "v1"}, [size])


def test_results_are_read_as_they_were_written(run, tmp_path):
    results.write(tmp_path / "r.json", run)
    assert results.read(tmp_path / "r.json") == run


def test_a_size_that_is_played_anew_leaves_the_others_in_the_record(run, tmp_path):
    file, [nine] = tmp_path / "r.json", run.sizes
    assert results.joined(file, run) == run
    results.write(file, replace(run, sizes=[nine, replace(nine, nodes=50)]))
    anew = replace(nine, jobs=21)
    assert results.joined(file, replace(run, sizes=[anew])).sizes == [anew, replace(nine, nodes=50)]
    another = replace(run, seed=8)
    assert results.joined(file, another) == another


def test_each_setting_has_a_column_and_is_compared_with_the_first(run):
    text = page.page(run)
    assert "| | a. title of a | d. title of d |" in text
    assert "| CPU requested | 20 % | 61 % |" in text
    assert "by request 3.0 times the CPU (a full cluster would be 5.0 times)" in text
    assert "{" not in text


def test_the_page_shows_the_pictures_that_are_written(run):
    pytest.importorskip("matplotlib")
    pictures = page.pictures(run)
    text = page.page(run)
    assert pictures
    assert all(f"({page.PICTURES}/{name})" in text for name in pictures)


def test_the_same_results_give_the_same_bytes(run):
    pytest.importorskip("matplotlib")
    assert page.pictures(run) == page.pictures(run)
