"""Periodic retraining: a CronJob makes one TFJob a run."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from infra.models.base import Count, Flag, Model
from infra.models.jobs.cron import Cron, TimeZone

# The controller looks every ten seconds; a shorter deadline may never be met.
StartingDeadline = Annotated[int, Field(strict=True, ge=10, le=2**31 - 1)]
# What started the run looks at it every five seconds, and has to see how it ended.
RunTtl = Annotated[int, Field(strict=True, ge=30, le=2**31 - 1)]


class ScheduleSpec(Model):
    """When a job runs again, and what stays of its runs. `schedule: "0 2 * * *"` is short for `cron`.

    Each run is a TFJob named after the job and the minute that it was due. A CronJob starts it through
    a Job that ends when the TFJob has ended, and that owns it: what deletes the one deletes the other.
    """

    cron: Cron
    """Minute, hour, day of month, month, day of week: `0 2 * * *` is every night at two."""
    time_zone: TimeZone = "Etc/UTC"
    """Name of the IANA database, such as Asia/Shanghai."""
    concurrency_policy: Literal["Allow", "Forbid", "Replace"] = "Forbid"
    """When a run is due and the last one still trains. Forbid: skip, or start late if the last one ends
    within `starting_deadline_seconds`. Replace: end the old one. Allow: train side by side."""
    ttl_seconds_after_finished: RunTtl = 1800
    """A finished run, its pods and their logs are deleted after this time, or when the history drops it."""
    successful_runs_history: Count = 3
    """Succeeded runs that may stay, the newest first. 0: each goes as soon as it has ended."""
    failed_runs_history: Count = 1
    """Failed runs that may stay, the newest first. 0: each goes as soon as it has ended."""
    starting_deadline_seconds: StartingDeadline | None = 600
    """How late a run may start, as after an outage. null: any time, and after 100 missed runs never."""
    suspend: Flag = False
    """Keep the schedule, start nothing; a run that trains goes on."""


def _spelt_out(value: Any) -> Any:
    return {"cron": value} if isinstance(value, str) else value


Schedule = Annotated[ScheduleSpec, BeforeValidator(_spelt_out, json_schema_input_type=str | ScheduleSpec)]
