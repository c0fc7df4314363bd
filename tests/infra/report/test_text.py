"""How figures are written."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from infra.report.figures import Demand, Harm, Jobs, Missing, Report, Use
from infra.report.text import WIDTH, written
from infra.report.words import duration, hours, number

END = datetime(2026, 3, 1, 12, tzinfo=UTC)


def use(resource="cpu", basis="used", *, nodes=9.0, allocatable=100.0, online=20.0, offline=40.0, system=0.0):
    amounts = {"online": online, "offline": offline, "system": system}
    return Use(resource=resource, basis=basis, nodes=nodes, allocatable=allocatable, amounts=amounts)


def report(*uses, missing=(), jobs=None, demands=(), harms=()):
    return Report(
        stack="prod",
        start=END - timedelta(days=1),
        end=END,
        step_seconds=300,
        covered_percent=100,
        first=END,
        uses=uses,
        demands=demands,
        harms=harms or tuple(harm(of) for of in ("online", "offline")),
        victims=0,
        jobs=jobs,
        missing=missing,
        moments=(),
        courses={},
    )


def harm(of, value=0.0):
    return Harm(of=of, throttled_percent=value, preempted_pods=value, evicted_pods=value)


def test_machines_saved_are_those_that_offline_work_would_fill_as_these_are_filled():
    """9 nodes, 20 % without offline work and 60 % with it: 9 * 40 / 60."""
    found = use()
    assert (found.r1_percent, found.r2_percent) == (20, 60)
    assert found.machines_saved == pytest.approx(6)


def test_where_nothing_was_shared_nothing_is_saved():
    assert use(online=0.0).machines_saved is None
    assert use(online=0.0, offline=0.0).machines_saved is None
    assert use("gpu").machines_saved is None
    assert use(offline=0.0).machines_saved == 0


def test_system_pods_are_no_gain_of_colocation():
    assert use(online=10.0, system=10.0).r1_percent == 20


def test_lines_fit_on_80_columns_whatever_the_figures_are():
    much = 12_345_678.0
    amounts = {"online": much, "offline": much, "system": much}
    uses = [
        replace(use(resource, basis), allocatable=3 * much * scale, nodes=99_999.9)
        for resource, scale in (("cpu", 1), ("memory", 2**30), ("gpu", 1))
        for basis in ("requested", "used")
    ]
    uses = [replace(one, amounts=amounts) for one in uses]
    demands = [
        Demand(resource=resource, of="offline", requested=much * scale, used=much * scale / 3)
        for resource, scale in (("cpu", 1), ("memory", 2**30), ("gpu", 1))
    ]
    jobs = Jobs(
        started=10**6,
        succeeded=10**6,
        failed=10**6,
        running=10**6,
        deleted=10**6,
        finished_job_hours=much,
        lost_job_hours=much,
        running_job_hours=much,
    )
    found = report(*uses, demands=demands, jobs=jobs, harms=(harm("online", much), harm("offline", much)))
    lines = written(found, "text").splitlines()
    assert max(map(len, lines)) <= WIDTH, max(lines, key=len)


def test_what_is_missing_stands_in_its_line_with_the_remedy_and_fits():
    missing = Missing("cpu used", "no container metrics " * 9, "see docs/tasks/monitoring.md")
    lines = written(report(use(basis="requested"), missing=(missing,)), "text").splitlines()
    [line] = [line for line in lines if line.startswith("  used ")]
    assert "no data: no container metrics" in line
    assert "docs/tasks/monitoring.md" in " ".join(lines)
    assert max(map(len, lines)) <= WIDTH


def test_a_window_that_is_not_covered_is_said_first():
    found = replace(report(use()), covered_percent=40.0)
    assert written(found, "text").splitlines()[2].startswith("warning: Prometheus has samples of 40 % of")


def test_use_that_is_measured_on_some_nodes_says_on_how_many():
    found = report(use(basis="requested"), use(basis="used", nodes=1.0))
    assert "1 of 9" in written(found, "text")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (0.004, "<0.01"),
        (0.126, "0.13"),
        (1, "1"),
        (1.5, "1.5"),
        (12.34, "12.3"),
        (100, "100"),
        (1234.5, "1,234"),
    ],
)
def test_numbers_have_as_many_digits_as_anyone_measures(value, text):
    assert number(value) == text


def test_short_times_are_in_minutes():
    assert (hours(0.25), hours(2.5), hours(0)) == ("15 min", "2.5 h", "0 h")
    assert [duration(s) for s in (15, 90, 300, 7200, 86400)] == ["15s", "90s", "5m", "2h", "1d"]
