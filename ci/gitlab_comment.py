"""Keeps one comment a stack on a merge request of GitLab up to date: `gitlab_comment.py STACK FILE`."""

import json
import os
import sys
import urllib.request
from pathlib import Path
from typing import Any

_LONGEST = 900_000  # characters; GitLab refuses a note of a million


def main(stack: str, file: Path) -> None:
    """Change the note that begins with our mark, or write the first."""
    mark = f"<!-- colocation preview {stack} -->"
    body = f"{mark}\n{file.read_text('utf-8', errors='replace')}"[:_LONGEST]
    found = next((note for note in _notes() if note["body"].startswith(mark)), None)
    if found:
        _call("PUT", f"/{found['id']}", {"body": body})
    else:
        _call("POST", "", {"body": body})


def _notes() -> list[dict[str, Any]]:
    notes: list[dict[str, Any]] = []
    while page := _call("GET", f"?per_page=100&page={len(notes) // 100 + 1}"):
        notes += page
        if len(page) < 100:
            break
    return notes


def _call(method: str, rest: str, data: dict[str, str] | None = None) -> Any:
    api, project, request = (
        os.environ[name] for name in ("CI_API_V4_URL", "CI_PROJECT_ID", "CI_MERGE_REQUEST_IID")
    )
    call = urllib.request.Request(
        f"{api}/projects/{project}/merge_requests/{request}/notes{rest}",
        data=json.dumps(data).encode() if data else None,
        headers={"PRIVATE-TOKEN": os.environ["COMMENT_TOKEN"], "Content-Type": "application/json"},
        method=method,
    )
    with urllib.request.urlopen(call, timeout=30) as answer:
        return json.load(answer)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
