"""What containers are given: environment, ports, and containers beside the training."""

from collections.abc import Iterator, Mapping
from typing import Literal

from pydantic import Field

from infra.models.base import Fault, Flag, Model, exactly_one
from infra.models.names import (
    ConfigKey,
    ContainerAmount,
    DnsLabel,
    EnvName,
    Image,
    ObjectName,
    PodField,
    PortName,
    PortNumber,
)
from infra.models.resources import Resources


class ValueFrom(Model):
    """Where the value of an environment variable comes from: exactly one of the four."""

    secret: ObjectName | None = None
    """A Secret of the namespace; with `key`."""
    config_map: ObjectName | None = None
    """A ConfigMap of the namespace; with `key`."""
    key: ConfigKey | None = None
    """The key in the Secret or ConfigMap."""
    field: PodField | None = None
    """A field of the pod, such as metadata.name or status.hostIP."""
    resource: ContainerAmount | None = None
    """Of the container's resources, such as limits.cpu."""
    optional: Flag = False
    """Start also where the Secret, the ConfigMap or its key is missing."""

    def faults(self) -> Iterator[Fault]:
        yield from exactly_one(self, "secret", "config_map", "field", "resource")
        keyed = self.secret is not None or self.config_map is not None
        if keyed and self.key is None:
            yield (), "no key of the Secret or ConfigMap given; add key: <name>"
        if not keyed and self.key is not None:
            yield ("key",), "belongs to a secret or config_map, and there is none; remove it"


class EnvFromSpec(Model):
    """Every key of a Secret or a ConfigMap as a variable."""

    secret: ObjectName | None = None
    """A Secret of the namespace. Either this or `config_map`."""
    config_map: ObjectName | None = None
    """A ConfigMap of the namespace. Either this or `secret`."""
    prefix: EnvName | None = None
    """Put before each name."""
    optional: Flag = False
    """Start also where it is missing."""

    def faults(self) -> Iterator[Fault]:
        yield from exactly_one(self, "secret", "config_map")


class PortSpec(Model):
    """A port that a container listens on."""

    name: PortName
    port: PortNumber
    protocol: Literal["TCP", "UDP", "SCTP"] = "TCP"


class ContainerSpec(Model):
    """A container beside the training one. It has the job's volumes mounted where the training has them."""

    name: DnsLabel
    image: Image
    command: tuple[str, ...] = ()
    """Replaces the image's entry point."""
    args: tuple[str, ...] = ()
    env: Mapping[EnvName, str] = Field(default_factory=dict)
    env_value_from: Mapping[EnvName, ValueFrom] = Field(default_factory=dict)
    """Variables whose values stand elsewhere, as in a Secret."""
    ports: tuple[PortSpec, ...] = ()
    resources: Resources = Resources()
    """What the container asks for and may use."""
