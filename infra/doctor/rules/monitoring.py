"""Panels without data: Prometheus is away, does not read a monitor, lacks a target or cannot scrape it."""

from collections.abc import Iterator, Sequence

from components.rendering.monitoring.training_metrics import TRAINING_PODS, scraped_port
from infra.cluster.jobs import TFJob
from infra.cluster.objects import (
    Object,
    condition,
    created,
    has_ready_endpoint,
    key_of,
    labels_of,
    moment,
    selects,
)
from infra.cluster.pods import Pod
from infra.cluster.watching import SERVICE, Target
from infra.doctor.case import Case
from infra.doctor.chain import Diagnosis, Evidence
from infra.models import MonitoringSpec
from infra.vocabulary import METRICS_PORT, SERVICE_NAME_LABEL, TRAINING_OPERATOR

_SCRAPED_SECONDS = 120
"""After which a target is there: discovery, the operator's configuration, an interval."""
_MONITORS = (
    # kind, as RBAC names it, the field by which a Prometheus selects it, name
    ("PodMonitor", "podmonitors", "podMonitorSelector", TRAINING_PODS),
    ("ServiceMonitor", "servicemonitors", "serviceMonitorSelector", TRAINING_OPERATOR),
)


def check(case: Case) -> Iterator[Diagnosis]:
    """From Prometheus to its targets: what comes first is the cause of what comes after it."""
    spec = case.stack.monitoring
    if spec is None:
        return
    if case.watching is None:
        yield from _unanswered(case, spec)
        return
    monitors = list(_monitors(case, spec))
    yield from monitors
    if not monitors:
        yield from _operators_target(case)
        yield from _jobs_targets(case)


def _unanswered(case: Case, spec: MonitoringSpec) -> Iterator[Diagnosis]:
    """That this account may not ask it is said with what else could not be read."""
    if not case.state.readable("services") or not case.state.readable("endpointslices"):
        return
    there = case.state.find("services", spec.namespace, SERVICE) is not None
    ready = any(
        has_ready_endpoint(item)
        for item in case.state.of("endpointslices")
        if labels_of(item).get(SERVICE_NAME_LABEL) == SERVICE and key_of(item)[0] == spec.namespace
    )
    if not there or not ready:
        yield Diagnosis(
            code="prometheus-down",
            object=f"Service {spec.namespace}/{SERVICE}",
            breaks_at="current",
            cause=f"no Prometheus {'is ready' if there else 'is there'}: panels have no data, nothing alerts",
            fix=f"kubectl get prometheus,statefulset,pods -n {spec.namespace}",
            evidence=(
                Evidence("target", f"monitoring in {spec.namespace}"),
                Evidence("current", "no ready endpoint" if there else "no such Service"),
            ),
        )


def _monitors(case: Case, spec: MonitoringSpec) -> Iterator[Diagnosis]:
    """Those that the stack declares: there, and selected by a Prometheus."""
    for kind, listed, field, name in _MONITORS:
        if not case.state.readable(listed) or (name == TRAINING_PODS and not case.stack.tenants):
            continue
        monitor = case.state.find(listed, spec.namespace, name)
        servers = case.state.of("prometheuses")
        if monitor is None:
            cause, seen = (
                f"the {kind} {name} is not there, so Prometheus does not know its targets",
                "not there",
            )
            code, fix = "not-in-cluster", case.update
        elif servers and not any(_reads(server, field, monitor) for server in servers):
            wanted = (servers[0].get("spec") or {}).get(field)
            cause = f"no Prometheus selects the {kind} {name}"
            seen = f"{field} is {wanted}, and its labels are {dict(labels_of(monitor))}"
            code, fix = "monitor-not-selected", f"write these under monitoring.labels, then {case.update}"
        else:
            continue
        yield Diagnosis(
            code=code,
            object=f"{kind} {spec.namespace}/{name}",
            breaks_at="current",
            cause=cause,
            fix=fix,
            evidence=(Evidence("target", f"declared by stack {case.name}"), Evidence("current", seen)),
        )


def _reads(server: Object, field: str, monitor: Object) -> bool:
    """An absent selector selects nothing, an empty one everything."""
    return selects((server.get("spec") or {}).get(field), labels_of(monitor))


