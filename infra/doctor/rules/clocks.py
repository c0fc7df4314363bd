"""Clocks that differ: times of one are compared with times of another, by people and by this program."""

from collections.abc import Iterator

from infra.cluster.objects import Object, condition, moment, name_of
from infra.cluster.pods import Pod
from infra.doctor.case import Case
from infra.doctor.chain import Diagnosis, Evidence
from infra.doctor.spelling import clock_time, duration

_APART_SECONDS = 60
"""What a clock may be off: requests, and whole seconds in the API, take a few."""
_MEND = "let time be synchronised {}: timedatectl, chronyc tracking"


def check(case: Case) -> Iterator[Diagnosis]:
    """This machine's, each node's and Prometheus's, beside the API server's."""
    yield from _here(case)
    yield from _nodes(case)
    yield from _prometheus(case)


def _here(case: Case) -> Iterator[Diagnosis]:
    apart = (case.state.here - case.state.now).total_seconds()
    if abs(apart) > _APART_SECONDS:
        yield _told(
            case,
            "this machine",
            apart,
            "a panel whose time range ends now, by the clock of a browser here, ends elsewhere in the data",
            f"{clock_time(case.state.here)} here",
            _MEND.format("here"),
        )


def _nodes(case: Case) -> Iterator[Diagnosis]:
    newest: dict[str, Pod] = {}
    for pod in sorted(case.state.pods or (), key=lambda pod: -case.state.seconds_since(pod.created)):
        if pod.node and pod.started:
            newest[pod.node] = pod
    for node in case.state.of("nodes"):
        name = name_of(node)
        apart, seen = _of_node(case, node, newest.get(name))
        if abs(apart) > _APART_SECONDS:
            yield _told(
                case,
                f"Node {name}",
                apart,
                "progress, checkpoints and logs of trainings there seem older or newer than they are",
                seen,
                _MEND.format(f"on {name}"),
            )


def _of_node(case: Case, node: Object, pod: Pod | None) -> tuple[float, str]:
    """What its kubelet said is later than now, or its newest pod began before it was made."""
    beat = moment(condition(node, "Ready").get("lastHeartbeatTime"))
    if beat is not None and (ahead := -case.state.seconds_since(beat)) > _APART_SECONDS:
        return ahead, f"its kubelet last said that it is Ready at {clock_time(beat)}"
    if pod is not None and pod.started is not None and pod.created is not None:
        behind = (pod.started - pod.created).total_seconds()
        if behind < -_APART_SECONDS:
            began, made = clock_time(pod.started), clock_time(pod.created)
            return behind, f"{pod.namespace}/{pod.name} began at {began} by its clock, and was made at {made}"
    return 0.0, ""


def _prometheus(case: Case) -> Iterator[Diagnosis]:
    watching, spec = case.watching, case.stack.monitoring
    if watching is None or watching.now is None or spec is None:
        return
    apart = (watching.now - case.state.now).total_seconds()
    if abs(apart) > _APART_SECONDS:
        yield _told(
            case,
            f"Prometheus in {spec.namespace}",
            apart,
            "panels end at another time than the jobs beside them, and alerts come early or late",
            f"{clock_time(watching.now)} there",
            _MEND.format("on the node where it runs"),
        )


def _told(case: Case, title: str, apart: float, effect: str, seen: str, fix: str) -> Diagnosis:
    side = "ahead of" if apart > 0 else "behind"
    return Diagnosis(
        severity="warning",
        code="clock-skew",
        object=title,
        breaks_at="current",
        cause=f"its clock is {duration(abs(apart))} {side} the API server's; {effect}",
        fix=fix,
        evidence=(
            Evidence("target", f"{clock_time(case.state.now)} at the API server"),
            Evidence("current", seen),
        ),
    )
