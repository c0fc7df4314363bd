"""How long a TFJob may try, what stays when it ends, and how it is queued."""

from components.rendering.objects import Object, stated
from infra.models.jobs import JobSpec, SchedulingPolicySpec


def run_policy(job: JobSpec, *, queued: bool = False) -> Object:
    """The TFJob's `runPolicy`. A run of a schedule is deleted after the schedule's own time.

    `queued`: `suspend` is Kueue's. Stated here, the next update would let the job start before its time.
    """
    policy = job.run_policy
    ttl = policy.ttl_seconds_after_finished
    if job.schedule is not None:
        ttl = job.schedule.ttl_seconds_after_finished
    gang = policy.scheduling_policy
    rendered = {
        # Always said: the operator's own default leaves parameter servers running for ever.
        "cleanPodPolicy": policy.clean_pod_policy,
        "backoffLimit": policy.backoff_limit,
        "activeDeadlineSeconds": policy.active_deadline_seconds,
        "suspend": None if queued else policy.suspend,
        "ttlSecondsAfterFinished": ttl,
        "schedulingPolicy": None if gang is None else _scheduling_policy(gang),
    }
    return stated(rendered)


def _scheduling_policy(policy: SchedulingPolicySpec) -> Object:
    least = policy.min_resources
    rendered = {
        "minAvailable": policy.min_available,
        "queue": policy.queue,
        "minResources": None if least is None else least.as_kubernetes(),
        "priorityClass": policy.priority_class,
        "scheduleTimeoutSeconds": policy.schedule_timeout_seconds,
    }
    return stated(rendered)
