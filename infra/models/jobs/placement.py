"""Where pods may go, beyond the pool: tolerations, affinity, spread."""

import re
from collections.abc import Iterator, Mapping
from typing import Literal

from pydantic import Field

from infra.models.base import Count, Fault, Model, PositiveInt, Weight
from infra.models.names import LabelKey, LabelValue

HOSTNAME = "kubernetes.io/hostname"


class TolerationSpec(Model):
    """A taint that the pods may live with, beside those of their pool."""

    key: LabelKey | None = None
    """Unset, with operator Exists: every taint."""
    operator: Literal["Equal", "Exists"] = "Equal"
    value: LabelValue | None = None
    """With operator Equal only."""
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"] | None = None
    """Unset: every effect."""
    toleration_seconds: Count | None = None
    """With NoExecute: how long the pod stays. Unset: for ever."""


class NodeAffinityTerm(Model):
    """Nodes by one of their labels."""

    key: LabelKey
    operator: Literal["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"] = "In"
    values: tuple[LabelValue, ...] = ()
    """For In, NotIn: any of these; for Gt, Lt: one whole number."""
    weight: Weight | None = None
    """1 to 100: a wish of this weight. Unset: a must."""

    def faults(self) -> Iterator[Fault]:
        if self.operator in ("In", "NotIn") and not self.values:
            yield ("values",), f"{self.operator} compares with values, and none is given; write one or more"
        if self.operator in ("Exists", "DoesNotExist") and self.values:
            yield ("values",), f"{self.operator} looks at the key alone; remove the values, or write In"
        if self.operator in ("Gt", "Lt") and not _one_whole_number(self.values):
            yield ("values",), f'{self.operator} compares with one whole number; write one such as ["8"]'


def _one_whole_number(values: tuple[str, ...]) -> bool:
    return len(values) == 1 and re.fullmatch(r"[0-9]{1,18}", values[0]) is not None


class PodAffinityTerm(Model):
    """Nodes, or zones, that run certain other pods."""

    labels: Mapping[LabelKey, LabelValue] = Field(min_length=1)
    """Labels of those pods."""
    topology_key: LabelKey = HOSTNAME
    """The node label that says what counts as one place."""
    weight: Weight | None = None
    """1 to 100: a wish of this weight. Unset: a must."""


class AffinitySpec(Model):
    """What pods are drawn to, and what they keep away from."""

    node_affinity: tuple[NodeAffinityTerm, ...] = ()
    """All that are musts must hold."""
    pod_affinity: tuple[PodAffinityTerm, ...] = ()
    pod_anti_affinity: tuple[PodAffinityTerm, ...] = ()


class TopologySpreadSpec(Model):
    """How evenly the pods of the job lie over nodes or zones."""

    topology_key: LabelKey = HOSTNAME
    """The node label that says what counts as one place."""
    max_skew: PositiveInt = 1
    """Pods that one place may hold more than another."""
    when_unsatisfiable: Literal["DoNotSchedule", "ScheduleAnyway"] = "ScheduleAnyway"
