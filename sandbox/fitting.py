"""Whether a program that the machine already has will do, so that it need not be built."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sandbox import gomod, paths, programs

Version = tuple[int, int, int]
_ANSWER_TIMEOUT_SECONDS = 10
_OLDEST_PULUMI: Version = (3, 200, 0)
_LANGUAGE_HOST = "pulumi-language-python"
_KUBERNETES_PLUGIN = "pulumi-resource-kubernetes"


@dataclass(frozen=True)
class Rule:
    """How to ask a program for its version, and which versions will do."""

    arguments: tuple[str, ...]
    answer: re.Pattern[str]
    fits: Callable[[Version], bool]


def find(name: str) -> Path | None:
    """A program of a fitting version on this machine, or None.

    What goes into images is never taken from the machine: it must be static.
    """
    if name == _LANGUAGE_HOST:
        return _beside_pulumi(_LANGUAGE_HOST)
    if name == _KUBERNETES_PLUGIN:
        return _installed_plugin()
    if name == "pulumi" and _beside_pulumi(_LANGUAGE_HOST) is None:
        return None
    return _fitting(name)


def parse(text: str) -> Version | None:
    """`v1.34.4` or `3.229.0`, with build metadata or without; None for pre-releases and vendors' variants."""
    match = re.fullmatch(r"v?(\d+)\.(\d+)\.(\d+)(?:\+\S*)?", text)
    return (int(match[1]), int(match[2]), int(match[3])) if match else None


def rule(name: str) -> Rule | None:
    """The rule for a program; None for those that are always built."""
    kubernetes = _pinned("kubernetes", programs.KUBERNETES)
    if name == "kubectl":
        # Kubernetes supports a client one minor version away from its server.
        return Rule(
            ("version", "--client", "--output=json"),
            re.compile(r'"gitVersion": "([^"]+)"'),
            lambda found: found[0] == kubernetes[0] and abs(found[1] - kubernetes[1]) <= 1,
        )
    if name == "pulumi":
        return Rule(
            ("version",),
            re.compile(r"^(\S+)$", re.MULTILINE),
            lambda found: _OLDEST_PULUMI <= found < (4, 0, 0),
        )
    if name == "etcd":
        return _same_minor(r"etcd Version: (\S+)", _pinned("etcd", programs.ETCD))
    if name == "kwok":
        return _same_minor(r"kwok version (\S+)", _pinned("kwok", programs.KWOK))
    if name in {member.name for member in programs.group_of("kubelet").programs}:
        return _same_minor(r"Kubernetes (\S+)", kubernetes)
    return None


def _same_minor(answer: str, pinned: Version) -> Rule:
    return Rule(
        ("--version",),
        re.compile(answer),
        lambda found: found[:2] == pinned[:2] and found >= pinned,
    )


def _pinned(group: str, module: str) -> Version:
    version = parse(gomod.version(group, module))
    if version is None:
        raise ValueError(f"{module} is pinned at something that is no release")
    return version


def _fitting(name: str) -> Path | None:
    wanted = rule(name)
    found = _on_path(name) if wanted else None
    if wanted is None or found is None:
        return None
    try:
        answer = subprocess.run(
            [found, *wanted.arguments],
            capture_output=True,
            text=True,
            check=False,
            timeout=_ANSWER_TIMEOUT_SECONDS,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "PULUMI_SKIP_UPDATE_CHECK": "true"},
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = wanted.answer.search(answer.stdout)
    version = parse(match[1]) if match and answer.returncode == 0 else None
    return found if version is not None and wanted.fits(version) else None


def _on_path(name: str) -> Path | None:
    """Like `which`, but blind for our own builds: `colo sandbox env` puts them on PATH."""
    ours = str(paths.tools())
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    found = shutil.which(name, path=os.pathsep.join(f for f in folders if not f.startswith(ours)))
    return Path(found).absolute() if found else None


def _beside_pulumi(name: str) -> Path | None:
    """A program that came with a fitting Pulumi: the two speak the same protocol."""
    pulumi = _fitting("pulumi")
    if pulumi is None:
        return None
    for folder in (pulumi.parent, pulumi.resolve().parent):
        if os.access(folder / name, os.X_OK):
            return folder / name
    return None


def _installed_plugin() -> Path | None:
    """The Kubernetes provider where `pulumi plugin install` puts it; the folder's name has the version."""
    pinned = _pinned("pulumi", programs.PULUMI_KUBERNETES)
    home = Path(os.environ.get("PULUMI_HOME") or Path.home() / ".pulumi")
    fitting: list[tuple[Version, Path]] = []
    for folder in home.glob("plugins/resource-kubernetes-v*"):
        version = parse(folder.name.removeprefix("resource-kubernetes-"))
        program = folder / _KUBERNETES_PLUGIN
        if version is None or not os.access(program, os.X_OK):
            continue
        if version[0] == pinned[0] and version >= pinned:
            fitting.append((version, program))
    return max(fitting)[1] if fitting else None
