"""Volumes and where they are mounted."""

from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any

from components.rendering.overrides import merged
from infra.checks import Finding
from infra.checks.parts import CONTAINER_FIELDS
from infra.importing.containers import beside, training
from infra.importing.entry import Data, Piece
from infra.importing.remarks import fault
from infra.models.base import Loc
from infra.vocabulary import TENSORFLOW_CONTAINER


def pieces(pod: Data, at: Loc) -> Iterator[Piece]:
    """An entry mounts what it has into every container alike; what is otherwise is raw."""
    given: list[Data] = pod.get("volumes", [])
    defined = {str(volume.get("name")): volume for volume in given}
    container, place = training(pod, at)
    said = [(m, _typed(defined.get(str(m.get("name")), {}), m)) for m in container.get("volumeMounts", [])]
    raw_names = {m.get("name") for m, typed in said if typed is None}
    raw_names |= set(defined) - {m.get("name") for m, _ in said}
    typed_names = {_source_name(typed) for m, typed in said if typed and m.get("name") not in raw_names}
    if not _mounted_alike(pod, raw_names) or raw_names & typed_names:
        raw_names = set(defined)
    whole = [typed for mount, typed in said if mount.get("name") not in raw_names]
    if whole:
        indices = [i for i, (mount, _) in enumerate(said) if mount.get("name") not in raw_names]
        places: dict[Loc, Loc] = {(j,): (*place, "volumeMounts", i) for j, i in enumerate(indices)}
        kept = set(defined) - raw_names
        yield Piece("volumes", _raw(pod, kept), (*at, "volumes"), whole, places)
    if raw_names:
        yield Piece("raw volumes", _raw(pod, raw_names), (*at, "volumes"))


def _mounted_alike(pod: Data, apart: set[Any]) -> bool:
    """Whether every container mounts the same, of all volumes but those apart."""
    every = [training(pod)[0], *(container.data for container in beside(pod))]
    mounts = [[m for m in c.get("volumeMounts", []) if m.get("name") not in apart] for c in every]
    return all(_by_path(theirs) == _by_path(mounts[0]) for theirs in mounts)


def _by_path(mounts: list[Data]) -> list[Data]:
    return sorted(mounts, key=lambda mount: str(mount.get("mountPath")))


def _raw(pod: Data, names: set[Any]) -> Data:
    found: dict[str, Any] = {"volumes": [v for v in pod.get("volumes", []) if v.get("name") in names]}
    if mounts := _mounts(training(pod)[0], names):
        found["containers"] = [{"name": TENSORFLOW_CONTAINER, "volumeMounts": mounts}]
    for container in beside(pod):
        if mounts := _mounts(container.data, names):
            found = merged(found, container.raw({"volumeMounts": mounts}))
    return found


def _mounts(container: Data, names: set[Any]) -> list[Data]:
    return [mount for mount in container.get("volumeMounts", []) if mount.get("name") in names]


def _typed(volume: Data, mount: Data) -> dict[str, Any] | None:
    """A volume of an entry, or None if it cannot say this."""
    kinds = [kind for kind in volume if kind != "name"] or ["emptyDir"]  # as the API fills it in
    if len(kinds) != 1 or not set(mount) <= {"name", "mountPath", "subPath", "readOnly"}:
        return None
    [kind] = kinds
    source = _source(kind, volume.get(kind, {}))
    if source is None:
        return None
    read_only = mount.get("readOnly") or (kind == "persistentVolumeClaim" and volume[kind].get("readOnly"))
    sub_path = {"sub_path": mount["subPath"]} if mount.get("subPath") else {}
    return {
        "mount_path": mount.get("mountPath"),
        **source,
        **sub_path,
        **({"read_only": True} if read_only else {}),
    }


def _source(kind: str, source: Data) -> dict[str, Any] | None:
    match kind:
        case "persistentVolumeClaim" if set(source) <= {"claimName", "readOnly"}:
            return {"existing_claim": source.get("claimName")}
        case "configMap" if set(source) == {"name"}:
            return {"config_map": source["name"]}
        case "secret" if set(source) == {"secretName"}:
            return {"secret": source["secretName"]}
        case "emptyDir" if source.get("medium", "") in ("", "Memory"):
            size = {"size_limit": source["sizeLimit"]} if "sizeLimit" in source else {}
            return {"empty_dir": {**size, **({"in_memory": True} if source.get("medium") else {})}}
    return None


def _source_name(typed: dict[str, Any]) -> Any:
    """The name that the rendered volume may get."""
    return next((typed[f] for f in ("existing_claim", "config_map", "secret") if f in typed), None)


def faults(pod: Data, at: Loc) -> Iterator[Finding]:
    """Mounts of volumes that the pod does not have."""
    names = [str(volume.get("name")) for volume in pod.get("volumes", [])]
    for kind in CONTAINER_FIELDS:
        for i, container in enumerate(pod.get(kind, [])):
            for j, mount in enumerate(container.get("volumeMounts", [])):
                place = (*at, kind, i, "volumeMounts", j)
                name = str(mount.get("name"))
                if name not in names:
                    close = get_close_matches(name, names, n=1)
                    do = f"write {close[0]}" if close else f"add it to {'.'.join(map(str, (*at, 'volumes')))}"
                    yield fault("volume-unknown", place, f"the pod has no volume called {name}; {do}")
                if not mount.get("mountPath"):
                    yield fault("missing-key", place, "it is mounted nowhere; add `mountPath:`")
