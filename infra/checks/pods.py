"""Pods as the API server sees them: what they ask for, and where they may go."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from typing import Any, Literal, Self

from infra.models import JobSpec, LimitRangeSpec, RoleName, Taint
from infra.models.base import Loc
from infra.models.quantities import amount
from infra.pod_resources import ContainerKind, Quantities, counted, together

Kind = Literal["requests", "limits"]
KINDS: tuple[Kind, ...] = ("requests", "limits")
SERVICES = ("services", "count/services")
"""Keys of a ResourceQuota; the operator makes a Service for each pod."""


@dataclass(frozen=True)
class Defaults:
    """What a LimitRange gives to containers, as the API server completes it."""

    requests: Quantities = field(default_factory=dict)
    limits: Quantities = field(default_factory=dict)

    @classmethod
    def of(cls, spec: LimitRangeSpec | None) -> Self:
        """Without a default, `max` is the limit; without a default request, the limit or `min` is."""
        if spec is None:
            return cls()
        low, request, limit, high = (
            {name: amount(text) for name, text in bounds.as_kubernetes().items()}
            for bounds in (spec.min, spec.default_request, spec.default, spec.max)
        )
        limits = {**high, **limit}
        return cls(requests={**low, **limits, **request}, limits=limits)


@dataclass(frozen=True, kw_only=True)
class Container:
    """A container with its resources after defaults."""

    name: str
    kind: ContainerKind
    place: Loc
    """Of its resources, where fields of the stack say them."""
    stated: Mapping[Kind, Mapping[str, str]]
    """As written, without defaults."""
    requests: Quantities
    limits: Quantities
    unreadable: tuple[tuple[Loc, str], ...] = ()
    """Amounts that are none: where, and `<what is wrong>; <what to write instead>`."""
    overrides: Mapping[tuple[Kind, str], Loc] = field(default_factory=dict)
    """Where pod_overrides has the last word."""

    def at(self, kind: Kind, resource: str) -> Loc:
        """Where an amount is, or would be, written."""
        if (kind, resource) in self.overrides:
            return self.overrides[kind, resource]
        if "/" in resource:
            return (*self.place, "gpus")
        return (*self.place, kind, resource.replace("-", "_"))


@dataclass(frozen=True)
class Toleration:
    """A toleration in the API's meaning: nothing stated means Equal, any effect."""

    key: str = ""
    operator: str = "Equal"
    value: str = ""
    effect: str = ""

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> Self:
        """From the API's spelling."""
        names = ("key", "operator", "value", "effect")
        return cls(**{name: str(raw[name]) for name in names if raw.get(name) is not None})

    def tolerates(self, taint: Taint) -> bool:
        """Whether a pod with this may live with the taint."""
        if self.effect not in ("", taint.effect) or self.key not in ("", taint.key):
            return False
        return self.operator == "Exists" or (self.key != "" and self.value == taint.value)


Requirement = tuple[str, str, tuple[str, ...]]
"""A label's key, an operator of node affinity, and values."""


@dataclass(frozen=True, kw_only=True)
class Pods:
    """The pods of one role, which are alike."""

    place: Loc
    role: RoleName | None
    replicas: int
    containers: tuple[Container, ...]
    priority: str | None
    node_terms: tuple[tuple[Requirement, ...], ...] = ((),)
    """One of these must hold whole."""
    tolerations: tuple[Toleration, ...] = ()

    @cached_property
    def requests(self) -> Quantities:
        """What the scheduler sets aside for one pod, and a quota counts."""
        return together([(c.kind, c.requests) for c in self.containers])

    @cached_property
    def limits(self) -> Quantities:
        """What a quota counts as the limits of one pod."""
        return together([(c.kind, c.limits) for c in self.containers])

    def uses(self, key: str) -> Decimal:
        """What all of them add to a key of a ResourceQuota."""
        return self.replicas * (Decimal(1) if key in SERVICES else counted(key, self.requests, self.limits))

    def admitted(self, taints: Iterable[Taint]) -> bool:
        """Whether nodes with these taints take the pods."""
        return not any(self.untolerated(taints))

    def untolerated(self, taints: Iterable[Taint]) -> Iterator[Taint]:
        """The taints that keep the pods away."""
        for taint in taints:
            if taint.effect != "PreferNoSchedule" and not any(t.tolerates(taint) for t in self.tolerations):
                yield taint


@dataclass(frozen=True, kw_only=True)
class Workload:
    """A job, and the pods of all its roles."""

    place: Loc
    job: JobSpec
    pods: tuple[Pods, ...]
