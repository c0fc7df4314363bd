"""Pods as the API serves them, reduced to what is asked about them. Pure."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from functools import cached_property

from infra.checks.pods import Toleration
from infra.cluster.containers import Container
from infra.cluster.objects import Found, Object, condition, labels_of, moment
from infra.models import Taint
from infra.models.quantities import amount
from infra.vocabulary import (
    JOB_LABEL,
    JOB_NAME_LABEL,
    REPLICA_INDEX_LABEL,
    REPLICA_TYPE_LABEL,
    RUN_LABEL,
    STARTER_LABEL,
    TENSORFLOW_CONTAINER,
)


@dataclass(frozen=True)
class Pod(Found):
    """A pod: of a TFJob, or any other."""

    @property
    def labels(self) -> Mapping[str, str]:
        return labels_of(self.raw)

    @property
    def annotations(self) -> Mapping[str, str]:
        return self.raw["metadata"].get("annotations") or {}

    @property
    def port_names(self) -> frozenset[str]:
        """Of all its containers."""
        return frozenset(str(p.get("name")) for c in self._all_containers() for p in c.get("ports") or ())

    @property
    def job(self) -> str | None:
        """The TFJob that it is of."""
        return self.labels.get(JOB_NAME_LABEL)

    @property
    def starts(self) -> str | None:
        """The scheduled job that it starts a run of."""
        return self.labels.get(JOB_LABEL) if STARTER_LABEL in self.labels else None

    @property
    def run(self) -> str:
        """The TFJob that it makes: named as the Job that it is of."""
        return self.labels.get(RUN_LABEL, "")

    @property
    def role(self) -> str:
        """`worker`, `ps`; empty if it is of no TFJob."""
        return self.labels.get(REPLICA_TYPE_LABEL, "").lower()

    @property
    def index(self) -> int:
        text = self.labels.get(REPLICA_INDEX_LABEL, "")
        return int(text) if text.isdigit() else 0

    @property
    def phase(self) -> str:
        return str(self._status.get("phase") or "Pending")

    @property
    def reason(self) -> str:
        """Of the pod as a whole, such as Evicted."""
        return str(self._status.get("reason") or "")

    @property
    def message(self) -> str:
        return str(self._status.get("message") or "")

    @property
    def node(self) -> str | None:
        return self.spec.get("nodeName") or None

    @property
    def started(self) -> datetime | None:
        """When its node took it, by the node's clock."""
        return moment(self._status.get("startTime"))

    @property
    def spec(self) -> Object:
        found: Object = self.raw.get("spec") or {}
        return found

    @property
    def leaving(self) -> bool:
        """Whether it is being deleted."""
        return bool(self.raw["metadata"].get("deletionTimestamp"))

    @property
    def over(self) -> bool:
        return self.phase in ("Succeeded", "Failed")

    @property
    def ready(self) -> bool:
        return self.condition("Ready").get("status") == "True"

    @cached_property
    def containers(self) -> tuple[Container, ...]:
        """Those that run beside one another, after those that run before them."""
        listed = ("initContainerStatuses", "containerStatuses")
        return tuple(Container(raw) for key in listed for raw in self._status.get(key) or ())

    @property
    def training(self) -> Container | None:
        """The container that trains."""
        return next((c for c in self.containers if c.name == TENSORFLOW_CONTAINER), None)

    @property
    def restarts(self) -> int:
        return sum(container.restarts for container in self.containers)

    def condition(self, kind: str) -> Object:
        """A condition of the pod; empty if there is none of that type."""
        return condition(self.raw, kind)

    def image(self, container: str) -> str:
        """The image that a container asks for."""
        found = (c for c in self._all_containers() if c.get("name") == container)
        return str(next(found, {}).get("image") or "")

    def limit(self, container: str, resource: str) -> str | None:
        """A limit of a container, as written."""
        found = next((c for c in self._all_containers() if c.get("name") == container), {})
        text = ((found.get("resources") or {}).get("limits") or {}).get(resource)
        return None if text is None else str(text)

    def command(self, container: str) -> str:
        """What a container starts, as a line."""
        found = next((c for c in self._all_containers() if c.get("name") == container), {})
        return " ".join(map(str, (*(found.get("command") or ()), *(found.get("args") or ()))))

    def env(self, name: str) -> tuple[str, ...]:
        """The values of a variable of the training container, each time that it is given one."""
        found = next((c for c in self._all_containers() if c.get("name") == TENSORFLOW_CONTAINER), {})
        return tuple(str(e.get("value") or "") for e in found.get("env") or () if e.get("name") == name)

    @cached_property
    def tf_config(self) -> Object | None:
        """What the operator tells the training of its peers; None if that is nothing, or is no JSON."""
        try:
            found = json.loads(self.env("TF_CONFIG")[-1])
        except (IndexError, ValueError):
            return None
        return found if isinstance(found, dict) else None

    @cached_property
    def requests(self) -> Mapping[str, Decimal]:
        """What the scheduler sets aside: containers together, or the largest that runs before them."""
        total: dict[str, Decimal] = {}
        for container in self.spec.get("containers") or ():
            for resource, text in _requests(container):
                total[resource] = total.get(resource, Decimal(0)) + amount(text)
        for container in self.spec.get("initContainers") or ():
            for resource, text in _requests(container):
                before = total.get(resource, Decimal(0))
                beside = container.get("restartPolicy") == "Always"
                total[resource] = before + amount(text) if beside else max(before, amount(text))
        return total

    @property
    def tolerations(self) -> tuple[Toleration, ...]:
        return tuple(map(Toleration.of, self.spec.get("tolerations") or ()))

    def untolerated(self, taints: Iterator[Taint]) -> tuple[Taint, ...]:
        """Those that keep it off a node."""
        kept = (t for t in taints if t.effect != "PreferNoSchedule")
        return tuple(t for t in kept if not any(own.tolerates(t) for own in self.tolerations))

    @property
    def claims(self) -> tuple[str, ...]:
        """Names of the claims that it mounts."""
        found = (v.get("persistentVolumeClaim") for v in self.spec.get("volumes") or ())
        return tuple(str(claim["claimName"]) for claim in found if claim)

    @property
    def _status(self) -> Object:
        found: Object = self.raw.get("status") or {}
        return found

    def _all_containers(self) -> Iterator[Object]:
        yield from self.spec.get("containers") or ()
        yield from self.spec.get("initContainers") or ()


def _requests(container: Object) -> Iterator[tuple[str, str]]:
    resources = container.get("resources") or {}
    for resource, text in {**(resources.get("limits") or {}), **(resources.get("requests") or {})}.items():
        yield str(resource), str(text)
