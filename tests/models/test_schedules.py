"""When a scheduled job may be said to run."""

from datetime import UTC, datetime, timedelta

import pytest
from pydantic import ValidationError

from infra.models.jobs.cron import last_due


@pytest.fixture
def schedule(job):
    """The schedule of a job, from its cron text or its fields."""
    return lambda **fields: job(schedule={"cron": "0 2 * * *"} | fields).schedule


def test_a_cron_text_alone_is_a_whole_schedule(job):
    nightly = job(schedule="0 2 * * *").schedule
    assert (nightly.cron, nightly.time_zone) == ("0 2 * * *", "Etc/UTC")
    assert (nightly.concurrency_policy, nightly.ttl_seconds_after_finished) == ("Forbid", 1800)
    assert (nightly.successful_runs_history, nightly.failed_runs_history) == (3, 1)


@pytest.mark.parametrize(
    "cron",
    [
        "* * * * *",
        "*/5 0-23/2 1,15 jan-jun MON-FRI",
        "0 0 ? * sun",
        "5/15 * * * *",
        "0 0 29 2 *",
        "0 0 31 2 1",  # on Mondays too: either kind of day is enough
        "@hourly",
        "@midnight",
    ],
)
def test_what_kubernetes_reads_is_taken(schedule, cron):
    assert schedule(cron=cron).cron == cron


def test_blanks_around_and_between_the_fields_say_nothing(schedule):
    assert schedule(cron=" 0  2 * *  * ").cron == "0 2 * * *"


@pytest.mark.parametrize(
    ("cron", "complaint"),
    [
        ("", "has 0 fields; write five: minute, hour, day of month, month, day of week"),
        ("0 2 * *", "has 4 fields; write five"),
        ("0 0 2 * * *", "has 6 fields; write five"),
        ("60 2 * * *", "'60' is not a minute; write 0 to 59"),
        ("0 24 * * *", "'24' is not a hour; write 0 to 23"),
        ("0 2 0 * *", "'0' is not a day of month; write 1 to 31"),
        ("0 2 * 13 *", "'13' is not a month; write 1 to 12, or jan to dec"),
        ("0 2 * * 7", "'7' is not a day of week; write 0 for Sunday"),
        ("0 2 * * monday", "'monday' is not a day of week; write 0 to 6, or sun to sat"),
        ("0 2 * * fri-mon", "'fri-mon' of the day of week ends before it begins"),
        ("*/0 * * * *", "'\\*/0' of the minute has no step; write one of 1 or more"),
        ("*/ * * * *", "has no step"),
        ("1,,2 * * * *", "'' is not a minute"),
        ("*-5 * * * *", "'\\*-5' is not a minute"),
        ("-1 * * * *", "'-1' is not a minute"),
        ("٣ * * * *", "is not a minute"),
        ("0 0 31 2,4 *", "names a day that none of its months has"),
        ("TZ=Asia/Shanghai 0 2 * * *", "takes no time zone in the cron text; write time_zone: Asia/Shanghai"),
        ("CRON_TZ=UTC 0 2 * * *", "write time_zone: UTC"),
        ("@dayly", "'@dayly' is not known; write @daily"),
        ("@every 5m", "a CronJob has not; write fields"),
    ],
)
def test_what_kubernetes_does_not_read_is_refused_with_the_reason(schedule, cron, complaint):
    with pytest.raises(ValidationError, match=complaint):
        schedule(cron=cron)


def test_a_time_zone_is_one_of_the_iana_database(schedule):
    assert schedule(time_zone="Asia/Shanghai").time_zone == "Asia/Shanghai"
    with pytest.raises(ValidationError, match="not a time zone of the IANA database; write Asia/Shanghai"):
        schedule(time_zone="Asia/Shangai")
    with pytest.raises(ValidationError, match="write one such as Etc/UTC"):
        schedule(time_zone="localtime")


def test_a_machine_without_time_zones_leaves_them_to_kubernetes(schedule, monkeypatch):
    monkeypatch.setattr("infra.models.jobs.cron._time_zones", frozenset)
    assert schedule(time_zone="Mars/Olympus").time_zone == "Mars/Olympus"


@pytest.mark.parametrize(
    "field",
    [
        {"ttl_seconds_after_finished": 10},  # gone before it is seen how the run ended
        {"starting_deadline_seconds": 5},  # the controller looks less often
        {"concurrency_policy": "forbid"},
        {"successful_runs_history": -1},
    ],
)
def test_what_cannot_be_meant_is_refused(schedule, field):
    with pytest.raises(ValidationError):
        schedule(**field)


@pytest.mark.parametrize("step", ["٣", "0", "9" * 20, "-1", ""])
def test_a_step_that_the_controller_cannot_read_is_refused(schedule, step):
    with pytest.raises(ValidationError, match="has no step"):
        schedule(cron=f"*/{step} * * * *")


def test_a_town_that_is_no_time_zone_is_not_taken_for_another(schedule):
    with pytest.raises(ValidationError, match="write one such as Etc/UTC or Asia/Shanghai"):
        schedule(time_zone="Asia/Beijing")


@pytest.mark.parametrize(
    ("cron", "due"),
    [
        ("* * * * *", "2026-03-04T10:07"),
        ("0 * * * *", "2026-03-04T10:00"),
        ("@hourly", "2026-03-04T10:00"),
        ("0 2 * * *", "2026-03-04T02:00"),
        ("*/15 9 * * *", "2026-03-04T09:45"),
        ("0 0 * * mon", "2026-03-02T00:00"),
        ("0 0 1 * 2", "2026-03-03T00:00"),  # the first, or a Tuesday
        ("0 0 */9 * 2", "2026-03-03T00:00"),  # a star with a step names days, so: either
        ("0 0 */1 * 2", "2026-03-03T00:00"),
        ("0 0 5,* * 2", "2026-03-03T00:00"),
        ("30 12 28 2 *", "2026-02-28T12:30"),
        ("0 0 1 1 *", None),  # longer ago than a week
    ],
)
def test_when_a_run_was_last_due_is_read_as_the_controller_reads_it(cron, due):
    now = datetime(2026, 3, 4, 10, 7, 30, tzinfo=UTC)  # a Wednesday
    found = last_due(cron, "Etc/UTC", now - timedelta(days=30), now)
    assert found == (datetime.fromisoformat(f"{due}+00:00") if due else None)


def test_a_run_is_due_by_the_clock_of_its_time_zone():
    now = datetime(2026, 3, 4, 10, tzinfo=UTC)
    found = last_due("0 2 * * *", "Asia/Shanghai", now - timedelta(days=2), now)
    assert found == datetime(2026, 3, 3, 18, tzinfo=UTC)
    assert last_due("0 2 * * *", "Asia/Shanghai", now - timedelta(hours=3), now) is None
    assert last_due("* * * * *", "No/Where", now - timedelta(hours=3), now) is None
