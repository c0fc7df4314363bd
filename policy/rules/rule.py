"""What a rule is: a name, what it demands, and a pure function that finds where it is broken."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from policy.objects import KubernetesObject

Settings = Mapping[str, Any]
"""A policy's own part of the config, with the defaults of what it leaves out."""
Schema = Mapping[str, Mapping[str, Any]]
"""By name of a setting: its JSON schema, `default` included."""


@dataclass(frozen=True)
class Breach:
    """One place where the stack as a whole breaks a rule."""

    message: str
    urn: str | None = None


@dataclass(frozen=True, kw_only=True)
class ObjectRule:
    """What one object tells by itself. Manifests that a ConfigMap carries are looked at too."""

    name: str
    """Of the policy; config files refer to it."""
    description: str
    """What must hold, in a sentence."""
    find: Callable[[KubernetesObject, Settings], Iterable[str]]
    """Messages: what is wrong, and what to write instead."""
    settings: Schema = field(default_factory=dict)

    def broken(self, sent: KubernetesObject, settings: Settings) -> Iterator[str]:
        """Where an object, or what it carries, breaks the rule."""
        yield from self.find(sent, settings)
        for manifest in sent.carried():
            yield from (f"{manifest}: {message}" for message in self.find(manifest, settings))


@dataclass(frozen=True, kw_only=True)
class StackRule:
    """What only all objects of a stack tell together."""

    name: str
    description: str
    find: Callable[[Sequence[KubernetesObject], Settings], Iterable[Breach]]
    settings: Schema = field(default_factory=dict)

    def broken(self, stack: Sequence[KubernetesObject], settings: Settings) -> Iterator[Breach]:
        """Where the stack breaks the rule."""
        carried = [manifest for sent in stack for manifest in sent.carried()]
        yield from self.find([*stack, *carried], settings)


def texts(description: str, default: Sequence[str] = ()) -> Mapping[str, Any]:
    """The schema of a setting that is a list of texts."""
    return {
        "type": "array",
        "items": {"type": "string"},
        "description": description,
        "default": list(default),
    }


def listed(settings: Settings, name: str) -> list[str]:
    """A setting that is a list of texts."""
    return [str(item) for item in settings.get(name) or ()]
