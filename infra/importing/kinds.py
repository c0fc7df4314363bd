"""Which objects are TFJobs that the operator serves, and what has moved since older versions."""

from collections.abc import Iterator, Mapping
from typing import Any

from infra.checks import Finding
from infra.importing.remarks import fault
from infra.vocabulary import TFJOB_KIND, TRAINING_API_VERSION

_OLD = ("v1alpha1", "v1alpha2", "v1beta1", "v1beta2")
_OF_RUN_POLICY = ("cleanPodPolicy", "ttlSecondsAfterFinished", "activeDeadlineSeconds", "backoffLimit")


def is_tfjob(manifest: Mapping[str, Any]) -> bool:
    """Whether it is a TFJob of any version."""
    return str(manifest.get("kind")).lower() == TFJOB_KIND.lower()


def described(manifest: Mapping[str, Any]) -> str:
    """`Deployment web`: what an object is."""
    metadata = manifest.get("metadata")
    name = metadata.get("name") if isinstance(metadata, Mapping) else None
    kind = manifest.get("kind")
    if not isinstance(kind, str):
        return "an object without a kind"
    return f"{kind} {name}" if isinstance(name, str) else kind


def served(manifest: Mapping[str, Any]) -> Iterator[Finding]:
    """A fault, unless the operator serves this version of TFJob."""
    version = manifest.get("apiVersion")
    if version is None:
        yield fault("missing-key", (), f"apiVersion is missing; write apiVersion: {TRAINING_API_VERSION}")
    elif str(version).rpartition("/")[2] in _OLD:
        moves = ", ".join((f"write apiVersion: {TRAINING_API_VERSION}", *_moved(manifest)))
        text = f"{version} is no longer served, only {TRAINING_API_VERSION} is; {moves}"
        yield fault("api-version-gone", ("apiVersion",), text)
    elif version != TRAINING_API_VERSION:
        yield fault(
            "api-version-unknown",
            ("apiVersion",),
            f"{version} is no version of TFJob; write apiVersion: {TRAINING_API_VERSION}",
        )
    if manifest.get("kind") != TFJOB_KIND:
        yield fault("kind-misspelt", ("kind",), f"{manifest.get('kind')} is not the kind; write {TFJOB_KIND}")


def _moved(manifest: Mapping[str, Any]) -> Iterator[str]:
    """What of the manifest stands elsewhere in v1, or means something else there."""
    spec = manifest.get("spec")
    if not isinstance(spec, Mapping):
        return
    if "replicaSpecs" in spec:
        yield (
            "write each item of spec.replicaSpecs under spec.tfReplicaSpecs.<tfReplicaType>, "
            "spelt Chief, Worker, PS or Evaluator"
        )
    if "terminationPolicy" in spec:
        yield "remove spec.terminationPolicy (the Chief ends the job, else worker 0)"
    for name in _OF_RUN_POLICY:
        if name in spec:
            yield f"move spec.{name} to spec.runPolicy.{name}"
    if "cleanPodPolicy" not in spec:
        yield "say spec.runPolicy.cleanPodPolicy (unset it was Running, and is None now)"
    if _restarts_in_templates(spec):
        yield "move restartPolicy from the pod template to the replica, beside replicas"


def _restarts_in_templates(spec: Mapping[str, Any]) -> bool:
    replicas = spec.get("tfReplicaSpecs") or spec.get("replicaSpecs")
    items = list(replicas.values()) if isinstance(replicas, Mapping) else replicas
    for item in items if isinstance(items, list) else ():
        template = item.get("template") if isinstance(item, Mapping) else None
        pod = template.get("spec") if isinstance(template, Mapping) else None
        if isinstance(pod, Mapping) and "restartPolicy" in pod:
            return True
    return False
