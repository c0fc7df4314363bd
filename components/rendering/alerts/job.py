"""Alerts of training jobs, from the state of TFJobs and from what the training says of itself.

Not from the training operator's counters: those begin with the first event, so that an increase misses
it, and they do not count jobs that a deadline or the backoff limit has ended.
"""

from collections.abc import Iterator

from components.rendering.alerts.exprs import indent, made_for_a_run, one_of, pods_of_jobs
from components.rendering.alerts.facts import Facts
from components.rendering.alerts.rule import (
    COUNT,
    DURATION,
    HUMANIZED,
    JOB,
    TRAINING,
    Alert,
    Text,
    label,
)
from infra.models.alerts.routes import Severity
from infra.models.durations import seconds

_JOB = "namespace, tfjob"
_SCHEDULED = f"{label('namespace')}/{label('cronjob')}"


def alerts(facts: Facts) -> Iterator[Alert]:
    """What keeps a job from its end; nothing where the stack has no tenants."""
    if not facts.namespaces:
        return
    yield from _state(facts)
    yield from _training(facts)
    if facts.schedules:
        yield _missed(facts)


def _alert(
    name: str, severity: Severity, expr: str, summary: Text, description: Text, for_: str | None = None
) -> Alert:
    return Alert(
        name=name,
        severity=severity,
        team=TRAINING,
        expr=expr,
        for_=for_,
        summary=summary,
        description=description,
    )


def _state(facts: Facts) -> Iterator[Alert]:
    limits, of = facts.limits, f'namespace=~"{one_of(facts.namespaces)}"'
    started = 'condition=~"Running|Restarting|Succeeded|Failed"'
    waits = f"unless on ({_JOB}) kube_tfjob_status_condition{{{started}, {of}}}\nunless on ({_JOB}) " + _is(
        "Suspended", of
    )
    age = _age(of)
    yield _alert(
        "TFJobFailed",
        "critical",
        _is("Failed", of),
        Text(f"Training job {JOB} has failed", f"训练任务 {JOB} 失败"),
        Text(
            f"TFJob {JOB} has the condition Failed; it does not try again.",
            f"TFJob {JOB} 处于 Failed 状态，不会再重试。",
        ),
    )
    yield _alert(
        "TFJobNotStarted",
        "warning",
        f"{age} > {limits.offline_wait_seconds}\n{waits}",
        Text(f"Training job {JOB} has not started", f"训练任务 {JOB} 未启动"),
        Text(
            f"TFJob {JOB} was created {DURATION} ago, and has never run.",
            f"TFJob {JOB} 创建已 {DURATION}，从未运行。",
        ),
    )
    yield _alert(
        "TFJobHasNoPods",
        "critical",
        f"{age} > {limits.no_pods_seconds}\n{waits}\nunless on ({_JOB}) {pods_of_jobs(f'{of}, ')}",
        Text(f"Training job {JOB} has no pods", f"训练任务 {JOB} 没有 Pod"),
        Text(
            f"TFJob {JOB} was created {DURATION} ago, and no pod of it is there: the operator does not "
            "work, or a quota or an admission rule refuses them.",
            f"TFJob {JOB} 创建已 {DURATION}，但没有任何 Pod：operator 异常，或被配额、准入规则拒绝。",
        ),
        for_="3m",  # a kube-state-metrics that starts may know jobs a scrape before it knows pods
    )
    # Each pod that was made counts 1 beside its restarts. One that was seen once has no increase.
    made = made_for_a_run("1h", f"{of}, ")
    each = f"group by (namespace, pod, uid, tfjob) {made}"
    restarts = (
        f"sum by (namespace, pod, uid) (increase(kube_pod_container_status_restarts_total{{{of}}}[1h]))"
    )
    yield _alert(
        "TFJobRestartLoop",
        "critical",
        f"""sum by ({_JOB}) (
  (1 + {restarts})
  * on (namespace, pod, uid) group_left (tfjob) {each}
  or {each}
)
- count by ({_JOB}) (count by (namespace, tfjob, pod) {made})
>= {limits.job_restarts_per_hour}""",
        Text(f"Training job {JOB} restarts in a loop", f"训练任务 {JOB} 反复重启"),
        Text(
            f"Pods of TFJob {JOB} have restarted or were made again {COUNT} times within an hour.",
            f"TFJob {JOB} 的 Pod 一小时内重启或重建了 {COUNT} 次。",
        ),
    )
    start = f"max by ({_JOB}) (kube_tfjob_status_start_time{{{of}}})"
    yield _alert(
        "TFJobPastDeadline",
        "warning",
        f"""(
  max by ({_JOB}) (kube_tfjob_status_completion_time{{{of}}}) - {start}
  or time() - {start}
)
>= max by ({_JOB}) (kube_tfjob_spec_active_deadline_seconds{{{of}}})
unless on ({_JOB}) {_is("Succeeded", of)}""",
        Text(f"Training job {JOB} is past its deadline", f"训练任务 {JOB} 超过期限"),
        Text(
            f"TFJob {JOB} ran for {DURATION}, all that active_deadline_seconds allows, and was not done.",
            f"TFJob {JOB} 已运行 {DURATION}，达到 active_deadline_seconds 仍未完成。",
        ),
        for_="1m",
    )


