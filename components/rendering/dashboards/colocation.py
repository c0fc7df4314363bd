"""Online services against offline training: who uses what, what is left, who suffers."""

from collections.abc import Callable, Sequence

from components.rendering.dashboards.parts import (
    NAMESPACE,
    Dashboard,
    Panel,
    Query,
    Row,
    Threshold,
    Unit,
)
from components.rendering.dashboards.promql import (
    CHOSEN,
    allocatable,
    class_matchers,
    cpu,
    memory,
    of_class,
    requests,
    throttling,
    victims,
)

_Group = tuple[str, str]
"""A name, and the matcher of its priority classes."""


def colocation(offline_classes: Sequence[str]) -> Dashboard:
    """By the offline PriorityClasses of a stack, of which there is one at least."""
    groups = tuple(class_matchers(offline_classes).items())
    return Dashboard(
        name="colocation",
        title="Colocation / Online and offline",
        description="What online services leave, what offline training makes of it, and whether the "
        "services notice. A pod is offline by its priority class.",
        variables=(NAMESPACE,),
        rows=(
            _shares(groups),
            _resource("CPU", "cpu", groups),
            _resource("Memory", "memory", groups),
            _harm(groups[:2]),
            _waiting(groups[1]),
        ),
    )


def _shares(groups: Sequence[_Group]) -> Row:
    (_, online), (_, offline), _ = groups
    cores = f"sum({allocatable('cpu')})"
    used = cpu(CHOSEN)

    def stat(title: str, description: str, expr: str) -> Panel:
        return Panel(
            title=title,
            description=description,
            kind="stat",
            unit="percentunit",
            queries=(Query(expr=expr),),
            width=6,
            height=4,
        )

    return Row(
        title="At a glance",
        panels=(
            stat(
                "Cluster's CPU used online",
                "Share of what nodes can give.",
                f"sum({of_class(used, online)}) / {cores}",
            ),
            stat(
                "Cluster's CPU used offline",
                "Share of what nodes can give: what colocation gains.",
                f"sum({of_class(used, offline)}) / {cores}",
            ),
            stat(
                "Cluster's CPU requested offline",
                "Share of what nodes can give.",
                f"sum({of_class(requests('cpu', CHOSEN), offline)}) / {cores}",
            ),
            stat(
                "Online requests that are used",
                "Low: services hold more than they need, and nothing else may be promised it.",
                f"sum({of_class(used, online)}) / sum({of_class(requests('cpu', CHOSEN), online)})",
            ),
        ),
    )


def _resource(title: str, resource: str, groups: Sequence[_Group]) -> Row:
    unit: Unit = "short" if resource == "cpu" else "bytes"
    used = cpu(CHOSEN) if resource == "cpu" else memory(CHOSEN)
    requested = requests(resource, CHOSEN)
    whole = Query(expr=f"sum({allocatable(resource)})", legend="allocatable")

    def by_pod(expr: str, matcher: str) -> str:
        return f"sum by (namespace, pod) ({of_class(expr, matcher)})"

    return Row(
        title=title,
        panels=(
            Panel(
                title=f"{title} used",
                description="By containers, against what nodes can give.",
                unit=unit,
                queries=(*_each(groups, lambda m: f"sum({of_class(used, m)})"), whole),
            ),
            Panel(
                title=f"{title} requested",
                description="By pods that have not ended, against what nodes can give. When it is full, "
                "online pods push offline ones out.",
                unit=unit,
                queries=(*_each(groups, lambda m: f"sum({of_class(requested, m)})"), whole),
            ),
            Panel(
                title=f"{title} wasted",
                description="Requested and not used, summed over pods; a pod that uses more than it "
                "requests does not make up for another.",
                unit=unit,
                queries=_each(
                    groups,
                    lambda m: (
                        f"sum(clamp_min({by_pod(requested, m)} - "
                        f"({by_pod(used, m)} or {by_pod(requested, m)} * 0), 0))"
                    ),
                ),
            ),
        ),
    )


def _harm(groups: Sequence[_Group]) -> Row:
    throttled, periods = throttling(CHOSEN, "[5m]")
    restarts = f"increase(kube_pod_container_status_restarts_total{{{CHOSEN}}}[1h])"
    return Row(
        title="Do services notice",
        panels=(
            Panel(
                title="CPU throttled",
                description="Share of periods in which containers with a CPU limit reached it. Online: raise "
                "the limit, or move offline work away.",
                unit="percentunit",
                thresholds=(Threshold(0.1, "orange"), Threshold(0.25, "red")),
                queries=_each(
                    groups, lambda m: f"sum({of_class(throttled, m)}) / sum({of_class(periods, m)})"
                ),
            ),
            Panel(
                title="Most throttled online containers",
                description="The ten whose CPU limit held them back most, in five minutes.",
                kind="table",
                unit="percentunit",
                columns=("namespace", "pod", "container"),
                value_column="Throttled",
                queries=(
                    Query(
                        expr="topk(10, sum by (namespace, pod, container) "
                        f"({of_class(throttled, groups[0][1])}) / sum by (namespace, pod, container) "
                        f"({of_class(periods, groups[0][1])}) > 0)"
                    ),
                ),
            ),
            Panel(
                title="Restarts of containers in an hour",
                description="Restarts of services that begin when training does are worth a look.",
                unit="short",
                thresholds=(Threshold(5, "orange"),),
                queries=_each(groups, lambda m: f"sum({of_class(restarts, m)})"),
            ),
        ),
    )


def _waiting(offline: _Group) -> Row:
    _, matcher = offline
    disrupted = f'kube_pod_status_disruption_reason{{{CHOSEN}, reason="PreemptionByScheduler"}}'
    pending = f'kube_pod_status_phase{{{CHOSEN}, phase="Pending"}} == 1'
    evicted = f'kube_pod_status_reason{{{CHOSEN}, reason="Evicted"}} == 1'
    return Row(
        title="What training puts up with",
        panels=(
            Panel(
                title="Offline pods that wait for room",
                description="Waiting is what they are for; for hours, it means that nothing is left.",
                unit="short",
                queries=(Query(expr=f"sum({of_class(pending, matcher)}) or vector(0)", legend="offline"),),
            ),
            Panel(
                title="Preemptions",
                description="Pods that the scheduler deleted to make room, in an hour. A managed control "
                "plane does not show its scheduler; then only those are seen that are on their way out.",
                unit="short",
                queries=(
                    Query(expr=victims("[1h]"), legend="victims in an hour"),
                    Query(expr=f"sum({of_class(disrupted, matcher)})", legend="offline, ending now"),
                ),
            ),
            Panel(
                title="Evictions",
                description="Offline pods that a kubelet ended because its node ran short, and that are "
                "still shown.",
                unit="short",
                queries=(Query(expr=f"sum({of_class(evicted, matcher)}) or vector(0)", legend="offline"),),
            ),
        ),
    )


def _each(groups: Sequence[_Group], expr: Callable[[str], str]) -> tuple[Query, ...]:
    return tuple(Query(expr=expr(matcher), legend=name) for name, matcher in groups)
