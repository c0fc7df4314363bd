"""The policy pack, as the sandbox's older language host lets it be started.

That host cannot start a pack in Python from its folder, as a current one does. For a runtime that it has no
host of, the engine starts a program of that runtime's name from PATH, so here is a runtime with one.
"""

from __future__ import annotations

from pathlib import Path

from sandbox import paths

_RUNTIME = "colocation"
_PROGRAM = f"pulumi-analyzer-policy-{_RUNTIME}"


def write(folder: Path) -> None:
    """What `--policy-pack` is to name; the same folder belongs on PATH."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "PulumiPolicy.yaml").write_text(f"name: colocation\nruntime: {_RUNTIME}\n")
    half = folder / f"{_PROGRAM}.partial"
    half.write_text(f'#!/bin/sh\nexec python3 -u -m pulumi.policy "$1" "{paths.CHECKOUT / "policy"}"\n')
    half.chmod(0o755)
    half.rename(folder / _PROGRAM)  # whole: another command may be starting it
