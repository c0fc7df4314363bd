"""Kueue on the sandbox, for whoever asks: then it is a cluster that has one.

It is no part of `up`: it would take memory that most work has no use for. Its module has its manifests.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import yaml

from components.rendering.crds import without_descriptions
from components.rendering.queueing import kueue_configuration
from infra.vocabulary import KUEUE_NAMESPACE, QUEUE_GROUP, TFJOB_CRD
from sandbox import containerd_images, control_plane, images, kubectl, paths, tools
from sandbox.errors import SandboxError
from sandbox.progress import Progress

READY_TIMEOUT_SECONDS = 180
_DEPLOYMENT = "kueue-controller-manager"
_CONFIGURATION = "controller_manager_config.yaml"
_APPLY = ("apply", "--server-side", "--force-conflicts", "-f", "-")
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # of the same grammar, and ten times as fast
# An API server behind Kueue, which would be asked in vain by whoever lists all kinds once Kueue is gone.
_VISIBILITY = "visibility"

Object = dict[str, Any]


def ensure(report: Progress) -> bool:
    """Kueue runs and its webhooks answer; nothing changes where they do.

    Returns whether it was not there before. Its namespace says nothing of that: `remove` leaves it.

    Raises:
        SandboxError: it cannot be built, or is not ready in time.
    """
    layouts = images.ensure(["kueue"], report)
    program = tools.ensure(["kubectl"], report)["kubectl"]
    deployment = ("get", "deployment", _DEPLOYMENT, "-n", KUEUE_NAMESPACE)
    is_new = not kubectl.succeeds(program, *deployment)
    with report.phase("start Kueue"):
        containerd_images.import_into(paths.containerd_socket(), layouts)
        definitions, others = objects(program)
        kubectl.output(program, *_APPLY, stdin=_list(definitions))
        crds = [definition["metadata"]["name"] for definition in definitions]
        kubectl.output(program, "wait", "--for=condition=Established", "crd", *crds, "--timeout=60s")
        kubectl.output(program, *_APPLY, stdin=_list(others))
        timeout = f"--timeout={READY_TIMEOUT_SECONDS}s"
        ready = ("wait", "--for=condition=Available", f"deployment/{_DEPLOYMENT}", timeout)
        if not kubectl.succeeds(program, "-n", KUEUE_NAMESPACE, *ready):
            raise SandboxError(
                f"Kueue is not ready after {READY_TIMEOUT_SECONDS} s: see "
                f"`kubectl -n {KUEUE_NAMESPACE} describe pods` and `kubectl -n {KUEUE_NAMESPACE} logs "
                f"deployment/{_DEPLOYMENT}`"
            )
    return is_new


def remove(report: Progress) -> None:
    """Take all of it away but its empty namespace, whose end takes long.

    Queues have to be gone before it, since it lets go of them.

    Raises:
        SandboxError: the API server refuses.
    """
    program = tools.ensure(["kubectl"], report)["kubectl"]
    definitions, others = objects(program)
    webhooks = [one for one in others if one["kind"].endswith("WebhookConfiguration")]
    rest = [one for one in others if one["kind"] != "Namespace"]
    for items, wait in ((webhooks, "true"), (definitions, "true"), (rest, "false")):
        gone = ("delete", "--ignore-not-found", f"--wait={wait}", "--timeout=60s", "-f", "-")
        kubectl.output(program, *gone, stdin=_list(items))


def objects(program: Path) -> tuple[list[Object], list[Object]]:
    """Its definitions of kinds, and the rest of its manifests, as the sandbox has them."""
    rendered = kubectl.output(program, "kustomize", str(tools.queueing_manifests() / "default"))
    found = [one for one in yaml.load_all(rendered, Loader=_LOADER) if _VISIBILITY not in _named(one)]
    definitions = [
        {**one, "spec": without_descriptions(one["spec"])}
        for one in found
        if one["kind"] == "CustomResourceDefinition"
    ]
    others = [_fitted(one) for one in found if one["kind"] != "CustomResourceDefinition"]
    return definitions, sorted(others, key=lambda one: bool(one["kind"] != "Namespace"))


def _named(item: Object) -> str:
    return str(item["metadata"]["name"])


def _fitted(item: Object) -> Object:
    """With the image made here, little memory, TFJobs alone, and without webhooks for anything else."""
    if item["kind"] == "Deployment":
        return _deployment(item)
    if item["kind"] == "ConfigMap":
        often = {"clientConnection": {"qps": control_plane.QPS, "burst": control_plane.BURST}}
        configuration = kueue_configuration(leader_election=False) | often
        return {**item, "data": {_CONFIGURATION: yaml.safe_dump(configuration)}}
    if item["kind"].endswith("WebhookConfiguration"):
        return {**item, "webhooks": [webhook for webhook in item["webhooks"] if _wanted(webhook)]}
    return item


def _wanted(webhook: Object) -> bool:
    kind = TFJOB_CRD.partition(".")[0]
    return any(QUEUE_GROUP in rule["apiGroups"] or kind in rule["resources"] for rule in webhook["rules"])


def _deployment(item: Object) -> Object:
    spec = item["spec"]["template"]["spec"]
    [manager] = spec["containers"]
    probe = {"initialDelaySeconds": 1, "periodSeconds": 2}
    manager |= {
        "image": images.reference("kueue"),
        "imagePullPolicy": "Never",
        "args": [*manager["args"], "--feature-gates=VisibilityOnDemand=false,TopologyAwareScheduling=false"],
        "env": [{"name": "GOGC", "value": "50"}],
        "resources": {"requests": {"cpu": "20m", "memory": "64Mi"}, "limits": {"memory": "512Mi"}},
        "readinessProbe": manager["readinessProbe"] | probe,
    }
    spec |= {"priorityClassName": "system-cluster-critical"}
    return item


def _list(items: list[Object]) -> str:
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": items})