def _operators_target(case: Case) -> Iterator[Diagnosis]:
    found = _of(case, TRAINING_OPERATOR)
    namespace = case.stack.training_operator.namespace
    deployed = case.state.find("deployments", namespace, TRAINING_OPERATOR)
    if not found and deployed is not None and _runs_long(case, deployed):
        yield _lacking(
            f"Service {namespace}/{TRAINING_OPERATOR}",
            "Prometheus has no target for the training operator: the Service's labels or port names differ "
            "from the ServiceMonitor's",
            f"kubectl get service -n {namespace} {TRAINING_OPERATOR} -o yaml, beside the ServiceMonitor",
            "target-missing",
        )
    yield from _down(found, f"Service {namespace}/{TRAINING_OPERATOR}", ())


def _runs_long(case: Case, deployment: Object) -> bool:
    """Whether it is ready, and that for so long that Prometheus has heard of it."""
    ready = moment(condition(deployment, "Available").get("lastTransitionTime"))
    long = case.state.seconds_since(ready or created(deployment)) >= _SCRAPED_SECONDS
    return long and bool((deployment.get("status") or {}).get("readyReplicas"))


def _jobs_targets(case: Case) -> Iterator[Diagnosis]:
    """Leaders of running jobs that say where their metrics are."""
    targets = {(t.labels.get("namespace"), t.labels.get("pod")): t for t in _of(case, TRAINING_PODS)}
    for job in case.jobs:
        leader = next((pod for pod in case.state.pods_of(job) if pod.name == job.leader), None)
        long = case.state.seconds_since(job.since) >= _SCRAPED_SECONDS
        if job.state != "Running" or not long or leader is None or not leader.ready:
            continue
        target = targets.get((leader.namespace, leader.name))
        if target is not None:
            yield from _down([target], job.title, (job.name,))
        elif _should_serve(case, job, leader):
            cause, fix = _why_no_target(case, job, leader)
            yield _lacking(job.title, cause, fix, "target-missing", (job.name,))


def _why_no_target(case: Case, job: TFJob, leader: Pod) -> tuple[str, str]:
    spec, monitoring = case.declared(job), case.stack.monitoring
    place = case.place(spec) if spec else "the job"
    monitor = case.state.find("podmonitors", monitoring.namespace if monitoring else "", TRAINING_PODS)
    namespaces = ((monitor or {}).get("spec") or {}).get("namespaceSelector") or {}
    if not namespaces.get("any") and job.namespace not in (namespaces.get("matchNames") or (job.namespace,)):
        return f"the PodMonitor {TRAINING_PODS} does not look into the namespace {job.namespace}", case.update
    if METRICS_PORT not in leader.port_names and scraped_port(leader.annotations) is None:
        return (
            f"Prometheus has no target for {leader.name}: no port of it is named {METRICS_PORT}",
            f"write metrics_port in {place}, or name the port {METRICS_PORT}; then run it again",
        )
    return (
        f"Prometheus has no target for {leader.name}, though it has a port named {METRICS_PORT} or says so",
        "see Status, Service discovery in Prometheus: which rule drops it",
    )


def _should_serve(case: Case, job: TFJob, leader: Pod) -> bool:
    """Whether the stack, an annotation or a port says that the pod has metrics."""
    spec = case.declared(job)
    return bool(spec and spec.metrics_port) or scraped_port(leader.annotations) is not None


def _of(case: Case, job: str) -> Sequence[Target]:
    return [t for t in (case.watching.targets if case.watching else ()) if t.labels.get("job") == job]


def _down(found: Sequence[Target], title: str, affects: tuple[str, ...]) -> Iterator[Diagnosis]:
    for target in found:
        if not target.up:
            where = target.labels.get("instance", "")
            yield Diagnosis(
                severity="warning",
                code="target-down",
                object=title,
                breaks_at="current",
                cause=f"Prometheus cannot scrape {where}",
                fix="see that the program listens on that port on all addresses, and that no NetworkPolicy "
                "keeps Prometheus out (allow-metrics)",
                evidence=(Evidence("current", f"lastError: {target.error}"),),
                affects=affects,
            )


def _lacking(title: str, cause: str, fix: str, code: str, affects: tuple[str, ...] = ()) -> Diagnosis:
    return Diagnosis(
        severity="warning",
        code=code,
        object=title,
        breaks_at="current",
        cause=cause,
        fix=fix,
        evidence=(Evidence("current", "no such target in Prometheus"),),
        affects=affects,
    )
