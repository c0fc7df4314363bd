"""What the alerts of this project say of nodes, services and jobs: their rules are not written again here."""

from collections.abc import Collection, Iterable, Iterator

from components.rendering.alerts import alert_names
from infra.cluster.pods import Pod
from infra.cluster.watching import Alert
from infra.doctor.case import Case
from infra.doctor.chain import Diagnosis, Evidence

MEASURED = (
    "CheckpointStale",
    "GPUIdleThoughAllocated",
    "PodNearMemoryLimit",
    "TrainingLossNaN",
    "TrainingLossRising",
)
"""What only metrics know of a job. The rest the doctor sees as it is now; alerts look back for hours."""
_SERVICES = "Online"
"""How names of alerts about services begin."""
_NAMED = 4
_OBJECTS = (
    ("tfjob", "TFJob"),
    ("cronjob", "CronJob"),
    ("pod", "Pod"),
    ("node", "Node"),
    ("resourcequota", "ResourceQuota"),
)


def check(case: Case, told: Collection[str]) -> Iterator[Diagnosis]:
    """Those of nodes, services and quotas, and of jobs what nothing else tells."""
    known = alert_names()
    for alert in _near(case):
        job, pod = alert.labels.get("tfjob"), _pod_of(case, alert)
        if job is None and pod is not None:
            job = pod.job
        if alert.labels.get("cronjob") in told:
            continue
        if alert.name in known and (job is None or (alert.name in MEASURED and job not in told)):
            yield Diagnosis(
                severity="fault" if alert.labels.get("severity") == "critical" else "warning",
                code="alert-firing",
                object=_object(alert),
                breaks_at="current",
                cause=alert.annotations.get("summary") or alert.name,
                fix=f"follow docs/runbooks/{alert.name}.md",
                evidence=(
                    Evidence("current", f"{alert.name} fires since {alert.since[:19]}Z"),
                    *(Evidence("current", text) for text in [alert.annotations.get("description")] if text),
                    *(_neighbours(case, pod) if pod is not None and pod.node else ()),
                ),
                affects=(job,) if job else (),
            )


def _near(case: Case) -> Iterator[Alert]:
    """Of nodes, of services wherever they are, and of whatever is a tenant's of this stack."""
    tenants = {tenant.name for tenant in case.stack.tenants}
    for alert in _distinct(case.watching.alerts if case.watching else ()):
        if alert.name.startswith(_SERVICES) or alert.labels.get("namespace", "") in (*tenants, ""):
            yield alert


def _distinct(alerts: Iterable[Alert]) -> Iterable[Alert]:
    """Of equal ones the oldest: stacks that share a Prometheus bring the same rules, and each rule fires.

    Equal labels are what makes two alerts one for Alertmanager, too.
    """
    once: dict[frozenset[tuple[str, str]], Alert] = {}
    for alert in sorted(alerts, key=lambda alert: alert.since):
        once.setdefault(frozenset(alert.labels.items()), alert)
    return once.values()


def _pod_of(case: Case, alert: Alert) -> Pod | None:
    """The pod that an alert is about."""
    where = alert.labels.get("namespace"), alert.labels.get("pod")
    return next((pod for pod in case.state.pods or () if (pod.namespace, pod.name) == where), None)


def _neighbours(case: Case, pod: Pod) -> Iterator[Evidence]:
    """Its node, and the training that shares it."""
    beside = {p.job for p in case.state.pods or () if p.node == pod.node and p.job and not p.over}
    named = ", ".join(sorted(beside)[:_NAMED]) + (" ..." if len(beside) > _NAMED else "")
    yield Evidence(
        "current",
        f"it is on node {pod.node}, "
        + (f"which it shares with the training of {named}" if beside else "without training"),
    )


def _object(alert: Alert) -> str:
    for label, kind in _OBJECTS:
        if name := alert.labels.get(label):
            namespace = alert.labels.get("namespace")
            return f"{kind} {namespace}/{name}" if namespace and kind != "Node" else f"{kind} {name}"
    return f"alert {alert.name}"
