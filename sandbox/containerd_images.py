"""Images in the sandbox's containerd: imported when it lacks them or holds others of the same name."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path

from sandbox.errors import SandboxError


def import_into(socket: Path, layouts: Mapping[str, Path], *, namespace: str = "k8s.io") -> list[str]:
    """Import what is missing; returns the references that were imported.

    Raises:
        SandboxError: containerd refuses, or its disk is full.
    """
    ctr = ["ctr", "--address", str(socket), "--namespace", namespace, "images"]
    present = _present(ctr)
    wanted = {reference: digest(layout) for reference, layout in layouts.items()}
    missing = [reference for reference, digest in wanted.items() if present.get(reference) != digest]
    for reference in missing:
        _import(ctr, reference, layouts[reference])
    return missing


def digest(layout: Path) -> str:
    """The digest of the one image in an OCI layout; containerd knows it by the same."""
    [manifest] = json.loads(layout.joinpath("index.json").read_text())["manifests"]
    return str(manifest["digest"])


def parse_list(listed: str) -> dict[str, str]:
    """References and digests from the table that `ctr images list` prints."""
    rows = [line.split() for line in listed.splitlines()[1:]]
    return {row[0]: row[2] for row in rows if len(row) > 2}


def _present(ctr: list[str]) -> dict[str, str]:
    done = subprocess.run([*ctr, "list"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SandboxError(f"containerd does not list its images: {done.stderr.strip()}")
    return parse_list(done.stdout)


def _import(ctr: list[str], reference: str, layout: Path) -> None:
    # The layout's tag is only the part after the colon; containerd puts the repository before it.
    repository = reference.rpartition(":")[0]
    with subprocess.Popen(["tar", "-C", layout, "-cf", "-", "."], stdout=subprocess.PIPE) as packed:
        done = subprocess.run(
            [*ctr, "import", "--base-name", repository, "-"],
            stdin=packed.stdout,
            capture_output=True,
            text=True,
            check=False,
        )
        if packed.stdout is not None:
            packed.stdout.close()
    if done.returncode != 0:
        raise SandboxError(
            f"containerd does not take the image {reference}: {done.stderr.strip()} "
            f"(if it is damaged, remove {layout}, and it is made again)"
        )
