"""Name, namespace, labels and annotations."""

from collections.abc import Mapping, Sequence

from infra.importing.entry import Data, Entry, at
from infra.importing.remarks import advice, fault, warning
from infra.models.base import Loc
from infra.vocabulary import ISTIO_INJECT

DEFAULT_NAMESPACE = "default"
# What tools leave on an object about itself; it means nothing on another one.
_OF_TOOLS = ("kubectl.kubernetes.io/last-applied-configuration",)
_METADATA: Loc = ("metadata",)


def write(entry: Entry) -> None:
    """Write the name and the tenant."""
    metadata: Data = entry.manifest.get("metadata", {})
    _name(entry, metadata)
    namespace = metadata.get("namespace")
    if not namespace:
        text = "no namespace, so the job runs wherever kubectl points; write the tenant into the entry"
        entry.findings.append(advice("no-namespace", _METADATA, text))
    entry.put(("tenant",), namespace or DEFAULT_NAMESPACE, (*_METADATA, "namespace"))
    for field in ("ownerReferences", "finalizers"):
        if metadata.get(field):
            text = "an entry has no such thing, and this is left out; make sure that nothing relies on it"
            entry.findings.append(warning("metadata-left-out", (*_METADATA, field), text))


def write_marks(entry: Entry, templates: Sequence[tuple[Loc, Data]]) -> None:
    """Write labels and annotations: an entry has one set, for the job and all of its pods."""
    _sidecars(entry, templates)
    for field in ("labels", "annotations"):
        own = _kept(at(entry.manifest, (*_METADATA, field)))
        for key, value in own.items():
            entry.put((field, key), value, (*_METADATA, field, key))
        everywhere = [(place, _kept(template.get(field))) for place, template in templates]
        if spread := [key for key in own if any(key not in marks for _, marks in everywhere)]:
            text = (
                f"an entry has the same {field} for the job and its pods, which get {', '.join(spread)} too; "
                "remove from the entry what they may not have"
            )
            entry.findings.append(advice("mark-on-pods", (*_METADATA, field), text))
        for place, marks in everywhere:
            for key, value in marks.items():
                if all(other.get(key) == value for _, other in everywhere) and own.get(key, value) == value:
                    entry.put((field, key), value, (*place, field, key))
                else:
                    text = (
                        "an entry has the same for the job and the pods of every role, and this is left out; "
                        f"add it to {field} if all may have it"
                    )
                    entry.findings.append(warning("mark-left-out", (*place, field, key), text))


def _name(entry: Entry, metadata: Data) -> None:
    name, place = metadata.get("name"), (*_METADATA, "name")
    prefix = metadata.get("generateName")
    if not name and prefix:
        name, place = prefix.rstrip("-."), (*_METADATA, "generateName")
        text = f"a stack's job has one name, and the entry says {name}; change it where you run it again"
        entry.findings.append(advice("generated-name", place, text))
    if not name:
        entry.findings.append(fault("missing-key", _METADATA, "the job has no name; write metadata.name"))
    entry.put(("name",), name, place)


def _sidecars(entry: Entry, templates: Sequence[tuple[Loc, Data]]) -> None:
    """Istio's opt-out is no part of an entry: every pod of a stack has it."""
    opted_out = all("false" in _injection(template) for _, template in templates)
    own = _injection(at(entry.manifest, _METADATA))
    if "false" in own and not opted_out:
        field = next(
            f for f in ("annotations", "labels") if at(entry.manifest, (*_METADATA, f, ISTIO_INJECT))
        )
        text = (
            f"{ISTIO_INJECT} of a job does not reach its pods, and a sidecar would keep them running; "
            "write it under template.metadata of each role, as the entry's pods have it"
        )
        entry.findings.append(warning("istio-not-inherited", (*_METADATA, field, ISTIO_INJECT), text))
    for place, template in templates:
        if "true" in _injection(template):
            text = "a sidecar keeps the pod running after the training; the entry's pods have none: remove it"
            entry.findings.append(warning("istio-injected", place, text))


def _injection(metadata: Data | None) -> tuple[str, ...]:
    marks = [at(metadata, (field, ISTIO_INJECT)) for field in ("labels", "annotations")]
    return tuple(value for value in marks if value)


def opts_out(template: Data) -> bool:
    """Whether pods of the template refuse Istio's sidecar."""
    return "false" in _injection(template)


def _kept(marks: Mapping[str, str] | None) -> Mapping[str, str]:
    return {key: value for key, value in (marks or {}).items() if key not in (*_OF_TOOLS, ISTIO_INJECT)}
