"""The roles of a job, whatever the case in which they are written."""

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches

from infra.checks import Finding
from infra.importing.entry import Data, Entry
from infra.importing.remarks import advice, fault, warning
from infra.models import ROLES, RoleName, RoleSpec
from infra.models.base import Loc

_AT: Loc = ("spec", "tfReplicaSpecs")
_SPELT: dict[str, RoleName] = {
    "chief": "chief",
    "master": "chief",  # the operator's old name of it
    "worker": "worker",
    "ps": "ps",
    "evaluator": "evaluator",
}
_KNOWN = ("Chief", "Worker", "PS", "Evaluator")
_UNSET = "Never"
"""The operator's restart policy where a replica states none, TFJobDefaultRestartPolicy."""


@dataclass(frozen=True)
class Replica:
    """One role as the manifest has it."""

    role: RoleName
    place: Loc
    data: Data

    @property
    def template(self) -> Data:
        """Of its pods; empty where none is given."""
        found: Data = self.data.get("template", {})
        return found

    @property
    def template_place(self) -> Loc:
        return (*self.place, "template")


def replicas(entry: Entry) -> tuple[Replica, ...]:
    """The roles that have pods, in the order of an entry."""
    given: Data = entry.manifest.get("spec", {}).get("tfReplicaSpecs", {})
    if not given:
        text = "the job has no roles; write spec.tfReplicaSpecs with at least a Worker"
        entry.findings.append(fault("missing-key", _AT[:1], text))
    found: dict[RoleName, Replica] = {}
    for key, data in given.items():
        role = _SPELT.get(key.lower())
        if role is None:
            entry.findings.append(_unknown(key))
        elif role in found:
            before = found[role].place[-1]
            text = f"{before} and {key} are one role, and the operator takes one of them; keep one"
            entry.findings.append(fault("role-twice", (*_AT, key), text))
        else:
            found[role] = Replica(role, (*_AT, key), data)
            if key.lower() == "master":
                entry.findings.append(_renamed(key))
    ordered = tuple(found[role] for role in ROLES if role in found)
    entry.findings += _without_pods(ordered)
    return tuple(
        replica for replica in ordered if replica.data.get("replicas") != 0 or replica.role == "chief"
    )


def write(entry: Entry, replica: Replica) -> None:
    """Write how many pods the role has, and when one that ended starts again."""
    entry.data.setdefault(replica.role, {})
    entry.comes_from((replica.role,), replica.place)
    number = replica.data.get("replicas", 1)
    if number != 1:
        entry.put((replica.role, "replicas"), number, (*replica.place, "replicas"))
    policy = _restart_policy(entry, replica)
    if policy != RoleSpec().restart_policy:
        entry.put((replica.role, "restart_policy"), policy, (*replica.place, "restartPolicy"))


def _restart_policy(entry: Entry, replica: Replica) -> str:
    """The replica's, which the operator writes over that of the pod template."""
    stated: str | None = replica.data.get("restartPolicy") or None
    in_template: str | None = replica.template.get("spec", {}).get("restartPolicy")
    place = (*replica.template_place, "spec", "restartPolicy")
    if stated is None and in_template is not None:
        text = (
            f"the operator writes the role's restartPolicy over it, which is unset and means {_UNSET}; "
            f"move it to {'.'.join(map(str, replica.place))}.restartPolicy, as the entry has it"
        )
        entry.findings.append(warning("restart-policy-in-template", place, text))
        return in_template
    if stated is None:
        text = (
            f"no restartPolicy means {_UNSET}, so one eviction ends the job; write restartPolicy: OnFailure"
        )
        entry.findings.append(advice("restart-policy-unset", replica.place, text))
        return _UNSET
    if in_template not in (None, stated):
        text = f"the operator writes the role's {stated} over it; remove it"
        entry.findings.append(warning("restart-policy-in-template", place, text))
    return stated


def _unknown(key: str) -> Finding:
    [close] = get_close_matches(key.capitalize(), _KNOWN, n=1) or [", ".join(_KNOWN)]
    text = f"the operator knows no such role, and the job's state would never change; write {close}"
    return fault("role-unknown", (*_AT, key), text)


def _renamed(key: str) -> Finding:
    text = (
        f"the role is called chief in an entry, in its pods' names and in TF_CONFIG; "
        f"see that the training does not look for {key.lower()}"
    )
    return advice("master-is-chief", (*_AT, key), text)


def _without_pods(found: tuple[Replica, ...]) -> Iterator[Finding]:
    chief = any(replica.role == "chief" for replica in found)
    for replica in found:
        if replica.data.get("replicas") != 0 or replica.role == "chief":
            continue
        place = (*replica.place, "replicas")
        if replica.role == "worker" and not chief:
            text = "no worker and no chief, so the job would succeed at once; write 1 or more"
            yield fault("no-pods", place, text)
        else:
            yield advice(
                "no-pods", place, "0 is a role without pods, and the entry has no such role; remove it"
            )
