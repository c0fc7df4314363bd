"""The training operator: that it runs, may do its work, and has taken up each job."""

import re
from collections.abc import Iterator

from infra.cluster.objects import Object, selects
from infra.cluster.pods import Pod
from infra.doctor.case import MOMENTS_SECONDS, Case
from infra.doctor.chain import Diagnosis, Evidence
from infra.doctor.rules.creation import refused
from infra.doctor.rules.pods import ailment, standing
from infra.vocabulary import TRAINING_OPERATOR

_FORBIDDEN = re.compile(r"\bis forbidden: User .*? cannot (?P<what>.*?)(: |\"?$)")
_ERROR = re.compile(r"level=(error|fatal)|\b(ERROR|error|panic)\b")


def check(case: Case) -> Iterator[Diagnosis]:
    """Where it is down, that is the cause of whatever waits for it."""
    down = list(_down(case))
    yield from down
    if not down:
        refused_rights = list(_without_rights(case))
        yield from refused_rights or _not_taken_up(case)


def deployment(case: Case) -> Object | None:
    """The operator that runs the stack's jobs: the stack's own, or the one that it attaches to."""
    namespace = case.stack.training_operator.namespace
    own = case.state.find("deployments", namespace, TRAINING_OPERATOR)
    if own is not None or case.stack.training_operator.install:
        return own
    found = [o for o in case.live.operators or () if o.serves_tfjobs and o.kind == "Deployment"]
    return case.state.find("deployments", found[0].namespace, found[0].name) if len(found) == 1 else None


def pods(case: Case) -> tuple[Pod, ...]:
    """The operator's pods."""
    found = deployment(case)
    if found is None:
        return ()
    namespace, selector = found["metadata"]["namespace"], found["spec"].get("selector")
    return tuple(
        pod for pod in case.state.pods or () if pod.namespace == namespace and selects(selector, pod.labels)
    )


def unserved(case: Case) -> tuple[str, ...]:
    """Jobs without pods, and without a word of why."""
    return tuple(
        job.name for job in case.stuck() if not case.state.pods_of(job) and refused(case, job) is None
    )


def _down(case: Case) -> Iterator[Diagnosis]:
    """That it is not there at all is said with whatever else is declared and not there."""
    found = deployment(case)
    if found is None or ((found.get("status") or {}).get("readyReplicas") or 0) > 0:
        return
    namespace, name = found["metadata"]["namespace"], found["metadata"]["name"]
    wanted = int(found["spec"].get("replicas", 1))
    fault = next((f for pod in pods(case) if (f := ailment(case, pod)) is not None), None)
    told = _refused_pods(case, namespace, name)
    events = [Evidence("events", text) for text in told[-1:]]
    if wanted == 0:
        cause, fix = "it is scaled to 0", f"kubectl scale deployment -n {namespace} {name} --replicas=1"
    elif fault is not None:
        cause, fix, events = fault.cause, fault.fix, list(fault.evidence)
    elif told:
        cause, fix = f"its pod is refused ({told[-1]})", f"kubectl describe replicaset -n {namespace}"
    elif any(case.state.seconds_since(pod.created) < 2 * MOMENTS_SECONDS for pod in pods(case)):
        cause, fix = "its pod has just started", "ask again in a minute"
    else:
        cause, fix = "no pod of it is ready", f"kubectl logs -n {namespace} deploy/{name}"
    idle = [w for w in case.live.webhooks if w.of_an_operator and w.ready is False]
    unanswered = [
        Evidence("current", f"nobody answers the webhook {w.name}: no TFJob is taken") for w in idle
    ]
    yield Diagnosis(
        code="operator-down",
        object=f"Deployment {namespace}/{name}",
        breaks_at="events" if fault is not None and fault.breaks_at == "events" else "current",
        cause=f"the training operator is down: {cause}",
        fix=fix,
        evidence=(
            Evidence("target", f"{wanted} pod{'' if wanted == 1 else 's'}"),
            Evidence("current", "0 ready"),
            *events,
            *unanswered,
        ),
        affects=(*unserved(case), *(spec.name for spec in case.missing)),
    )


def _refused_pods(case: Case, namespace: str, name: str) -> list[str]:
    return [
        str(event)
        for event in case.state.events or ()
        if event.reason == "FailedCreate"
        and event.about[:2] == ("ReplicaSet", namespace)
        and event.about[2].startswith(f"{name}-")
    ]


def _without_rights(case: Case) -> Iterator[Diagnosis]:
    """What the operator's own log says of its rights; refusals of pods are said of each job."""
    affected = unserved(case)
    for pod in pods(case):
        lines = case.log(pod.namespace, pod.name, _main(pod)).lines
        refusals = [line for line in lines[-100:] if _FORBIDDEN.search(line)]
        if not refusals or not affected:
            continue
        found = _FORBIDDEN.search(refusals[-1])
        what = found["what"].replace('\\"', "").replace('"', "") if found else "do its work"
        yield Diagnosis(
            code="operator-without-rights",
            object=f"Pod {pod.namespace}/{pod.name}",
            breaks_at="logs",
            cause=f"the training operator may not {what}",
            fix=f"{case.update}: the ClusterRole {TRAINING_OPERATOR} and its binding give the right",
            evidence=(Evidence("current", f"{pod.name} runs"), Evidence("logs", refusals[-1][:300])),
            affects=affected,
        )
        return


def _not_taken_up(case: Case) -> Iterator[Diagnosis]:
    """Jobs that stay as they were created, with no word of why."""
    if deployment(case) is None:
        return
    lines = [line for pod in pods(case) for line in case.log(pod.namespace, pod.name, _main(pod)).lines]
    names = unserved(case)
    for job in case.stuck():
        if job.name not in names:
            continue
        told = [line for line in lines if _ERROR.search(line) and job.name in line] or [
            line for line in lines if _ERROR.search(line)
        ]
        yield Diagnosis(
            code="not-taken-up",
            object=job.title,
            breaks_at="logs" if told else "current",
            cause=f"the operator has made no pod for it; it stays {job.state or 'without a condition'}",
            fix=_look(case),
            evidence=(*standing(case, job), *(Evidence("logs", line[:300]) for line in told[-1:])),
            affects=(job.name,),
        )


def _look(case: Case) -> str:
    found = deployment(case)
    where = f"-n {found['metadata']['namespace']} deploy/{found['metadata']['name']}" if found else ""
    return f"kubectl logs {where}; if it has lost its server: kubectl rollout restart {where}"


def _main(pod: Pod) -> str:
    containers = pod.spec.get("containers") or [{}]
    return str(containers[0].get("name") or "")
