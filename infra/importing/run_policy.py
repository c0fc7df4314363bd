"""How long the job may try, what stays of it, and when it has succeeded."""

from typing import Any

from infra.importing.entry import Data, Entry
from infra.importing.remarks import advice, fault, warning
from infra.models import RunPolicySpec
from infra.models.base import Loc

_AT: Loc = ("spec", "runPolicy")
_OPERATOR = "kubeflow.org/training-operator"
_KUEUE = "kueue.x-k8s.io/multikueue"
_CLEAN = RunPolicySpec().clean_pod_policy


def write(entry: Entry, with_servers: bool) -> None:
    """Write run policy, success policy and the switch of dynamic workers."""
    spec: Data = entry.manifest.get("spec", {})
    policy: Data = spec.get("runPolicy", {})
    entry.put(("success_policy",), spec.get("successPolicy") or None, ("spec", "successPolicy"))
    _clean_pod_policy(entry, policy, with_servers)
    # The operator's own default is no limit; an entry's is another.
    entry.data.setdefault("run_policy", {})["backoff_limit"] = policy.get("backoffLimit")
    entry.comes_from(("run_policy",), _AT)
    for field, name in (
        ("active_deadline_seconds", "activeDeadlineSeconds"),
        ("ttl_seconds_after_finished", "ttlSecondsAfterFinished"),
        ("suspend", "suspend"),
    ):
        if policy.get(name) is not False:
            entry.put(("run_policy", field), policy.get(name), (*_AT, name))
    if gang := policy.get("schedulingPolicy"):
        _scheduling_policy(entry, gang, (*_AT, "schedulingPolicy"))
    _managed_by(entry, policy.get("managedBy"), (*_AT, "managedBy"))
    if spec.get("enableDynamicWorker"):
        entry.put(("enable_dynamic_worker",), True, ("spec", "enableDynamicWorker"))


def _clean_pod_policy(entry: Entry, policy: Data, with_servers: bool) -> None:
    stated = policy.get("cleanPodPolicy")
    if stated:
        if stated != _CLEAN:
            entry.put(("run_policy", "clean_pod_policy"), stated, (*_AT, "cleanPodPolicy"))
        return
    say = f"the entry's is {_CLEAN}; write cleanPodPolicy where you mean another"
    if with_servers:
        text = (
            f"no cleanPodPolicy is None to the operator: parameter servers run on after the training; {say}"
        )
        entry.findings.append(warning("clean-pod-policy-unset", _AT, text))
    else:
        text = f"no cleanPodPolicy is None to the operator, and pods stay as they are; {say}"
        entry.findings.append(advice("clean-pod-policy-unset", _AT, text))


def _scheduling_policy(entry: Entry, gang: Data, place: Loc) -> None:
    for field, name in (
        ("min_available", "minAvailable"),
        ("queue", "queue"),
        ("priority_class", "priorityClass"),
        ("schedule_timeout_seconds", "scheduleTimeoutSeconds"),
    ):
        entry.put(("run_policy", "scheduling_policy", field), gang.get(name), (*place, name))
    amounts: dict[str, Any] = {}
    for key, amount in gang.get("minResources", {}).items():
        if key in ("cpu", "memory", "ephemeral-storage"):
            amounts[key.replace("-", "_")] = amount
        else:
            text = (
                f"min_resources of an entry has no {key}, and it is left out; min_available holds without it"
            )
            entry.findings.append(warning("resource-left-out", (*place, "minResources", key), text))
    entry.put(("run_policy", "scheduling_policy", "min_resources"), amounts, (*place, "minResources"))


def _managed_by(entry: Entry, manager: str | None, place: Loc) -> None:
    if manager == _KUEUE:
        text = (
            "an entry is run by the operator of its own cluster, and this is left out; keep it out of stacks"
        )
        entry.findings.append(warning("managed-elsewhere", place, text))
    elif manager not in (None, _OPERATOR):
        text = f"{manager!r} is refused by the webhook; write {_OPERATOR}, or remove it"
        entry.findings.append(fault("manager-unknown", place, text))
