"""The jobs of a stack at a glance, and what each tenant uses of its quota. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from infra.cluster.jobs import TFJob
from infra.cluster.objects import Object
from infra.cluster.pods import Pod
from infra.cluster.queues import standing
from infra.cluster.state import State
from infra.models import Stack
from infra.models.quantities import amount
from infra.pod_resources import shown

WIDTH = 80
_WORD = 11  # characters of a node's name, a state; longer ones are cut in the middle
_SHORTEST_NAME = 12
_HEAD = ("JOB", "STATE", "READY", "NODE", "AGE", "RESTARTS")
_MEASURED = ("PROGRESS", "LOSS")
_ABSENT = "-"
_QUEUED = "Queued"


@dataclass(frozen=True)
class Measures:
    """What the metrics of jobs say, by namespace and name; empty where nobody keeps them."""

    epochs: Mapping[tuple[str, str], float] = field(default_factory=dict)
    steps: Mapping[tuple[str, str], float] = field(default_factory=dict)
    losses: Mapping[tuple[str, str], float] = field(default_factory=dict)


def overview(stack: Stack, state: State, measures: Measures | None) -> str:
    """Lines of at most WIDTH characters, tenant by tenant; `measures` is None without a Prometheus."""
    blocks = [
        "\n".join(
            (f"{tenant.name}:", *_jobs(stack, state, tenant.name, measures), *_quota(state, tenant.name))
        )
        for tenant in stack.tenants
    ]
    return "\n\n".join(blocks) or "the stack has no tenants"


def _jobs(stack: Stack, state: State, tenant: str, measures: Measures | None) -> Iterator[str]:
    rows: list[tuple[str, ...]] = []
    found = [job for job in state.jobs or () if job.namespace == tenant]
    for job in sorted(found, key=lambda job: job.name):
        rows += _rows(state, job, measures)
    there = {job.name for job in found} | {job.schedule for job in found}
    for spec in stack.jobs:
        if spec.tenant == tenant and spec.name not in there:
            said = "scheduled" if spec.schedule else "absent"
            rows.append((spec.name, said, *[_ABSENT] * (6 if measures else 4)))
    if state.jobs is None:
        yield "  TFJobs could not be read"
    elif not rows:
        yield "  no jobs"
    else:
        yield from _table((_HEAD + (_MEASURED if measures else ()), *rows))
    for job in found:
        if job.queued and (place := standing(state, job)) is not None:
            yield f"  {job.name} waits in the queue: {place.why}"


def _rows(state: State, job: TFJob, measures: Measures | None) -> Iterator[tuple[str, ...]]:
    """The job, then its roles where it has several."""
    pods = state.pods_of(job)
    said = _QUEUED if job.queued else job.state or "(new)"
    about = (job.name, said, *_pods(state, pods, job, job.replicas, job.created))
    key = (job.namespace, job.name)
    yield about + ((_progress(measures, key), _number(measures.losses.get(key))) if measures else ())
    if len(job.replicas) > 1:
        for role, wanted in job.replicas.items():
            of_role = [pod for pod in pods if pod.role == role]
            yield (
                f"  {role}",
                "",
                *_pods(state, of_role, job, {role: wanted}, None),
                *(("", "") if measures else ()),
            )


def _pods(
    state: State, pods: Sequence[Pod], job: TFJob, wanted: Mapping[str, int], since: datetime | None
) -> tuple[str, ...]:
    """Of some roles: pods ready or ended well, nodes, age, restarts."""
    nodes = sorted({pod.node for pod in pods if pod.node})
    node = nodes[0] if len(nodes) == 1 else f"{len(nodes)} nodes" if nodes else _ABSENT
    ready = sum(pod.ready or pod.phase == "Succeeded" for pod in pods)
    if job.settled:
        ready = max(ready, sum(job.succeeded.get(role, 0) for role in wanted))
    age = _age(state.seconds_since(since)) if since else ""
    return f"{ready}/{sum(wanted.values())}", node, age, str(sum(pod.restarts for pod in pods))


def _progress(measures: Measures, key: tuple[str, str]) -> str:
    if key in measures.epochs:
        return f"epoch {measures.epochs[key]:.0f}"
    return f"step {measures.steps[key]:.0f}" if key in measures.steps else _ABSENT


def _number(value: float | None) -> str:
    return _ABSENT if value is None else f"{value:.4g}"


def _age(seconds: float) -> str:
    for unit, size in (("d", 86400), ("h", 3600), ("m", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f}{unit}"
    return f"{max(seconds, 0):.0f}s"


def _quota(state: State, tenant: str) -> Iterator[str]:
    if not state.readable("resourcequotas"):
        yield "  quotas could not be read"
    for quota in state.of("resourcequotas"):
        if quota["metadata"]["namespace"] == tenant:
            yield ""
            yield from _table((("QUOTA", "USED", "OF", ""), *_amounts(quota)))


def _amounts(quota: Object) -> Iterator[tuple[str, ...]]:
    status = quota.get("status") or {}
    used = status.get("used") or {}
    for key, hard in (status.get("hard") or {}).items():
        taken, whole = amount(str(used.get(key, "0"))), amount(str(hard))
        share = f"{100 * taken / whole:.0f}%" if whole else ""
        yield key, shown(key, taken), shown(key, whole), share


def _table(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Columns as wide as what is in them; the first gives way where a line would be too long."""
    others = [tuple(_cut(text, _WORD) for text in row[1:]) for row in rows]
    widths = [max(map(len, column)) for column in zip(*others, strict=True)]
    room = max(_SHORTEST_NAME, WIDTH - 2 - sum(width + 2 for width in widths))
    names = [_cut(row[0], room) for row in rows]
    first = max(map(len, names))
    for name, row in zip(names, others, strict=True):
        cells = (name.ljust(first), *(text.ljust(width) for text, width in zip(row, widths, strict=True)))
        yield f"  {'  '.join(cells)}".rstrip()


def _cut(text: str, most: int) -> str:
    """The ends of names tell them apart."""
    if len(text) <= most:
        return text
    end = most // 2
    return f"{text[: most - end - 1]}…{text[-end:]}"
