"""Scripts: there, readable, and small enough to be mounted."""

import sys
from collections.abc import Iterator
from difflib import get_close_matches

from infra.checks.findings import Finding, Subject
from infra.scripts import syntax_fault, with_imports

_PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"
_MOST_BYTES = 1024 * 1024 - 4096
"""The API server refuses a ConfigMap above 1 MiB; a little is left for its metadata."""


def check(subject: Subject) -> Iterator[Finding]:
    """The script that each job names, with what it imports from beside it."""
    for i, job in enumerate(subject.stack.jobs):
        place = ("jobs", i, "script")
        if job.script is None:
            continue
        if why := subject.unusable_scripts.get(job.script):
            yield Finding.of("script-unusable", place, f"{job.script} {why}")
            continue
        if job.script not in subject.scripts:
            close = get_close_matches(job.script, [*subject.scripts, *subject.other_scripts], n=1)
            yield Finding(
                code="unknown-script",
                place=place,
                message=f"{job.script} is not in the scripts folder",
                remedy=f"write {close[0]}" if close else "put it there, next to the stack file",
            )
            continue
        names = with_imports(job.script, subject.scripts)
        for name in names:
            if why := subject.unusable_scripts.get(name):
                yield Finding.of("script-unusable", place, f"{name}, which {job.script} imports, {why}")
            elif fault := syntax_fault(name, subject.scripts.get(name, "")):
                yield Finding(
                    code="script-syntax",
                    place=place,
                    message=f"Python {_PYTHON} cannot read {fault}",
                    remedy="correct it; if it is written for a newer Python, run colo with that one",
                )
        size = sum(len(subject.scripts[name].encode()) for name in names if name in subject.scripts)
        if not subject.scripts[job.script].strip():
            yield Finding(
                code="script-empty",
                place=place,
                message=f"{job.script} is empty",
                remedy="write the training into it",
            )
        if size > _MOST_BYTES:
            yield Finding(
                code="script-too-large",
                place=place,
                message=f"{job.script} and what it imports have {size} bytes, "
                f"and a ConfigMap holds {_MOST_BYTES}",
                remedy="move the bulk into the image",
            )
