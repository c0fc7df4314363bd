"""The pods that an object makes, whatever kind it is of."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fnmatch import fnmatchcase
from typing import Any

from infra.models.quantities import amount
from infra.pod_resources import ContainerKind, Quantities, together
from infra.vocabulary import TRAINING_API_VERSION
from policy.objects import UNKNOWN, KubernetesObject, mapping, mappings, text

_TEMPLATES = (
    "DaemonSet",
    "Deployment",
    "Job",
    "ReplicaSet",
    "ReplicationController",
    "StatefulSet",
)
_TRAINING_GROUP = TRAINING_API_VERSION.partition("/")[0]
_ROLES = "ReplicaSpecs"  # tfReplicaSpecs, pytorchReplicaSpecs and so on
OFFLINE_CLASSES = ("offline-*",)
"""Patterns of names of PriorityClasses, unless a setting says otherwise."""


@dataclass(frozen=True, kw_only=True)
class Pods:
    """Pods that are alike."""

    what: str
    """`its Worker pods`."""
    spec: Mapping[str, Any]
    restart_policy: Any
    """Of the role in a training job, else of the pods; None if not said."""
    replicas: int = 1
    training: bool = False
    """Of a job of the training operator."""

    @property
    def priority_class(self) -> str | None:
        return text(self.spec.get("priorityClassName"))

    def containers(self) -> Iterator[tuple[ContainerKind, Mapping[str, Any]]]:
        """Those that run first come first."""
        for raw in mappings(self.spec.get("initContainers")):
            yield "sidecar" if raw.get("restartPolicy") == "Always" else "init", raw
        for raw in mappings(self.spec.get("containers")):
            yield "main", raw

    def asked(self, kind: str) -> Quantities:
        """What one pod's containers come to; kind is `requests` or `limits`."""
        return together([(which, amounts(raw, kind)) for which, raw in self.containers()])

    def offline(self, classes: object) -> bool:
        """Whether this is offline work: training, or of an offline class."""
        return self.training or is_offline(self.priority_class, classes)


def pods(sent: KubernetesObject) -> Iterator[Pods]:
    """Every group of pods that the object makes; none for most kinds."""
    if sent.group == _TRAINING_GROUP:
        yield from _training(sent)
    elif sent.kind == "Pod":
        yield _of("it", sent.spec)
    elif sent.kind == "CronJob":
        job = mapping(mapping(sent.spec.get("jobTemplate")).get("spec"))
        yield _of("its pods", mapping(mapping(job.get("template")).get("spec")))
    elif sent.kind in _TEMPLATES:
        replicas = _count(sent.spec.get("parallelism" if sent.kind == "Job" else "replicas"))
        yield _of("its pods", mapping(mapping(sent.spec.get("template")).get("spec")), replicas)


def _of(what: str, spec: Mapping[str, Any], replicas: int = 1) -> Pods:
    return Pods(what=what, spec=spec, restart_policy=spec.get("restartPolicy"), replicas=replicas)


def _training(sent: KubernetesObject) -> Iterator[Pods]:
    for field, roles in sent.spec.items():
        if field.endswith(_ROLES):
            for role, replica in mapping(roles).items():
                raw = mapping(replica)
                yield Pods(
                    what=f"its {role} pods",
                    spec=mapping(mapping(raw.get("template")).get("spec")),
                    restart_policy=raw.get("restartPolicy"),
                    replicas=_count(raw.get("replicas")),
                    training=True,
                )


def is_offline(priority_class: str | None, classes: object) -> bool:
    """Whether a PriorityClass is for offline work, by the patterns of a setting."""
    patterns = classes if isinstance(classes, list | tuple) else OFFLINE_CLASSES
    return priority_class is not None and any(fnmatchcase(priority_class, str(p)) for p in patterns)


def stated(container: Mapping[str, Any], kind: str) -> Mapping[str, Any]:
    """`requests` or `limits` as written."""
    return mapping(mapping(container.get("resources")).get(kind))


def states(container: Mapping[str, Any], kind: str, resource: str) -> bool:
    """Whether an amount is written, or may be: what is not known yet is not held against anybody."""
    resources = container.get("resources")
    if resources is UNKNOWN or mapping(resources).get(kind) is UNKNOWN:
        return True
    return resource in stated(container, kind)


def amounts(container: Mapping[str, Any], kind: str) -> Quantities:
    """The readable amounts, with the limits for requests that are left out, as the API server does."""
    found: dict[str, Decimal] = {}
    for name, value in {
        **(stated(container, "limits") if kind == "requests" else {}),
        **stated(container, kind),
    }.items():
        if (quantity := read(value)) is not None:
            found[name] = quantity
    return found


def read(value: Any) -> Decimal | None:
    """An amount as a number; None for what is none."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        return amount(str(value))
    except ValueError:
        return None


def name_of(container: Mapping[str, Any]) -> str:
    return text(container.get("name")) or "(unnamed)"


def _count(value: Any) -> int:
    return int(value) if isinstance(value, int | float) else 1
