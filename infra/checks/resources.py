"""Amounts as they are sent, also those of pod_overrides: readable, in one unit, GPUs whole and not shared."""

from collections.abc import Iterator

from infra.checks import devices
from infra.checks.findings import Finding, Subject
from infra.checks.pods import KINDS, Container
from infra.models.quantities import amount


def check(subject: Subject) -> Iterator[Finding]:
    """Each container by itself."""
    for workload in subject.workloads:
        found = (f for pods in workload.pods for c in pods.containers for f in _container(c))
        yield from dict.fromkeys(found)  # every role has the containers beside the training


def _container(container: Container) -> Iterator[Finding]:
    for place, sentence in container.unreadable:
        message, _, remedy = sentence.rpartition("; ")
        yield Finding(code="bad-amount", place=place, message=message or sentence, remedy=remedy or "mend it")
    yield from _devices(container)
    yield from _units(container)


def _devices(container: Container) -> Iterator[Finding]:
    wrong = {place for place, _ in container.unreadable}
    stated = {
        kind: {
            resource: amount(text)
            for resource, text in container.stated[kind].items()
            if "/" in resource and container.at(kind, resource) not in wrong
        }
        for kind in KINDS
    }
    for fault in devices.faults(stated["requests"], stated["limits"]):
        if container.at("limits", fault.resource) not in wrong:
            yield Finding(
                code=fault.code,
                place=container.at("requests", fault.resource),
                message=f"container {container.name}: {fault.message}",
                remedy=fault.remedy,
            )


def _units(container: Container) -> Iterator[Finding]:
    """1G is 7 percent less than 1Gi: both in one container are a slip."""
    for resource in ("memory", "ephemeral-storage"):
        texts = [(kind, container.stated[kind].get(resource, "")) for kind in KINDS]
        binary = [text for _, text in texts if text.endswith("i")]
        decimal = [(kind, text) for kind, text in texts if text[-1:] in set("kMGTPE")]
        for kind, text in decimal if binary else ():
            share = 100 - 100 * amount(text) / amount(f"{text.upper()}i")
            yield Finding(
                severity="warning",
                code="mixed-units",
                place=container.at(kind, resource),
                message=f"{text} stands beside {binary[0]}, and {text} is {share:.0f} percent "
                f"less than {text.upper()}i",
                remedy=f"write {text.upper()}i, or the other without i",
            )
