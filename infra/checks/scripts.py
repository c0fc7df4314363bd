"""Scripts: there, readable, and small enough to be mounted."""

from collections.abc import Iterator
from difflib import get_close_matches

from infra.checks.findings import Finding, Subject

_MOST_BYTES = 1024 * 1024 - 4096
"""The API server refuses a ConfigMap above 1 MiB; a little is left for its metadata."""


def check(subject: Subject) -> Iterator[Finding]:
    """The script that each job names."""
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
        text = subject.scripts[job.script]
        size = len(text.encode())
        if not text.strip():
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
                message=f"{job.script} has {size} bytes, and a ConfigMap holds {_MOST_BYTES}",
                remedy="move the bulk into the image",
            )
