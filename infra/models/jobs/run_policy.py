"""How long a job may try, what stays when it ends, and how it is queued."""

from typing import Literal

from infra.models.base import Count, Flag, Model, PositiveInt
from infra.models.names import ObjectName
from infra.models.resources import Amounts


class SchedulingPolicySpec(Model):
    """Gang scheduling: all pods start, or none. Acts only where the operator has a gang scheduler."""

    min_available: PositiveInt | None = None
    """Pods that must fit together. Unset: all of the job."""
    queue: ObjectName | None = None
    """Queue of the gang scheduler; cannot be changed on a job that exists."""
    min_resources: Amounts | None = None
    """What must be free before any pod starts."""
    priority_class: ObjectName | None = None
    """Priority of the group in its queue; the pods' own is the job's `priority`."""
    schedule_timeout_seconds: PositiveInt | None = None
    """How long the group may wait before it gives its place back."""


class RunPolicySpec(Model):
    """How long a job may try, and what stays when it ends."""

    clean_pod_policy: Literal["Running", "All", "None"] = "Running"
    """Pods removed at the end. Running: those still running or pending; logs of others stay."""
    backoff_limit: Count | None = 3
    """Restarts after which the job has failed; null: no limit."""
    active_deadline_seconds: PositiveInt | None = None
    """Longest run; then the job has failed."""
    suspend: Flag = False
    """Declare the job without running it."""
    ttl_seconds_after_finished: Count | None = None
    """The finished job is deleted after this time. The next update then runs it again: see `recreate`."""
    recreate: Flag = False
    """Say with a ttl that the job shall run again at the next update."""
    scheduling_policy: SchedulingPolicySpec | None = None
    """Gang scheduling."""
