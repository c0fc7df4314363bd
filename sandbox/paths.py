"""Every folder and file that the sandbox keeps outside the checkout.

Functions, not constants: tests and users move them with XDG_CACHE_HOME and XDG_STATE_HOME.
"""

import os
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]
TOOL_SOURCES = CHECKOUT / "sandbox" / "tools"
"""One folder a group of programs: go.mod, go.sum and, where upstream has none, a main.go."""


def cache() -> Path:
    """What can be made again: built programs and images. A fresh clone finds them here."""
    return _base("XDG_CACHE_HOME", ".cache") / "colocation"


def tools() -> Path:
    return cache() / "tools"


def images() -> Path:
    return cache() / "images"


def rootfs() -> Path:
    """Root file systems while an image is being made; empty otherwise."""
    return cache() / "rootfs"


def build_logs() -> Path:
    return cache() / "logs"


def state() -> Path:
    """The running sandbox: its data, keys, logs and pids. One sandbox a machine."""
    return _base("XDG_STATE_HOME", ".local/state") / "colocation" / "sandbox"


def pki() -> Path:
    return state() / "pki"


def logs() -> Path:
    return state() / "logs"


def pod_logs() -> Path:
    return state() / "pod-logs"


def pids() -> Path:
    return state() / "pids"


def kubeconfig() -> Path:
    return state() / "kubeconfig"


def containerd_socket() -> Path:
    return state() / "containerd.sock"


def _base(variable: str, fallback: str) -> Path:
    # The XDG specification: a relative value is invalid and to be ignored.
    value = os.environ.get(variable, "")
    return Path(value) if value.startswith("/") else Path.home() / fallback
