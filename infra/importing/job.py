"""One manifest becomes one entry, and what there is to say about it. Pure."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from infra.checks import Finding
from infra.importing import (
    containers,
    fields,
    intent,
    kinds,
    metadata,
    pod,
    roles,
    run_policy,
    security,
    verdict,
    volumes,
)
from infra.importing.entry import Data, Entry, Piece
from infra.importing.remarks import advice, warning
from infra.importing.roles import Replica
from infra.models import JobSpec, RoleName
from infra.models.base import Loc

DEFAULT_PRIORITY = "offline-low"
"""What an entry says where a manifest names no class: training ranks below services."""
_AT: Loc = ("spec", "tfReplicaSpecs")


@dataclass(frozen=True)
class Imported:
    """What became of a manifest."""

    entry: Mapping[str, Any] | None
    """An item for `jobs:` of a stack; None where there are faults."""
    findings: tuple[Finding, ...]
    """With places in the manifest."""


def imported(manifest: Mapping[str, Any]) -> Imported:
    """Read a TFJob as it stands; a fault is what keeps it from running, or makes it do other than it says."""
    refused = tuple(kinds.served(manifest))
    if refused:
        return Imported(None, refused)
    data, faults = fields.cleaned(manifest)
    entry = Entry(data, findings=list(faults))
    entry.comes_from((), _AT)
    metadata.write(entry)
    replicas = roles.replicas(entry)
    _share(entry, replicas)
    metadata.write_marks(
        entry, [((*r.template_place, "metadata"), r.template.get("metadata", {})) for r in replicas]
    )
    run_policy.write(entry, with_servers=any(replica.role == "ps" for replica in replicas))
    entry.data = {field: entry.data[field] for field in JobSpec.model_fields if field in entry.data}
    entry.findings += verdict.findings(entry)
    entry.findings += intent.remarks(replicas)
    findings = tuple(entry.findings)
    good = all(finding.severity != "fault" for finding in findings)
    return Imported(entry.data if good else None, findings)


def _share(entry: Entry, replicas: Sequence[Replica]) -> None:
    """What all roles say alike is the job's; what they say differently stays with each role."""
    pods = {r.role: (r.template.get("spec", {}), (*r.template_place, "spec")) for r in replicas}
    for replica in replicas:
        spec, at = pods[replica.role]
        entry.findings += containers.faults(spec, at, str(replica.place[-1]))
        entry.findings += volumes.faults(spec, at)
        roles.write(entry, replica)
    _trainings(entry, {role: containers.training(*found) for role, found in pods.items()})
    job = str(entry.data.get("name"))
    _pieces(entry, {role: {p.name: p for p in pod.pieces(*found, job)} for role, found in pods.items()})
    _security(entry, pods)
    _priority(entry, pods)


def _trainings(entry: Entry, trainings: Mapping[str, tuple[Mapping[str, Any], Loc]]) -> None:
    said = {
        role: {f: (v, p) for f, v, p in containers.of_the_role(*found)} for role, found in trainings.items()
    }
    images = Counter(fields["image"][0] for fields in said.values() if fields["image"][0])
    commands = {(str(fields["command"][0]), str(fields["args"][0])) for fields in said.values()}
    plain = [fields["env"][0].items() for fields in said.values()]
    common = {k: v for k, v in (plain[0] if plain else ()) if all((k, v) in items for items in plain)}
    usual = max(images, key=lambda image: images[image], default=None)
    for role, values in said.items():
        image, place = values["image"]
        entry.put(("image",) if image == usual else (role, "image"), image, place)
        for field in ("command", "args"):
            value, place = values[field]
            entry.put((field,) if len(commands) == 1 else (role, field), value, place)
        own, place = values["env"]
        entry.put(("env",), common, place)
        entry.put((role, "env"), {k: v for k, v in own.items() if k not in common}, place)
        entry.put((role, "resources"), *values["resources"])


def _pieces(entry: Entry, by_role: Mapping[str, Mapping[str, Piece]]) -> None:
    for field in dict.fromkeys(field for pieces in by_role.values() for field in pieces):
        having = {role: pieces[field] for role, pieces in by_role.items() if field in pieces}
        first = next(iter(having.values()))
        alike = len(having) == len(by_role) and all(
            (p.typed, p.raw) == (first.typed, first.raw) for p in having.values()
        )
        if alike and first.typed is None:
            entry.override((), first.raw, first.place)
        elif alike or field == "priority":
            entry.put((field,), first.typed, first.place)
            for below, place in first.places.items():
                entry.comes_from((field, *below), place)
        for role, piece in having.items():
            if not alike and (field != "priority" or piece.typed != first.typed):
                entry.override((role,), piece.raw, piece.place)


def _priority(entry: Entry, pods: Mapping[RoleName, tuple[Data, Loc]]) -> None:
    """Pods without a class rank as the cluster's default says; an entry has one class for all."""
    without = {role: place for role, (spec, place) in pods.items() if not spec.get("priorityClassName")}
    if "priority" not in entry.data:
        text = (
            "no priorityClassName, so it ranks with services that name none; "
            f"keep the {DEFAULT_PRIORITY} of the entry, or name another class"
        )
        entry.findings.append(advice("no-priority", _AT, text))
        entry.put(("priority",), DEFAULT_PRIORITY, _AT)
        return
    for place in without.values():
        text = (
            "no priorityClassName here, and another role has one; the entry gives every role "
            f"{entry.data['priority']}: see that this is meant, or name another class"
        )
        entry.findings.append(warning("priority-of-another-role", place, text))


def _security(entry: Entry, pods: Mapping[RoleName, tuple[Mapping[str, Any], Loc]]) -> None:
    said = {role: security.typed(spec) for role, (spec, _) in pods.items()}
    if not said:
        return
    alike = all(value == next(iter(said.values())) for value in said.values())
    _, at = next(iter(pods.values()))
    found = next(iter(said.values())) if alike else security.typed({})
    entry.put(("security",), found, (*at, "securityContext"))
    if not alike:
        for role, (spec, place) in pods.items():
            entry.override((role,), security.users(spec), (*place, "securityContext"))
    if any(map(security.may_be_root, said.values())):
        text = (
            "the image's own user runs the training, which may be root, and a tenant of level restricted "
            "refuses it; run the image as user 1000 and remove security: from the entry"
        )
        entry.findings.append(advice("may-be-root", at, text))
