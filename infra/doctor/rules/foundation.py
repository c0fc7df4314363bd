"""What jobs stand on: whatever is declared and not there, and all that `colo check --live` finds."""

from collections.abc import Callable, Iterator, Sequence

from infra.checks import Finding, Located
from infra.doctor.case import Case
from infra.doctor.chain import Diagnosis, Evidence
from infra.models import Stack
from infra.vocabulary import TFJOB_CRD, TRAINING_OPERATOR

Locate = Callable[[Finding], Located]
_NAMED = 4


def missing(case: Case) -> Iterator[Diagnosis]:
    """What the stack declares and the cluster does not have. What is in a missing namespace is not said."""
    if _nothing_there(case):
        yield Diagnosis(
            code="not-deployed",
            object=f"stack {case.name}",
            breaks_at="current",
            cause="nothing of the stack is in this cluster",
            fix=f"see kubectl config current-context; if it is the right one: pulumi up --stack {case.name}",
            evidence=(Evidence("target", ", ".join(f"namespace {t.name}" for t in case.stack.tenants)),),
            affects=tuple(job.name for job in case.stack.jobs),
        )
        return
    jobs = tuple(spec.name for spec in case.missing)
    absent = list(_absent(case))
    if case.live.crds == () and case.stack.training_operator.install:
        yield _told(case, "crd-absent", f"CRD {TFJOB_CRD}", "the cluster does not know TFJobs", jobs)
    for kind, namespace, names in absent:
        title = f"{kind} {namespace}/{names[0]}" if namespace else f"{kind} {names[0]}"
        listed = ", ".join(names[:_NAMED]) + (
            f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        )
        cause = f"{kind} {listed} {'is' if len(names) == 1 else 'are'} declared and not in the cluster"
        affected = {
            "Namespace": tuple(spec.name for spec in case.stack.jobs if spec.tenant in names),
            "Deployment": jobs,
            "TFJob": tuple(names),
            "CronJob": tuple(names),
        }.get(kind, ())
        yield _told(case, "not-in-cluster", title, cause, affected)


def live(case: Case, findings: Sequence[Finding], locate: Locate) -> Iterator[Diagnosis]:
    """What `colo check --live` finds, as it says it."""
    for found in findings:
        located = locate(found)
        blocks = found.code == "webhook-without-endpoint" and found.severity == "fault"
        yield Diagnosis(
            severity=found.severity,
            code=found.code,
            object=f"{located.path or 'the stack'} in {located.file}:{located.line}",
            breaks_at="current",
            cause=found.message,
            fix=found.remedy,
            affects=tuple(spec.name for spec in case.missing) if blocks else (),
        )


def _told(case: Case, code: str, title: str, cause: str, affects: tuple[str, ...]) -> Diagnosis:
    return Diagnosis(
        code=code,
        object=title,
        breaks_at="current",
        cause=cause,
        fix=case.update,
        evidence=(Evidence("target", f"declared by stack {case.name}"), Evidence("current", "not there")),
        affects=affects,
    )


def _nothing_there(case: Case) -> bool:
    return (
        case.state.readable("namespaces")
        and bool(case.stack.tenants)
        and not any(case.state.find("namespaces", "", tenant.name) for tenant in case.stack.tenants)
        and not any(case.state.find("priorityclasses", "", p.name) for p in case.stack.priorities)
    )


def _of_protection(stack: Stack) -> list[str]:
    return [stack.node_protection.namespace] if stack.node_protection is not None else []


def _absent(case: Case) -> Iterator[tuple[str, str, list[str]]]:
    """Kind, namespace and names of what is not there."""
    stack = case.stack
    tenants = [t for t in stack.tenants if case.state.find("namespaces", "", t.name)]
    there = {tenant.name for tenant in tenants}
    asked: list[tuple[str, str, str, list[str]]] = [
        ("Namespace", "namespaces", "", [t.name for t in stack.tenants] + _of_protection(stack)),
        ("PriorityClass", "priorityclasses", "", [p.name for p in stack.priorities]),
    ]
    operator = stack.training_operator
    if operator.install:
        asked.append(("Deployment", "deployments", operator.namespace, [TRAINING_OPERATOR]))
    for tenant in tenants:
        name = tenant.name
        claims = [storage.name for storage in stack.storage if storage.tenant == name]
        asked += [
            ("ResourceQuota", "resourcequotas", name, ["quota"] if tenant.quota else []),
            ("LimitRange", "limitranges", name, ["limits"] if tenant.limit_range else []),
            ("PersistentVolumeClaim", "persistentvolumeclaims", name, claims),
            ("CronJob", "cronjobs", name, [j.name for j in stack.jobs if j.schedule and j.tenant == name]),
        ]
    for kind, listed, namespace, names in asked:
        gone = [name for name in names if case.state.find(listed, namespace, name) is None]
        if gone and case.state.readable(listed):
            yield kind, namespace, gone
    # Without the definition, or where a webhook refuses them, jobs are an effect; see `live` and `missing`.
    if case.live.crds != () and not any(w.ready is False and w.blocks for w in case.live.webhooks):
        for name in sorted(there):
            gone = [spec.name for spec in case.missing if spec.tenant == name]
            if gone:
                yield "TFJob", name, gone
