"""How jobs stand in Kueue's queues. Pure."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from infra.cluster.jobs import TFJob
from infra.cluster.objects import Object, condition
from infra.cluster.state import State
from infra.models.quantities import amount
from infra.pod_resources import Quantities, shown


@dataclass(frozen=True, kw_only=True)
class Standing:
    """What Kueue says of a job that waits, and what the job lacks."""

    needs: Quantities
    """All its pods together, by resource."""
    free: Quantities
    """Of what its queue holds, by resource; below zero where the queue was made smaller."""
    reason: str
    """One word of Kueue's: Pending, Inadmissible."""
    message: str
    """Kueue's own sentence."""
    put_back: str
    """Why it is in the queue again after it was let start; empty: it was not."""

    @property
    def why(self) -> str:
        """`needs 8 cpu, 3 free`; or that there is room, and others are before it."""
        short = [name for name in self.needs if name in self.free and self.needs[name] > self.free[name]]
        lacking = (
            f"needs {shown(name, self.needs[name])} {name}, "
            f"{shown(name, max(self.free[name], Decimal(0)))} free"
            for name in short
        )
        return "; ".join(lacking) or "others are before it"


def standing(state: State, job: TFJob) -> Standing | None:
    """None: Kueue has not taken notice of the job."""
    workload = next((item for item in state.of("workloads") if _is_of(item, job)), None)
    if workload is None:
        return None
    reserved, evicted = condition(workload, "QuotaReserved"), condition(workload, "Evicted")
    return Standing(
        needs=_needs(workload),
        free=_free(_cluster_queue(state, job)),
        reason=str(reserved.get("reason") or ""),
        message=str(reserved.get("message") or ""),
        put_back=str(evicted.get("message") or "") if evicted.get("status") == "True" else "",
    )


def _is_of(workload: Object, job: TFJob) -> bool:
    owners: Sequence[Mapping[str, str]] = workload["metadata"].get("ownerReferences") or ()
    return any(owner.get("uid") == job.uid for owner in owners)


def _cluster_queue(state: State, job: TFJob) -> Object:
    local = state.find("localqueues", job.namespace, job.queue or "")
    named = ((local or {}).get("spec") or {}).get("clusterQueue") or ""
    return state.find("clusterqueues", "", str(named)) or {}


def _needs(workload: Object) -> Quantities:
    found: dict[str, Decimal] = defaultdict(Decimal)
    for role in (workload.get("status") or {}).get("resourceRequests") or ():
        for name, value in (role.get("resources") or {}).items():
            found[name] += amount(str(value))
    return found


def _free(queue: Object) -> Quantities:
    free: dict[str, Decimal] = defaultdict(Decimal)
    groups = (queue.get("spec") or {}).get("resourceGroups") or ()
    for flavor in (flavor for group in groups for flavor in group.get("flavors") or ()):
        for name, value in _amounts(flavor, "nominalQuota"):
            free[name] += value
    for flavor in (queue.get("status") or {}).get("flavorsReservation") or ():
        for name, value in _amounts(flavor, "total"):
            free[name] -= value
    return free


def _amounts(flavor: Object, field: str) -> Iterator[tuple[str, Decimal]]:
    for resource in flavor.get("resources") or ():
        yield str(resource["name"]), amount(str(resource.get(field) or "0"))
