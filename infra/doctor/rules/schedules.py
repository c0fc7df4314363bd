"""Scheduled jobs: why no run begins. What ails a run that has begun is told of its TFJob."""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from infra.cluster.events import Event
from infra.cluster.objects import Object, moment
from infra.cluster.pods import Pod
from infra.doctor.case import MOMENTS_SECONDS, Case
from infra.doctor.chain import Diagnosis, Evidence
from infra.doctor.rules.faults import PodFault, evidence
from infra.doctor.rules.pods import ailment
from infra.doctor.spelling import clock_time
from infra.models import JobSpec
from infra.models.jobs import ScheduleSpec
from infra.models.jobs.cron import last_due

_LATE = timedelta(seconds=120)
"""The controller looks every ten seconds."""
_ASKS_AGAIN = "asks again: "
_RIGHTS = re.compile(r'User "?\\?"?system:serviceaccount:(?P<account>[^"\\ ]+)\\?"? cannot (?P<what>[^:]*)')
_ITS_OWN = ("start-without-rights", "run-waits", "run-refused")
_MISSED = ("MissSchedule", "TooManyMissedTimes", "UnparseableSchedule", "UnknownTimeZone", "InvalidSchedule")


def check(case: Case) -> Iterator[Diagnosis]:
    """The first thing that keeps each schedule from its runs. Those that are not there are told elsewhere."""
    for spec in case.stack.jobs:
        cron_job = case.state.find("cronjobs", spec.tenant, spec.name)
        if spec.schedule is None or cron_job is None:
            continue
        found = (
            _suspended(case, spec, spec.schedule, cron_job)
            or _start(case, spec)
            or _refused(case, spec)
            or _missed(case, spec, spec.schedule, cron_job)
        )
        if found is not None:
            yield found


def starter(case: Case, spec: JobSpec) -> Pod | None:
    """The pod that starts, or started, the newest run."""
    found = [p for p in case.state.pods or () if (p.namespace, p.starts) == (spec.tenant, spec.name)]
    return min(found, key=lambda pod: case.state.seconds_since(pod.created), default=None)


def untold(case: Case) -> Iterator[Pod]:
    """Of these pods, those whose log alone says why there is no TFJob."""
    for spec in case.stack.jobs if case.state.jobs is not None else ():
        pod = starter(case, spec) if spec.schedule else None
        if pod is not None and _only_its_log_tells(case, pod):
            yield pod


def _only_its_log_tells(case: Case, pod: Pod) -> bool:
    if pod.leaving or case.state.job(pod.namespace, pod.run) is not None:
        return False
    young = case.state.seconds_since(pod.created) < MOMENTS_SECONDS
    return any((c.ended is not None and c.ended.code) or (c.running and not young) for c in pod.containers)


def _suspended(case: Case, spec: JobSpec, schedule: ScheduleSpec, cron_job: Object) -> Diagnosis | None:
    if schedule.suspend or not (cron_job.get("spec") or {}).get("suspend"):
        return None
    return Diagnosis(
        severity="warning",
        code="schedule-suspended",
        object=_title(spec),
        breaks_at="current",
        cause="the CronJob is suspended, and the stack does not say so: no run begins",
        fix=f"{case.update}; or write suspend: true in {case.place(spec)}.schedule",
        evidence=(_asked(case, schedule), Evidence("current", "spec.suspend is true")),
        affects=(spec.name,),
    )


def _start(case: Case, spec: JobSpec) -> Diagnosis | None:
    """What ails the pod that starts the newest run, or what that pod says of it."""
    pod = starter(case, spec)
    if pod is None or pod.leaving or spec.schedule is None or case.state.jobs is None:
        return None
    fault = _said(case, pod)
    if fault is None and case.state.job(pod.namespace, pod.run) is None:
        fault = ailment(case, pod)
    if fault is None:
        return None
    return Diagnosis(
        severity=fault.severity,
        code=fault.code,
        object=_title(spec),
        breaks_at=fault.breaks_at,
        cause=fault.cause if fault.code in _ITS_OWN else f"the pod that starts its run: {fault.cause}",
        fix=fault.fix,
        evidence=(_asked(case, spec.schedule), *fault.evidence),
        affects=(spec.name,),
    )


