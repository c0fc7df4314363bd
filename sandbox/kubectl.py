"""kubectl against the sandbox."""

from __future__ import annotations

import subprocess
from pathlib import Path

from sandbox import network, paths
from sandbox.errors import SandboxError


def run(program: Path, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """To its end; the caller looks at the return code."""
    return subprocess.run(
        [program, f"--kubeconfig={paths.kubeconfig()}", *arguments],
        env=network.direct_environment(),
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
    )


def succeeds(program: Path, *arguments: str) -> bool:
    return run(program, *arguments).returncode == 0


def output(program: Path, *arguments: str, stdin: str = "") -> str:
    """What it prints.

    Raises:
        SandboxError: it failed; the message has its own.
    """
    done = run(program, *arguments, stdin=stdin)
    if done.returncode != 0:
        raise SandboxError(f"`kubectl {' '.join(arguments)}` failed: {done.stderr.strip()}")
    return done.stdout
