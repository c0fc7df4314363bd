"""What does not end when it should, and what comes back when it should not."""

from collections.abc import Iterator

from infra.cluster.pods import Pod
from infra.doctor.case import MOMENTS_SECONDS, Case
from infra.doctor.chain import Diagnosis, Evidence
from infra.doctor.rules.faults import PodFault, evidence, role_place


def check(case: Case) -> Iterator[Diagnosis]:
    """Jobs that have ended, and pods of theirs that go on."""
    for job in case.jobs:
        lasting = [pod for pod in case.state.pods_of(job) if not pod.over and not pod.leaving]
        if not job.settled or not lasting or case.state.seconds_since(job.since) < MOMENTS_SECONDS:
            continue
        beside = [fault for pod in lasting if (fault := _beside(pod)) is not None]
        if beside:
            code, cause, fix = beside[0].code, beside[0].cause, beside[0].fix
        else:
            code = "pods-after-the-end"
            cause = (
                f"the job has {job.state.lower()}, and {len(lasting)} of its pods still run and hold quota"
            )
            names = " ".join(pod.name for pod in lasting[:6])
            spec = case.declared(job)
            place = f"{case.place(spec)}.run_policy" if spec else "runPolicy"
            fix = (
                f"kubectl delete pod -n {job.namespace} {names}; "
                f"the next time: clean_pod_policy: Running in {place}, which is {job.clean_pod_policy} now"
            )
        held: dict[str, int] = {}
        for pod in lasting:
            held[pod.role] = held.get(pod.role, 0) + 1
        yield Diagnosis(
            severity="warning",
            code=code,
            object=job.title,
            breaks_at="current",
            cause=cause,
            fix=fix,
            evidence=(
                Evidence("target", f"ended, with cleanPodPolicy {job.clean_pod_policy}"),
                Evidence("current", "still there: " + ", ".join(f"{n} {role}" for role, n in held.items())),
                *(e for fault in beside[:1] for e in fault.evidence),
            ),
            affects=(job.name,),
        )


def beside(case: Case, pod: Pod) -> PodFault | None:
    """A sidecar that keeps a pod alive whose training is over."""
    return _beside(pod)


def _beside(pod: Pod) -> PodFault | None:
    training = pod.training
    if pod.over or training is None or training.ended is None:
        return None
    running = [c.name for c in pod.containers if c.running]
    if not running:
        return None
    istio = "istio-proxy" in running
    return PodFault(
        code="sidecar-keeps-pod",
        breaks_at="current",
        cause=f"the training of {pod.name} is over, and its container {', '.join(running)} keeps it alive",
        fix=(
            'label its pods sidecar.istio.io/inject: "false", as a stack does, and take injection off the '
            f"namespace: kubectl label namespace {pod.namespace} istio-injection-"
            if istio
            else "declare it under sidecars, so that it ends with the training"
        )
        + f"; then kubectl delete pod -n {pod.namespace} {pod.name}",
        evidence=evidence(
            f"{pod.name}: training ended with {training.ended.code}, {', '.join(running)} runs"
        ),
    )


def came_back(case: Case, pod: Pod) -> PodFault | None:
    """A pod that trains again what it had finished."""
    training, place = pod.training, role_place(case, pod)
    if training is None or pod.over:
        return None
    before = training.ended_before
    if before is not None and before.code == 0 and training.restarts:
        return PodFault(
            severity="warning",
            code="came-back",
            breaks_at="current",
            cause=f"{pod.name} had finished, and restartPolicy {pod.spec.get('restartPolicy')} began anew",
            fix=f"write restart_policy: OnFailure in {place}",
            evidence=evidence(f"{pod.name}: ended with exit code 0, {training.restarts} restarts"),
        )
    earlier = _finished_before(case, pod)
    if earlier is None:
        return None
    return PodFault(
        severity="warning",
        code="came-back",
        breaks_at="events",
        cause=f"{pod.name} had finished, its pod was deleted, and the operator made it anew",
        fix="let the others finish, or delete the job; keep finished pods until the job has ended",
        evidence=evidence(f"{pod.name} runs, made {_ago(case, pod)} ago", earlier),
    )


def _finished_before(case: Case, pod: Pod) -> str | None:
    """The event of an earlier pod of the name, if nothing says that it was stopped while it ran."""
    job = case.state.job(pod.namespace, pod.job) if pod.job else None
    if job is None:
        return None
    made = [
        event
        for event in case.state.about("TFJob", job.namespace, job.name, job.uid)
        if event.reason == "SuccessfulCreatePod" and event.message.endswith(f": {pod.name}")
    ]
    stopped = [e for e in case.state.about("Pod", pod.namespace, pod.name) if e.uid != pod.uid]
    times = sum(event.count for event in made)
    return str(made[-1]) if times > 1 and not stopped and not job.restarted else None


def _ago(case: Case, pod: Pod) -> str:
    return f"{case.state.seconds_since(pod.created):.0f} s"
