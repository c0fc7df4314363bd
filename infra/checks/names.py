"""Names: used once, short enough for what is made from them, and not Kubernetes' own."""

from collections.abc import Iterator

from infra.checks.findings import Finding, Subject
from infra.models import JobSpec
from infra.models.stack import NAMED_LISTS

_LONGEST = 63  # a Service's name, and a label's value
SYSTEM_NAMESPACES = ("default", "kube-node-lease", "kube-public", "kube-system")


def check(subject: Subject) -> Iterator[Finding]:
    """Duplicates in each list, over-long pod names, and namespaces of the system."""
    yield from _duplicates(subject)
    for i, job in enumerate(subject.stack.jobs):
        yield from _pod_names(i, job)
    for i, tenant in enumerate(subject.stack.tenants):
        if tenant.name in SYSTEM_NAMESPACES:
            yield Finding(
                code="tenant-takes-system-namespace",
                place=("tenants", i, "name"),
                message=f"the namespace {tenant.name} belongs to Kubernetes",
                remedy="give the tenant a name of its own",
            )
    operator = subject.stack.training_operator
    if operator.install and operator.namespace in SYSTEM_NAMESPACES:
        yield Finding(
            code="operator-takes-system-namespace",
            place=("training_operator", "namespace"),
            message=f"the namespace {operator.namespace} belongs to Kubernetes",
            remedy="install the operator into one of its own, such as kubeflow",
        )


def _duplicates(subject: Subject) -> Iterator[Finding]:
    """Over all tenants: Pulumi knows each object of a stack by its kind and this name alone, and so do
    the outputs of the stack and the `claim:` of a volume."""
    for kind in NAMED_LISTS:
        seen: set[str] = set()
        for i, item in enumerate(getattr(subject.stack, kind)):
            if item.name in seen:
                yield Finding(
                    code="duplicate-name",
                    place=(kind, i, "name"),
                    message=f"{item.name} is the name of another of the {kind}",
                    remedy="give each its own",
                )
            seen.add(item.name)


def _pod_names(i: int, job: JobSpec) -> Iterator[Finding]:
    """The operator makes pods and Services named <run>-<role>-<index>.

    The run of a job that is declared once has the job's name; a CronJob adds the minute that it is due.
    """
    run = "-00000000" if job.schedule is not None else ""
    endings = [f"{run}-{role}-{spec.replicas - 1}" for role, spec in job.roles()]
    longest = max(endings, key=len)
    room = _LONGEST - len(longest)
    if len(job.name) > room:
        yield Finding(
            code="job-name-too-long",
            place=("jobs", i, "name"),
            message=f"its pods would be called <name>{longest}, longer than {_LONGEST} characters",
            remedy=f"use at most {room} characters, not {len(job.name)}",
        )
