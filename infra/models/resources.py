"""CPU, memory and GPUs that a container asks for."""

from collections.abc import Iterator

from infra.models.base import Count, Fault, Model
from infra.models.quantities import Cpu, Memory, amount


class Amounts(Model):
    """Amounts of compute; what is left out is not stated at all."""

    cpu: Cpu | None = None
    """Cores: 500m, 0.5 or 2."""
    memory: Memory | None = None
    """Bytes: 512Mi or 2Gi."""
    ephemeral_storage: Memory | None = None
    """Bytes of the node's disk."""

    def as_kubernetes(self) -> dict[str, str]:
        """A ResourceList, in the API's spelling."""
        return {name.replace("_", "-"): text for name, text in self.given()}

    def given(self) -> Iterator[tuple[str, str]]:
        """The amounts that are stated, by field name."""
        for name in type(self).model_fields:
            text = getattr(self, name)
            if text is not None:
                yield name, text

    def exceeding(self, other: "Amounts") -> Iterator[str]:
        """Fields stated in both whose amount here is larger than there."""
        there = dict(other.given())
        for name, text in self.given():
            if name in there and amount(text) > amount(there[name]):
                yield name


class Compute(Model):
    """What one container is promised, and what it may use."""

    requests: Amounts = Amounts()
    """What the scheduler sets aside."""
    limits: Amounts = Amounts()
    """What the container may not exceed."""

    def faults(self) -> Iterator[Fault]:
        for name in self.requests.exceeding(self.limits):
            request, limit = getattr(self.requests, name), getattr(self.limits, name)
            yield (
                ("requests", name),
                f"{request} is requested and limits.{name} is {limit}; raise the limit or lower the request",
            )


class Resources(Compute):
    """Compute of a training container, and its GPUs."""

    gpus: Count = 0
    """Whole GPUs; Kubernetes neither shares nor overcommits them."""
