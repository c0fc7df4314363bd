"""Periodic retraining: a CronJob makes one TFJob a run."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from infra.models.base import Count, Flag, Model, PositiveInt


class ScheduleSpec(Model):
    """When a job runs again, and what stays of its runs. `schedule: "0 2 * * *"` is short for `cron`."""

    cron: str = Field(min_length=1)
    """Minute, hour, day of month, month, day of week: `0 2 * * *` is every night at two."""
    time_zone: str = "Etc/UTC"
    """Name of the IANA database, such as Asia/Shanghai."""
    concurrency_policy: Literal["Allow", "Forbid", "Replace"] = "Forbid"
    """When a run is due and the last one still trains. Forbid: skip. Replace: end the old one."""
    ttl_seconds_after_finished: Count = 1800
    """A finished run and its pods are deleted after this time."""
    successful_runs_history: Count = 3
    """Finished starts of runs that the CronJob keeps, for their logs."""
    failed_runs_history: Count = 1
    """Failed starts of runs that the CronJob keeps, for their logs."""
    starting_deadline_seconds: PositiveInt | None = 600
    """How late a run may start, as after an outage. null: any time, and after 100 missed runs never."""
    suspend: Flag = False
    """Keep the schedule, start nothing."""


def _spelt_out(value: Any) -> Any:
    return {"cron": value} if isinstance(value, str) else value


Schedule = Annotated[ScheduleSpec, BeforeValidator(_spelt_out, json_schema_input_type=str | ScheduleSpec)]
