"""The root file system of the TensorFlow image: Debian with Python, and a locked set of packages."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

from sandbox import commands, paths
from sandbox.errors import SandboxError
from sandbox.progress import Progress

SUITE = "bookworm"
PYTHON = "3.11"  # of that suite
LOCK = paths.CHECKOUT / "sandbox" / "images" / "tensorflow.lock"
USER_ID = 1000
RECIPE = 2
"""To be raised when this file makes something else of the same inputs."""

_NEWEST_GLIBC = 36  # of that suite, after the dot
_UNUSED = (
    "usr/share/doc",
    "usr/share/man",
    "usr/share/locale",
    "usr/share/info",
    "var/cache/apt",
    "var/lib/apt/lists",
    "var/log",
)
_UNUSED_PACKAGES = ("tensorflow/include", "clang/native", "bin")


def make(root: Path, report: Progress) -> None:
    """Fill the folder `root`, which must be on a disk that allows device files.

    Raises:
        SandboxError: the machine is of another architecture, a download failed, the disk is full.
    """
    if platform.machine() != "x86_64":
        raise SandboxError(
            f"the TensorFlow image is only made for x86_64, and this machine is {platform.machine()}: "
            "run the sandbox on an x86_64 machine, or deploy to a cluster of your own"
        )
    packages = root / f"usr/local/lib/python{PYTHON}/dist-packages"
    with report.phase(f"Debian {SUITE} with Python {PYTHON}"):
        _debian(root)
    with report.phase("TensorFlow and what it needs"):
        _install(packages, root.parent)
    with report.phase("compile and clean"):
        _finish(root, packages)


def lock_version(package: str) -> str:
    """The version that the lock pins."""
    match = re.search(rf"^{re.escape(package)}==(\S+)", LOCK.read_text(), re.MULTILINE)
    if match is None:
        raise KeyError(f"{package} is not in {LOCK}")
    return match[1]


def debian_mirror() -> str | None:
    """The Debian archive that this machine's apt uses; None leaves the choice to debootstrap."""
    wanted = "$(REPO_URI) $(RELEASE) $(ORIGIN) $(LABEL)"
    asked = subprocess.run(
        ["apt-get", "indextargets", "--format", wanted, "Created-By: Packages"],
        capture_output=True,
        text=True,
        check=False,
    )
    return choose_mirror(asked.stdout)


def choose_mirror(targets: str) -> str | None:
    """The suite's own line, else that of any other Debian release: one archive holds them all."""
    lines = [line.split() for line in targets.splitlines()]
    same_suite = [line[0] for line in lines if len(line) > 1 and line[1] == SUITE]
    debian = [line[0] for line in lines if line[2:] == ["Debian", "Debian"]]
    return next(iter([*same_suite, *debian]), None)


def _debian(root: Path) -> None:
    root.mkdir(parents=True)
    mirror = debian_mirror()
    command: list[str | Path] = ["debootstrap", "--variant=minbase", "--include=python3", SUITE, root]
    commands.run(
        [*command, mirror] if mirror else command,
        purpose=f"making a Debian {SUITE} file system",
        log="image-tensorflow",
        env={**os.environ, **_apt_proxy(), "PATH": _with_sbin()},
    )


def _install(packages: Path, work: Path) -> None:
    # The host's pip installs for the image's Python, which has none; binary wheels only, so nothing runs.
    machine = platform.machine()
    tags = [f"manylinux_2_{minor}_{machine}" for minor in range(_NEWEST_GLIBC, 4, -1)]
    tags += [f"{name}_{machine}" for name in ("manylinux2014", "manylinux2010", "manylinux1", "linux")]
    commands.run(
        [
            *(sys.executable, "-m", "pip", "install", "--quiet", "--no-input", "--no-cache-dir"),
            *("--no-deps", "--require-hashes", "--only-binary=:all:", "--no-compile"),
            *(f"--python-version={PYTHON}", "--implementation=cp"),
            *(f"--abi={abi}" for abi in (f"cp{PYTHON.replace('.', '')}", "abi3", "none")),
            *(f"--platform={tag}" for tag in tags),
            *("--target", packages, "--requirement", LOCK),
        ],
        purpose="installing TensorFlow for the image",
        log="image-tensorflow",
        # Unpacked where it will stay: /tmp may be small, and moving between disks would copy it.
        env={**os.environ, "TMPDIR": str(work)},
    )


def _finish(root: Path, packages: Path) -> None:
    for folder in (*(root / path for path in _UNUSED), *(packages / path for path in _UNUSED_PACKAGES)):
        shutil.rmtree(folder, ignore_errors=True)
    for folder in [path for path in packages.rglob("tests") if path.is_dir()]:
        shutil.rmtree(folder, ignore_errors=True)
    for log in (
        root / "var/log",
        root / "var/cache/apt/archives/partial",
        root / "var/lib/apt/lists/partial",
    ):
        log.mkdir(parents=True)
    account = f"{USER_ID}:{USER_ID}"
    for file, line in (
        ("etc/passwd", f"trainer:x:{account}::/home/trainer:/bin/sh\n"),
        ("etc/group", f"trainer:x:{USER_ID}:\n"),
    ):
        with root.joinpath(file).open("a") as accounts:
            accounts.write(line)
    home = root / "home" / "trainer"
    home.mkdir()
    os.chown(home, USER_ID, USER_ID)
    # Pods run as a user who may not write here, so Python could not keep what it compiles.
    # Not by time stamp: those of the image are rounded to seconds, and half of the files would not match.
    # Exit code 1 means that some file is no valid Python: packages ship templates as `.py`.
    inside = packages.relative_to(root)
    options = ("-q", "-j", "0", "--invalidation-mode", "unchecked-hash")
    subprocess.run(
        ["chroot", root, "python3", "-m", "compileall", *options, f"/{inside}"],
        capture_output=True,
        check=False,
        env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8"},
    )
    if not any(packages.joinpath("tensorflow").rglob("*.pyc")):
        raise SandboxError(
            f"Python of the new file system at {root} does not run: is it on a disk that is mounted "
            "noexec? Set XDG_CACHE_HOME to another one"
        )


def _apt_proxy() -> dict[str, str]:
    """Apt's proxy in the form that debootstrap's downloader understands."""
    asked = subprocess.run(
        ["apt-config", "shell", "PROXY", "Acquire::http::Proxy"],
        capture_output=True,
        text=True,
        check=False,
    )
    match = re.search(r"PROXY='([^']+)'", asked.stdout)
    return {"http_proxy": match[1]} if match and match[1] != "DIRECT" else {}


def _with_sbin() -> str:
    return os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin"])