def _training(facts: Facts) -> Iterator[Alert]:
    limits, of = facts.limits, f'namespace=~"{one_of(facts.namespaces)}"'
    loss = f"training_loss{{{of}}}"
    yield _alert(
        "TFJobNoProgress",
        "warning",
        _silent("training_last_progress_timestamp_seconds", limits.progress_seconds, of),
        Text(f"Training job {JOB} makes no progress", f"训练任务 {JOB} 没有进展"),
        Text(
            f"TFJob {JOB} is Running, and no pod of it has made a step for {DURATION}.",
            f"TFJob {JOB} 处于 Running，但已 {DURATION} 没有任何训练进展。",
        ),
    )
    yield _alert(
        "CheckpointStale",
        "warning",
        _silent("training_checkpoint_timestamp_seconds", limits.checkpoint_seconds, of),
        Text(f"Training job {JOB} writes no checkpoints", f"训练任务 {JOB} 长时间未写检查点"),
        Text(
            f"TFJob {JOB} is Running, and wrote its last checkpoint {DURATION} ago; a preemption would "
            "lose what it has done since.",
            f"TFJob {JOB} 处于 Running，最近一次检查点在 {DURATION} 前；若被抢占将丢失此后的全部进度。",
        ),
    )
    yield _alert(
        "TrainingLossNaN",
        "critical",
        f"count by ({_JOB}) ({loss} != {loss} or abs({loss}) == Inf)",
        Text(f"The loss of {JOB} is not a number", f"训练任务 {JOB} 的 loss 为 NaN"),
        Text(
            f"{COUNT} pods of TFJob {JOB} report a loss of NaN or infinity; they train for nothing.",
            f"TFJob {JOB} 有 {COUNT} 个 Pod 的 loss 为 NaN 或无穷大，继续训练没有意义。",
        ),
        for_="1m",
    )
    now = f"avg by ({_JOB}) (avg_over_time({loss}[{limits.loss_window}]))"
    then = f"avg by ({_JOB}) (avg_over_time({loss}[{limits.loss_window}] offset {limits.loss_compared_with}))"
    compared_seconds = seconds(limits.loss_window) + seconds(limits.loss_compared_with)
    yield _alert(
        "TrainingLossRising",
        "warning",
        f"{now} / ({then} > 0) > {limits.loss_ratio}\nand on ({_JOB}) {_age(of)} > {compared_seconds}",
        Text(f"The loss of {JOB} rises", f"训练任务 {JOB} 的 loss 上升"),
        Text(
            f"The loss of TFJob {JOB} is {HUMANIZED} times what it was {limits.loss_compared_with} ago.",
            f"TFJob {JOB} 的 loss 是 {limits.loss_compared_with} 前的 {HUMANIZED} 倍。",
        ),
        for_="10m",
    )


def _missed(facts: Facts) -> Alert:
    of = f'namespace=~"{one_of(facts.namespaces)}", cronjob=~"{one_of(facts.schedules)}"'
    late = facts.late_start_seconds + facts.limits.schedule_seconds
    return _alert(
        "ScheduledTrainingMissed",
        "warning",
        f"""time() - max by (namespace, cronjob) (kube_cronjob_next_schedule_time{{{of}}}) > {late}
unless on (namespace, cronjob) kube_cronjob_status_active{{{of}}} > 0""",
        Text(
            f"A run of {_SCHEDULED} was missed",
            f"定时训练 {_SCHEDULED} 未按时启动",
        ),
        Text(
            f"The scheduled training {_SCHEDULED} should have started {DURATION} ago.",
            f"定时训练 {_SCHEDULED} 本应在 {DURATION} 前启动。",
        ),
    )


def _age(of: str) -> str:
    return f"time() - max by ({_JOB}) (kube_tfjob_created{{{of}}})"


def _is(condition: str, of: str) -> str:
    return f'(max by ({_JOB}) (kube_tfjob_status_condition{{condition="{condition}", {of}}}) == 1)'


def _silent(metric: str, seconds: int, of: str) -> str:
    """Seconds since a job that runs, and that has the metric, set it or began: whichever is later.

    The second, so that a training that hangs before its first step is found too.
    """
    began = (
        f"max by (namespace, pod) (kube_pod_start_time{{{of}}}) "
        f"* on (namespace, pod) group_right () {pods_of_jobs(f'{of}, ')}"
    )
    return f"""time() - max by ({_JOB}) (
  {metric}{{{of}}}
  or
{indent(began)}
) > {seconds}
and on ({_JOB}) {metric}{{{of}}}
and on ({_JOB}) {_is("Running", of)}"""
