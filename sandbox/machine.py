"""The machine that the sandbox is on: whether it will do, and that one command at a time changes it."""

from __future__ import annotations

import fcntl
import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sandbox import network, paths
from sandbox.errors import SandboxError

# One a machine, like the network and the cgroups. It holds the state folder of what was started last.
_LOCK = Path("/run/colocation-sandbox.lock")


def check() -> None:
    """Refuse a machine that cannot hold the sandbox.

    Raises:
        SandboxError: it is no Linux, or the user is not root.
    """
    if platform.system() != "Linux":
        raise SandboxError(
            "the sandbox needs Linux: use a Debian 12 machine or VM, "
            "or run `pulumi up` against a cluster of your own (docs/tasks/own-cluster.md)"
        )
    if os.geteuid() != 0:
        raise SandboxError(
            "the sandbox makes network namespaces and mounts, which only root may: run it as root, "
            "or run `pulumi up` against a cluster of your own (docs/tasks/own-cluster.md)"
        )


@contextmanager
def exclusive() -> Iterator[None]:
    """No other command starts or stops the sandbox meanwhile, and what runs is of our state folder.

    Raises:
        SandboxError: another command does, or the sandbox of another state folder runs.
    """
    with _LOCK.open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise SandboxError(
                "another command is starting or stopping the sandbox: wait for it to end"
            ) from None
        owner = Path(_LOCK.read_text().strip() or paths.state().resolve())
        if owner != paths.state().resolve() and owner.exists() and network.exists():
            raise SandboxError(
                f"the sandbox of another state folder, {owner}, is on this machine: stop that one first, "
                f"with `XDG_STATE_HOME={owner.parents[1]} make down`"
            )
        yield


def claim() -> None:
    """Note whose sandbox it is that is about to be started; to be called within `exclusive`."""
    _LOCK.write_text(str(paths.state().resolve()))
