"""Files become manifests: several documents a file, lists of objects, and the line of every part."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from infra import reading, yaml_marks
from infra.checks import Finding, Located
from infra.importing.kinds import described, is_tfjob
from infra.importing.remarks import fault, warning
from infra.models.base import Loc
from infra.source import Source

STDIN = Path("<stdin>")
MOST_BYTES = 8 * 2**20
"""An object has 1.5 MiB at most, and what is larger than a few of them is something else."""


@dataclass(frozen=True)
class Manifest:
    """One TFJob, and where it stands."""

    data: Mapping[str, Any]
    source: Source
    at: Loc = ()
    """Its place in the document, where that is a list."""
    ambiguous: bool = False
    """Whether the document says something twice, so that nobody knows what is meant."""

    def located(self, finding: Finding) -> Located:
        """A finding about the manifest with file and line, as one of the document."""
        found = self.source.locate(replace(finding, place=(*self.at, *finding.place)))
        metadata = self.data.get("metadata")
        name = metadata.get("name") if isinstance(metadata, Mapping) else None
        return replace(found, object=name if isinstance(name, str) and name.isprintable() else "")


@dataclass(frozen=True)
class Reading:
    """What a file holds."""

    manifests: tuple[Manifest, ...]
    findings: tuple[Located, ...]
    """About the file, and about what of it is no TFJob."""


def manifests_of(file: Path, raw: bytes | None = None) -> Reading:
    """The TFJobs of a file, or of what was read already; raises UnreadableError if it cannot be read."""
    try:
        return _of(file, _documents(file, reading.contents(file) if raw is None else raw))
    except reading.StackFileError as error:
        return Reading((), error.findings)


def _documents(file: Path, raw: bytes) -> tuple[yaml_marks.Marked, ...]:
    if len(raw) > MOST_BYTES:
        most = MOST_BYTES >> 20
        message = f"has more than {most} MiB, and no manifest is that large; name the manifest itself"
        raise reading.refused(file, 1, "file-too-large", message)
    try:
        return yaml_marks.parse_all(reading.decoded(file, raw))
    except yaml_marks.YamlError as error:
        raise reading.refused(file, error.line, "yaml-syntax", str(error)) from None


def _of(file: Path, documents: tuple[yaml_marks.Marked, ...]) -> Reading:
    objects: list[Manifest] = []
    findings: list[Located] = []
    for marked in documents:
        source = Source.of(file, marked.data, marked.lines)
        for line, finding in marked.faults:
            findings.append(replace(source.locate(finding), line=line))
        for at, data in _objects(marked.data):
            whole = data if isinstance(data, Mapping) else {"": data}
            objects.append(Manifest(whole, source, at, bool(marked.faults)))
    if not objects:
        raise reading.refused(file, 1, "empty-file", "holds no object; name a file with a TFJob")
    jobs = tuple(found for found in objects if is_tfjob(found.data))
    others = [found for found in objects if not is_tfjob(found.data)]
    findings += [other.located(_left_out(other, bool(jobs))) for other in others]
    return Reading(jobs, tuple(findings))


def _objects(data: Any) -> Iterator[tuple[Loc, Any]]:
    """The objects of a document; a `List` stands for its items."""
    if data is None:
        return
    items = data.get("items") if isinstance(data, Mapping) else None
    if isinstance(data, Mapping) and str(data.get("kind")).endswith("List") and isinstance(items, list):
        for i, item in enumerate(items):
            for below, found in _objects(item):
                yield ("items", i, *below), found
    elif isinstance(data, list):
        for i, item in enumerate(data):
            yield (i,), item
    else:
        yield (), data


def _left_out(other: Manifest, beside_jobs: bool) -> Finding:
    """What no entry of a job can hold: no matter beside jobs, unless it trains something too."""
    if "" in other.data:
        return fault("no-object", (), "is no object of Kubernetes; write apiVersion, kind, metadata and spec")
    what = described(other.data)
    trains = str(other.data.get("kind")).endswith("Job") and "kubeflow.org" in str(
        other.data.get("apiVersion")
    )
    if beside_jobs and not trains:
        return warning("not-a-tfjob", (), f"{what} is no TFJob and is left out; declare it where it belongs")
    return fault("not-a-tfjob", (), f"{what} is no TFJob; name a manifest with kind: TFJob")
