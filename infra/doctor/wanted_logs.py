"""Which logs a look needs: of what ended ill, of an operator with jobs that wait, of what may stand still."""

from collections.abc import Iterator
from itertools import islice

from infra.cluster.logs import MOST, Source
from infra.doctor.case import Case
from infra.doctor.rules import grafana, operator, protection, schedules
from infra.doctor.rules.endings import ill
from infra.vocabulary import NODE_PROTECTION, TENSORFLOW_CONTAINER

_EACH_JOB = 2
"""Pods of one job: they mostly fail alike."""


def wanted(case: Case) -> tuple[Source, ...]:
    """Those that matter most, as many as one look reads."""
    found = dict.fromkeys(
        (
            *_operators(case),
            *_grafanas(case),
            *_protections(case),
            *_starters(case),
            *_ended(case),
            *_standing_still(case),
        )
    )
    return tuple(found)[:MOST]


def _operators(case: Case) -> Iterator[Source]:
    if operator.unserved(case):
        for pod in operator.pods(case)[:2]:
            containers = pod.spec.get("containers") or [{}]
            yield Source(pod.namespace, pod.name, str(containers[0].get("name") or ""))


def _grafanas(case: Case) -> Iterator[Source]:
    for deployment in grafana.deployments(case):
        for pod in grafana.pods(case, deployment)[:1]:
            yield Source(pod.namespace, pod.name, grafana.GRAFANA)


def _starters(case: Case) -> Iterator[Source]:
    for pod in schedules.untold(case):
        yield from (Source(pod.namespace, pod.name, container.name) for container in pod.containers)


def _protections(case: Case) -> Iterator[Source]:
    spec = case.stack.node_protection
    if spec is not None:
        ill_ones = (pod for pod in protection.agents(case, spec) if not pod.ready)
        yield from (Source(pod.namespace, pod.name, NODE_PROTECTION) for pod in islice(ill_ones, _EACH_JOB))


def _ended(case: Case) -> Iterator[Source]:
    for job in case.jobs:
        if job.state == "Succeeded":
            continue
        found = [
            Source(pod.namespace, pod.name, container.name, before=container.ended is None)
            for pod in case.state.pods_of(job)
            for container in pod.containers
            if not pod.leaving and ill(pod, container) is not None
        ]
        yield from found[:_EACH_JOB]


def _standing_still(case: Case) -> Iterator[Source]:
    """Leaders of jobs that have run for long, where no metrics tell how far they are."""
    for job in case.jobs:
        long = case.state.seconds_since(job.since) >= case.stalled_seconds
        measured = (job.namespace, job.name) in case.idle_seconds
        if job.state == "Running" and long and not measured:
            leader = next((pod for pod in case.state.pods_of(job) if pod.name == job.leader), None)
            if leader is not None and leader.phase == "Running":
                yield Source(job.namespace, job.leader, TENSORFLOW_CONTAINER)
