"""Training jobs: how each goes on, what it uses, and what to type to see more."""

from components.rendering.dashboards.parts import (
    NAMESPACE,
    Dashboard,
    Link,
    Panel,
    Query,
    Row,
    State,
    Text,
    Threshold,
    Unit,
    Variable,
    link_to,
)
from components.rendering.dashboards.promql import (
    CHOSEN,
    cpu,
    memory,
    of_any_job,
    of_jobs,
    of_pods_of_jobs,
    requests,
    throttling,
)

_JOBS = f'{CHOSEN}, tfjob=~"$tfjob"'
_TRAINING = f'job="training-pods", {_JOBS}'
_JOB = "{{namespace}}/{{tfjob}}"
_POD = "{{namespace}}/{{pod}}"
_STATES = (
    State(1, "Created", "blue"),
    State(2, "Running", "green"),
    State(3, "Restarting", "orange"),
    State(4, "Suspended", "yellow"),
    State(5, "Succeeded", "dark-green"),
    State(6, "Failed", "red"),
)
# The order of the article's own search: target state, current state, events, logs.
_COMMANDS = """\
| what | command |
| --- | --- |
| state | `kubectl get tfjob -n $namespace` |
| why no pods | `kubectl describe tfjob -n $namespace $tfjob` |
| pods | `kubectl get pods -n $namespace -o wide -l 'training.kubeflow.org/job-name in (${tfjob:csv})'` |
| events | `kubectl events -n $namespace` |
| logs | `kubectl logs -n $namespace -f --prefix --tail=100 \
-l 'training.kubeflow.org/job-name in (${tfjob:csv})'` |
| operator | `kubectl logs -n kubeflow deployment/training-operator` |

Choose one namespace, and one job or several, at the top.
"""


def training_jobs(operator_namespace: str) -> Dashboard:
    """With the namespace in which the training operator runs."""
    return Dashboard(
        name="training-jobs",
        title="Colocation / Training jobs",
        description="State, progress, loss, accuracy, resources and restarts of TFJobs.",
        variables=(
            NAMESPACE,
            Variable(name="tfjob", label="Job", query=f"label_values(kube_tfjob_created{{{CHOSEN}}}, tfjob)"),
        ),
        rows=(_state(), _progress(), _resources(), _trouble(operator_namespace)),
    )


def _state() -> Row:
    conditions = f"kube_tfjob_status_condition{{{_JOBS}"
    numbered = " or ".join(f'{conditions}, condition="{s.text}"}} * {s.value}' for s in _STATES)
    return Row(
        title="State",
        panels=(
            Panel(
                title="State in time",
                description="The last condition of each job, as `kubectl get tfjob` prints it.",
                kind="states",
                unit="short",
                states=_STATES,
                queries=(Query(expr=f"max by (namespace, tfjob) ({numbered})", legend=_JOB),),
                width=10,
            ),
            Panel(
                title="Conditions and commands",
                description="Conditions that hold, with the operator's reason, and how to read the job's "
                "logs. A click on a job shows that job alone.",
                kind="table",
                unit="short",
                columns=("namespace", "tfjob", "condition", "reason", "logs"),
                links=(
                    Link(
                        column="tfjob",
                        title="Show this job alone",
                        url=link_to(
                            "training-jobs",
                            namespace="${__data.fields.namespace}",
                            tfjob="${__value.text}",
                        ),
                    ),
                ),
                queries=(Query(expr=_with_command(f'{conditions}, condition!="Created"}} == 1')),),
                width=14,
            ),
        ),
    )


def _with_command(jobs: str) -> str:
    """Jobs with one more label, the command that shows their logs."""
    command = "kubectl logs -n $1 -l training.kubeflow.org/job-name=$2"
    both = f'label_join({jobs}, "logs", "/", "namespace", "tfjob")'
    return f'label_replace({both}, "logs", "{command}", "logs", "(.+)/(.+)")'


def _progress() -> Row:
    return Row(
        title="Progress",
        panels=(
            _trained("Loss", "short", "training_loss", "Should fall; NaN, which has no point, is a fault."),
            _trained("Accuracy", "percentunit", "training_accuracy", "On what the script measures it."),
            _trained("Epoch", "short", "training_epoch", "Stands still between ends of epochs."),
            _trained("Steps", "short", "training_step", "Batches since the training began."),
            _trained("Examples a second", "reqps", "training_examples_per_second", "Of each process."),
            Panel(
                title="Time since the last step",
                description="A job that runs and shows ever more here has come to a halt.",
                unit="s",
                thresholds=(Threshold(300, "orange"), Threshold(900, "red")),
                queries=(
                    Query(
                        expr="time() - max by (namespace, tfjob) "
                        f"(training_last_progress_timestamp_seconds{{{_TRAINING}}})",
                        legend=_JOB,
                    ),
                ),
            ),
            Panel(
                title="Time since the last checkpoint",
                description="What a preemption now would cost.",
                unit="s",
                thresholds=(Threshold(1800, "orange"), Threshold(3600, "red")),
                queries=(
                    Query(
                        expr="time() - max by (namespace, tfjob) "
                        f"(training_checkpoint_timestamp_seconds{{{_TRAINING}}})",
                        legend=_JOB,
                    ),
                ),
            ),
        ),
    )