def _said(case: Case, pod: Pod) -> PodFault | None:
    """What its log says of why there is no TFJob."""
    if not _only_its_log_tells(case, pod):
        return None
    lines = [line for c in pod.containers for line in case.log(pod.namespace, pod.name, c.name).lines]
    line = lines[-1] if lines else ""
    if found := _RIGHTS.search(line):
        code = "start-without-rights"
        what = " ".join(found["what"].split()).replace('"', "")
        cause = f"the account {found['account']}, which starts its runs, may not {what}"
        fix = f"{case.update}: the Role and RoleBinding {pod.starts}-start give the right"
    elif line.startswith(_ASKS_AGAIN):
        code = "run-waits"
        cause = f"its run cannot be made yet: {line.removeprefix(_ASKS_AGAIN)}"
        fix = f"mend what it names; the pod goes on asking: kubectl logs -n {pod.namespace} {pod.name}"
    elif line.startswith(f"{pod.run}: ") and pod.phase == "Failed":
        code = "run-refused"
        cause = f"its last run came to nothing: {line.removeprefix(f'{pod.run}: ')}"
        fix = f"mend what it names; the next run tries anew. {_now(pod.namespace, str(pod.starts))}"
    else:
        return None
    seen = f"{pod.name} is {pod.phase}, and there is no TFJob {pod.run}"
    return PodFault(code=code, breaks_at="logs", cause=cause, fix=fix, evidence=evidence(seen, logs=(line,)))


def _now(namespace: str, name: str) -> str:
    return f"To start one now: kubectl create job -n {namespace} --from=cronjob/{name} {name}-again"


def _refused(case: Case, spec: JobSpec) -> Diagnosis | None:
    """The newest run has no pod, or no Job: somebody refuses them."""
    refusals = [e for e in _events(case, spec) if e.reason == "FailedCreate"]
    pod, last = starter(case, spec), refusals[-1] if refusals else None
    if last is None or spec.schedule is None or (pod and pod.created and last.at and pod.created > last.at):
        return None
    return Diagnosis(
        code="start-refused",
        object=_title(spec),
        breaks_at="events",
        cause="the pod that starts its run is refused",
        fix=f"mend what the event names: quota, Pod Security or a webhook of {spec.tenant}",
        evidence=(_asked(case, spec.schedule), Evidence("events", str(last))),
        affects=(spec.name,),
    )


def _missed(case: Case, spec: JobSpec, schedule: ScheduleSpec, cron_job: Object) -> Diagnosis | None:
    """A run was due since the last one, and nothing was started; unless a run that lasts is the reason."""
    there = cron_job.get("spec") or {}
    asked = there.get("schedule", schedule.cron), there.get("timeZone", schedule.time_zone)
    if schedule.suspend or asked != (schedule.cron, schedule.time_zone):  # an update is yet to come
        return None
    status = cron_job.get("status") or {}
    since = max(filter(None, (_changed(cron_job), moment(status.get("lastScheduleTime")))), default=None)
    if since is None or (status.get("active") and schedule.concurrency_policy != "Allow"):
        return None
    due = last_due(schedule.cron, schedule.time_zone, since, case.state.now - _LATE)
    if due is None:
        return None
    told = [event for event in _events(case, spec) if event.reason in _MISSED]
    last = moment(status.get("lastScheduleTime"))
    return Diagnosis(
        severity="warning",
        code="schedule-missed",
        object=_title(spec),
        breaks_at="events" if told else "current",
        cause=f"a run was due at {clock_time(due)}, and none was started",
        fix="see that kube-controller-manager runs and its clock is right; a run that is later than "
        f"starting_deadline_seconds is left out. {_now(spec.tenant, spec.name)}",
        evidence=(
            _asked(case, schedule),
            Evidence("current", f"last started at {clock_time(last)}" if last else "never started"),
            *(Evidence("events", str(event)) for event in told[-1:]),
        ),
        affects=(spec.name,),
    )


def _changed(cron_job: Object) -> datetime | None:
    """When its schedule was last written; the controller writes its status only."""
    metadata = cron_job["metadata"]
    written = [e.get("time") for e in metadata.get("managedFields") or () if not e.get("subresource")]
    times = [found for text in (*written, metadata.get("creationTimestamp")) if (found := moment(text))]
    return max(times, default=None)


def _events(case: Case, spec: JobSpec) -> Sequence[Event]:
    """About the CronJob, or a Job of it; the newest last."""
    found = [event for event in case.state.events or () if _is_of(event, spec)]
    return sorted(found, key=lambda event: event.at or case.state.now)


def _is_of(event: Event, spec: JobSpec) -> bool:
    kind, namespace, name = event.about
    whose = {"CronJob": name, "Job": name.rpartition("-")[0]}.get(kind)
    return (namespace, whose) == (spec.tenant, spec.name)


def _title(spec: JobSpec) -> str:
    return f"CronJob {spec.tenant}/{spec.name}"


def _asked(case: Case, schedule: ScheduleSpec) -> Evidence:
    return Evidence("target", f"{schedule.cron} in {schedule.time_zone} (stack {case.name})")
