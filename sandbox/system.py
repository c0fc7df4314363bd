"""What the sandbox needs of the distribution: container runtime, network tools, image tools."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from sandbox import commands
from sandbox.errors import SandboxError
from sandbox.progress import Progress

PACKAGES = {
    "containerd": "containerd",
    "ctr": "containerd",
    "containerd-shim-runc-v2": "containerd",
    "runc": "runc",
    "/usr/lib/cni/bridge": "containernetworking-plugins",
    "iptables": "iptables",
    "nft": "nftables",
    "conntrack": "conntrack",
    "ip": "iproute2",
    "nsenter": "util-linux",
    "sysctl": "procps",
    "mount": "mount",
    "debootstrap": "debootstrap",
    "/usr/share/keyrings/debian-archive-keyring.gpg": "debian-archive-keyring",
    "umoci": "umoci",
}
"""Program or file -> the Debian package that has it."""
BROWSER = {"chromium": "chromium"}
"""The same, of what only tests of pages need."""

_POLICY = Path("/usr/sbin/policy-rc.d")
_POLICY_TEXT = b"#!/bin/sh\n# Here while the sandbox of colocation installs packages.\nexit 101\n"
_LOCK_TIMEOUT_SECONDS = 120


def ensure(report: Progress, packages: Mapping[str, str] | None = None) -> None:
    """Install the Debian packages that are missing; no service is started or enabled by that.

    `packages`: as PACKAGES, which is meant without it.

    Raises:
        SandboxError: this is no Debian, the user is not root, or apt fails.
    """
    remove_leftover()
    packages = PACKAGES if packages is None else packages
    missing = missing_packages(packages)
    if not missing:
        return
    names = " ".join(missing)
    if shutil.which("apt-get") is None:
        raise SandboxError(
            f"needed is what Debian calls {names}, and this machine has no apt-get: install them "
            "with its own package manager, or use a Debian 12 machine"
        )
    if os.geteuid() != 0:
        raise SandboxError(f"run `apt-get install --no-install-recommends {names}` as root first")
    with report.phase(f"install {names}"), _no_services():
        apt = ["apt-get", "-qq", "-o", f"DPkg::Lock::Timeout={_LOCK_TIMEOUT_SECONDS}"]
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        for arguments in (["update"], ["install", "-y", "--no-install-recommends", *missing]):
            commands.run([*apt, *arguments], purpose=f"apt-get {arguments[0]}", log="apt", env=environment)
    if "containerd" in missing:
        # The sandbox runs a containerd of its own; Debian's would come up with the next boot.
        subprocess.run(["systemctl", "disable", "containerd"], capture_output=True, check=False)
    still = missing_packages(packages)
    if still:
        raise SandboxError(f"apt-get installed {' '.join(still)}, but their programs are not to be found")


def missing_packages(packages: Mapping[str, str]) -> Sequence[str]:
    """Packages of which a program or file is not there."""
    path = os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin"])
    lacking = {
        package
        for needed, package in packages.items()
        if not (Path(needed).exists() if needed.startswith("/") else shutil.which(needed, path=path))
    }
    return sorted(lacking)


def remove_leftover() -> None:
    """Remove the switch against services that a run left which was killed while it installed."""
    with suppress(OSError):  # there is none, or its run is still at it
        if _POLICY.read_bytes() == _POLICY_TEXT:
            with _POLICY.open("rb") as held:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                _POLICY.unlink()


@contextmanager
def _no_services() -> Iterator[None]:
    """Debian's own switch against starting services on installation; an existing one is respected."""
    if _POLICY.exists():
        yield
        return
    try:
        _POLICY.write_bytes(_POLICY_TEXT)
        _POLICY.chmod(0o755)
        with _POLICY.open("rb") as held:
            fcntl.flock(held, fcntl.LOCK_EX)  # the kernel lets go of it however this ends
            yield
    finally:
        _POLICY.unlink(missing_ok=True)