def _trained(title: str, unit: Unit, metric: str, description: str) -> Panel:
    """What the processes of a job say of their training."""
    return Panel(
        title=title,
        description=description,
        unit=unit,
        queries=(
            Query(
                expr=f"max by (namespace, tfjob, replica_type, replica_index) ({metric}{{{_TRAINING}}})",
                legend=f"{_JOB} {{{{replica_type}}}} {{{{replica_index}}}}",
            ),
        ),
    )


def _resources() -> Row:
    gpu = "DCGM_FI_DEV_GPU_UTIL"
    throttled, periods = map(of_pods_of_jobs, throttling(CHOSEN, "[5m]"))
    return Row(
        title="Resources",
        panels=(
            Panel(
                title="CPU used",
                description="Cores of each pod.",
                unit="short",
                queries=(Query(expr=of_pods_of_jobs(cpu(CHOSEN)), legend=_POD),),
            ),
            Panel(
                title="Memory used",
                description="Bytes of each pod that the kernel cannot take back; at the limit it is killed.",
                unit="bytes",
                queries=(Query(expr=of_pods_of_jobs(memory(CHOSEN)), legend=_POD),),
            ),
            Panel(
                title="CPU and memory used of what is requested",
                description="Far below 1: the job holds what others could use.",
                unit="percentunit",
                queries=(
                    Query(
                        expr=f"{of_jobs(cpu(CHOSEN))} / {of_jobs(requests('cpu', CHOSEN))}",
                        legend=f"{_JOB} CPU",
                    ),
                    Query(
                        expr=f"{of_jobs(memory(CHOSEN))} / {of_jobs(requests('memory', CHOSEN))}",
                        legend=f"{_JOB} memory",
                    ),
                ),
            ),
            Panel(
                title="CPU throttled",
                description="Share of periods in which a pod reached its CPU limit and had to wait.",
                unit="percentunit",
                maximum=1,
                thresholds=(Threshold(0.5, "orange"),),
                queries=(Query(expr=f"{throttled} / {periods}", legend=_POD),),
            ),
            Panel(
                title="GPU use",
                description="Share of time in which anything ran on the GPUs of each pod.",
                unit="percent",
                maximum=100,
                queries=(
                    Query(expr=f"{of_pods_of_jobs(gpu)} / {of_pods_of_jobs(f'{gpu} * 0 + 1')}", legend=_POD),
                ),
            ),
            Panel(
                title="GPU memory used",
                description="Bytes on the GPUs of each pod.",
                unit="bytes",
                queries=(Query(expr=of_pods_of_jobs("DCGM_FI_DEV_FB_USED * 1024 * 1024"), legend=_POD),),
            ),
        ),
    )


def _trouble(operator_namespace: str) -> Row:
    restarts = f"increase(kube_pod_container_status_restarts_total{{{CHOSEN}}}[1h])"
    waiting = f"kube_pod_container_status_waiting_reason{{{CHOSEN}}}"
    ended = f'kube_pod_container_status_last_terminated_reason{{{CHOSEN}, reason!="Completed"}}'
    return Row(
        title="Restarts and events",
        panels=(
            Panel(
                title="Restarts of containers in an hour",
                description="In place, by the kubelet; a pod that is made anew begins at 0.",
                unit="short",
                thresholds=(Threshold(3, "orange"), Threshold(10, "red")),
                queries=(Query(expr=of_pods_of_jobs(restarts), legend=_POD),),
            ),
            Panel(
                title="Why containers wait or have died",
                description="Such as ImagePullBackOff, CrashLoopBackOff, OOMKilled, Error.",
                kind="table",
                unit="short",
                columns=("namespace", "tfjob", "pod", "container", "reason"),
                queries=(Query(expr=of_any_job(f"({waiting} or {ended}) == 1")),),
            ),
            Panel(
                title="Jobs that ended in an hour",
                description="As the operator counts them. It does not count failures by a deadline or by "
                "too many restarts, and its counters begin anew when it restarts.",
                unit="short",
                queries=tuple(
                    Query(
                        expr="sum by (job_namespace) (increase("
                        f'training_operator_jobs_{what}_total{{job="training-operator", '
                        'job_namespace=~"$namespace"}[1h]))',
                        legend=f"{{{{job_namespace}}}} {what}",
                    )
                    for what in ("successful", "failed", "restarted")
                ),
            ),
            Text(
                title="What to type",
                description="Prometheus keeps no events and no logs; the cluster does, for a while.",
                markdown=_COMMANDS.replace("-n kubeflow", f"-n {operator_namespace}"),
            ),
        ),
    )
