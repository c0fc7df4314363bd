"""Pods that the operator could not make: who refused them, and why."""

import re
from collections.abc import Iterator

from infra.cluster.jobs import TFJob
from infra.doctor.case import Case
from infra.doctor.chain import Diagnosis, Evidence
from infra.doctor.rules.pods import standing
from infra.vocabulary import TRAINING_OPERATOR

_REFUSED = ("FailedCreatePod", "FailedCreateService")
_QUOTA = re.compile(
    r"exceeded quota: (?P<name>[^,]+), requested: (?P<requested>.*), used: (?P<used>.*), "
    r"limited: (?P<limited>.*)"
)
_UNSTATED = re.compile(r"failed quota: (?P<name>[^:]+): must specify (?P<what>.*)")
_RIGHTS = re.compile(r'User "?\\?"?system:serviceaccount:(?P<account>[^"\\ ]+)\\?"? cannot (?P<what>[^:]*)')
_WEBHOOK = re.compile(r'(admission webhook|calling webhook) \\?"(?P<name>[^"\\]+)\\?"')
_CLASS = re.compile(r"no PriorityClass with name (?P<name>\S+) was found")
_ACCOUNT = re.compile(r'serviceaccount \\?"(?P<name>[^"\\]+)\\?" not found')


def check(case: Case) -> Iterator[Diagnosis]:
    """Jobs with fewer pods than they ask for, and a refusal among their events."""
    for job in case.stuck():
        refusal = refused(case, job)
        if refusal is None:
            continue
        code, cause, fix = _why(case, job, refusal)
        yield Diagnosis(
            code=code,
            object=job.title,
            breaks_at="events",
            cause=cause,
            fix=fix,
            evidence=(*standing(case, job), Evidence("events", refusal)),
            affects=(job.name,),
        )


def refused(case: Case, job: TFJob) -> str | None:
    """The newest refusal among the job's events."""
    found = case.state.about("TFJob", job.namespace, job.name, job.uid)
    return next((str(event) for event in reversed(found) if event.reason in _REFUSED), None)


def _why(case: Case, job: TFJob, text: str) -> tuple[str, str, str]:
    spec = case.declared(job)
    place = case.place(spec) if spec else "the job"
    namespace = job.namespace
    if found := _QUOTA.search(text):
        return (
            "quota-exceeded",
            f"the quota {found['name']} of {namespace} is used up: asked for {found['requested']}, "
            f"used {found['used']} of {found['limited']}",
            f"wait for others in {namespace} to end, ask for less in {place}, or raise the tenant's quota; "
            f"kubectl describe quota -n {namespace}",
        )
    if found := _UNSTATED.search(text):
        return (
            "quota-needs-amounts",
            f"the quota {found['name']} of {namespace} demands that each container states {found['what']}",
            f"state it in the resources of {place}, or give the tenant a limit_range",
        )
    if found := _RIGHTS.search(text):
        return (
            "operator-without-rights",
            f"the operator's account {found['account']} may not {' '.join(found['what'].split())}".replace(
                '"', ""
            ),
            f"{case.update}: the ClusterRole {TRAINING_OPERATOR} and its binding give the right"
            if case.stack.training_operator.install
            else f"have the rights of {found['account']} restored where the operator is installed",
        )
    if "violates PodSecurity" in text:
        return (
            "pod-security-refuses",
            f"the Pod Security level of {namespace} does not allow its pods",
            f"change security and pod_overrides of {place}, or pod_security of the tenant",
        )
    if found := _WEBHOOK.search(text):
        return (
            "webhook-intercepts",
            f"the admission webhook {found['name']} stops its pods",
            "mend it (kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations), or let it "
            f"leave out the namespace {namespace}",
        )
    if found := _CLASS.search(text):
        return (
            "priority-class-absent",
            f"the PriorityClass {found['name']} is not there",
            f"write one of the stack's priorities in {place}.priority; else {case.update}",
        )
    if found := _ACCOUNT.search(text):
        return (
            "service-account-absent",
            f"the service account {found['name']} is not in {namespace}",
            f"kubectl create serviceaccount -n {namespace} {found['name']}",
        )
    if "being terminated" in text:
        return (
            "namespace-terminating",
            f"the namespace {namespace} is being deleted",
            f"wait until it is gone, then {case.update}",
        )
    if "LimitRange" in text or "usage per" in text:
        return (
            "limit-range-refuses",
            f"a LimitRange of {namespace} does not allow what its pods ask for",
            f"change the resources of {place}, or the tenant's limit_range",
        )
    return "pod-refused", "the API server refuses its pods", f"mend what the event names in {place}"
