"""The method of whoever is on call, as a program: target state, current state, events, logs, in that order.

A look reads the cluster once; the rules compare it with the stack, and need no cluster for that.
"""

from dataclasses import replace

from infra import live
from infra.cluster import logs, state
from infra.cluster.api_server import ApiServer
from infra.cluster.prometheus import Prometheus
from infra.cluster.watching import Watching
from infra.doctor.case import STALLED_SECONDS, Case
from infra.doctor.chain import Diagnosis
from infra.doctor.rules import (
    alerts,
    clocks,
    creation,
    foundation,
    grafana,
    history,
    jobs,
    leftovers,
    monitoring,
    operator,
    peers,
    pods,
    progress,
    protection,
    queues,
    schedules,
)
from infra.doctor.wanted_logs import wanted
from infra.live import reader
from infra.plan import Plan

_SAID_OF_JOBS = ("gpus-not-allocatable",)
"""Codes of `colo check --live` that are not repeated where a job says the same."""
_WAITS = "run-waits"
_ANSWERS = "webhook-without-endpoint"


def look(server: ApiServer, ready: Plan, name: str, *, stalled_seconds: float = STALLED_SECONDS) -> Case:
    """Read whatever the rules look at; `name` is the stack's.

    Raises:
        NoClusterError: the cluster does not answer, or does not let us in.
    """
    has_queues = ready.stack.queueing is not None
    snapshot = reader.snapshot(server, queues=has_queues)
    case = Case(
        stack=ready.stack,
        name=name,
        state=state.read(server, queues=has_queues),
        live=snapshot,
        watching=_watching(server, ready),
        stalled_seconds=stalled_seconds,
    )
    return replace(case, logs=logs.read(server, wanted(case)))


def diagnose(case: Case, ready: Plan, job: str | None = None) -> tuple[Diagnosis, ...]:
    """Everything that is wrong: first what most depends on, then job by job. Each job's cause once.

    With a job: what concerns that one, and what has become of its metrics.
    """
    if job is not None:
        found = (one for one in diagnose(case, ready) if concerning(one, job))
        return (*found, *history.check(case, job))
    missing = tuple(foundation.missing(case))
    if any(found.code == "not-deployed" for found in missing):
        return missing
    operators = tuple(operator.check(case))
    of_jobs = (*creation.check(case), *pods.check(case), *peers.check(case), *leftovers.check(case))
    down = any(found.code == "operator-down" for found in operators)
    of_jobs += tuple(found for found in schedules.check(case) if not (found.code == _WAITS and down))
    told = {name for found in (*operators, *of_jobs) if found.severity == "fault" for name in found.affects}
    of_jobs += tuple(found for found in jobs.failed(case) if not told & set(found.affects))
    of_jobs += (*queues.check(case), *jobs.held_back(case))
    of_jobs += tuple(found for found in progress.check(case) if not told & set(found.affects))
    told |= {name for found in of_jobs for name in found.affects}
    around_jobs = (
        *clocks.check(case),
        *protection.check(case),
        *monitoring.check(case),
        *grafana.check(case),
        *alerts.check(case, told),
    )
    codes = {found.code for found in of_jobs}
    around = tuple(
        found
        for found in foundation.live(
            case, live.compare(case.stack, case.name, case.live), ready.source.locate
        )
        if not (found.code in _SAID_OF_JOBS and found.code in codes)
        and not (found.code == _ANSWERS and down)
        and found.code not in ("live-unread", "operator-absent" if down else "")
    )
    return _ordered((*missing, *operators, *around, *of_jobs, *around_jobs))


def concerning(found: Diagnosis, job: str) -> bool:
    """Whether a diagnosis is about a job: its own, one that stops it, or one of what all stand on."""
    return job in found.affects or (not found.affects and not found.object.startswith(("TFJob ", "Pod ")))


def _ordered(found: tuple[Diagnosis, ...]) -> tuple[Diagnosis, ...]:
    """Faults first; else in the order in which they were found, which is that of causes."""
    rank = {"fault": 0, "warning": 1, "advice": 2}
    return tuple(sorted(dict.fromkeys(found), key=lambda one: rank[one.severity]))


def _watching(server: ApiServer, ready: Plan) -> Watching | None:
    if ready.stack.monitoring is None:
        return None
    return Prometheus(server, ready.stack.monitoring.namespace).watching()


__all__ = ["Case", "Diagnosis", "concerning", "diagnose", "look"]
