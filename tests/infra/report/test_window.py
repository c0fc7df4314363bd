"""The time that a report is about."""

from datetime import UTC, datetime, timedelta

import pytest

from infra.report.window import MOST_POINTS, WindowError, back_from, between

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def test_a_length_ends_now():
    window = back_from(NOW, "1d")
    assert (window.start, window.end) == (NOW - timedelta(days=1), NOW)


@pytest.mark.parametrize("length", ["1m", "7m", "1h", "90m", "1d", "36h", "7d", "30d", "1y", "50y"])
def test_any_window_is_looked_at_often_enough_for_a_picture_and_never_too_often(length):
    window = back_from(NOW, length)
    assert 1 <= len(window.moments) <= MOST_POINTS
    assert window.moments[-1] == NOW
    assert window.moments[0] > window.start
    assert window.moments[0] - window.start < 2 * timedelta(seconds=window.step_seconds)


def test_steps_are_of_a_length_that_people_know():
    assert [back_from(NOW, length).step_seconds for length in ("5m", "1d", "30d")] == [15, 300, 10800]


def test_moments_may_be_of_any_time_zone():
    window = between(NOW, "2026-03-01T17:30:00+08:00", "2026-03-01T11:00:00Z")
    assert str(window) == "2026-03-01 09:30 to 2026-03-01 11:00 UTC"


def test_without_an_end_it_is_now():
    assert between(NOW, "2026-03-01T11:00:00Z", None).end == NOW


@pytest.mark.parametrize(
    ("start", "end", "complaint"),
    [
        ("yesterday", None, "'yesterday' is no moment as RFC 3339 writes them; write one such as 2026-"),
        ("2026-03-01T08:00:00", None, "does not say in which time zone"),
        ("2026-03-01T11:00:00Z", "2026-03-01T10:00:00Z", "ends before it begins"),
        ("2026-03-01T11:00:00Z", "2026-03-01T11:00:30Z", "lasts 30 s; write one of 60 s at least"),
        ("2026-03-01T11:00:00Z", "2026-03-02T11:00:00Z", "is yet to come: it is 2026-03-01 12:00 UTC"),
        ("2026-03-02T11:00:00Z", None, "is yet to come: it is 2026-03-01 12:00 UTC"),
        ("0001-01-01T00:00:00+14:00", None, "is no moment"),
    ],
)
def test_a_window_that_is_none_is_refused_with_the_reason(start, end, complaint):
    with pytest.raises(WindowError, match=complaint.replace("(", r"\(")):
        between(NOW, start, end)


@pytest.mark.parametrize("length", ["", "1 day", "-1d", "10s", "99y99y", "1000000000y"])
def test_a_length_that_is_none_is_refused(length):
    with pytest.raises(WindowError, match="; write"):
        back_from(NOW, length)
