"""Container images, made here under the names that upstream manifests ask for.

No registry takes part. The tool is umoci, which Debian keeps: it needs neither daemon nor storage of its
own, and writes an OCI layout that containerd imports as it is.
"""

from __future__ import annotations

import hashlib
import platform
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml

from sandbox import commands, gomod, locks, paths, programs, rootfs, tools
from sandbox.errors import SandboxError
from sandbox.node import PAUSE_IMAGE
from sandbox.progress import Progress

OPERATOR_IMAGE = "ghcr.io/kubeflow/training-v1/training-operator"
_TENSORFLOW_GIBIBYTES = 5  # its file system, its packages while they are unpacked, the image
_LAYOUT = 1
"""To be raised when this file makes something else of the same inputs."""


MONITORING = {
    "prometheus-operator": ("quay.io/prometheus-operator", programs.PROMETHEUS_OPERATOR),
    "prometheus-config-reloader": ("quay.io/prometheus-operator", programs.PROMETHEUS_OPERATOR),
    "prometheus": ("quay.io/prometheus", programs.PROMETHEUS),
    "alertmanager": ("quay.io/prometheus", programs.ALERTMANAGER),
    "node-exporter": ("quay.io/prometheus", programs.NODE_EXPORTER),
    "kube-state-metrics": ("registry.k8s.io/kube-state-metrics", programs.STATE_METRICS),
}
"""Repository and module of each image of the monitoring stack."""


@dataclass(frozen=True)
class Static:
    """An image of nothing but a static program."""

    program: str
    path: str
    user: str = "0"


_STATIC = {
    "pause": Static("pause", "/pause", "65535:65535"),
    "coredns": Static("coredns", "/coredns"),
    "training-operator": Static("training-operator", "/manager"),
    "kueue": Static("kueue", "/manager", "65532:65532"),
    # The operator starts its reloader by this path; the others are started by none.
    **{name: Static(name, f"/bin/{name}") for name in MONITORING},
}
SANDBOX_IMAGES = (*(name for name in _STATIC if name != "kueue"), "tensorflow")
"""Those that every sandbox has; sandbox/queueing.py asks for Kueue's."""


def reference(name: str) -> str:
    """The full name of an image, as a pod asks for it."""
    if name == "pause":
        return PAUSE_IMAGE
    if name == "coredns":
        return f"registry.k8s.io/coredns/coredns:{gomod.version('coredns', programs.COREDNS)}"
    if name == "training-operator":
        return f"{OPERATOR_IMAGE}:{_operator_tag()}"
    if name == "kueue":
        return f"registry.k8s.io/kueue/kueue:{gomod.version('kueue', programs.KUEUE)}"
    if name in MONITORING:
        repository, module = MONITORING[name]
        return f"{repository}/{name}:{gomod.version('monitoring', module)}"
    if name == "tensorflow":
        return f"colocation.local/tensorflow:{rootfs.lock_version('tensorflow-cpu')}"
    raise KeyError(f"no image {name}")


def ensure(names: Iterable[str], report: Progress) -> dict[str, Path]:
    """OCI layouts of the named images, by full reference; those missing are made.

    Raises:
        SandboxError: one of them cannot be made; the message says why.
    """
    wanted = list(names)
    built = tools.ensure([_STATIC[name].program for name in wanted if name in _STATIC], report)
    layouts = {name: _layout(name, built) for name in wanted}
    if not all(layout.exists() for layout in layouts.values()):
        with locks.exclusive(paths.images(), report):
            missing = {name: layout for name, layout in layouts.items() if not layout.exists()}
            if missing:
                with report.phase(f"make {len(missing)} of {len(SANDBOX_IMAGES)} images"):
                    for name, layout in missing.items():
                        _make(name, layout, built, report)
                        locks.prune(layout)
    return {reference(name): layout for name, layout in layouts.items()}


def _operator_tag() -> str:
    """The tag that the upstream overlay sets."""
    overlay = tools.operator_manifests() / "overlays" / "standalone" / "kustomization.yaml"
    for image in yaml.safe_load(overlay.read_text())["images"]:
        if image["name"] == OPERATOR_IMAGE:
            return str(image["newTag"])
    raise SandboxError(f"{overlay} no longer sets a tag for {OPERATOR_IMAGE}: correct sandbox/images.py")


def _layout(name: str, built: Mapping[str, Path]) -> Path:
    """Where an image is or will be: keyed by what it is made of."""
    inputs = [str(_LAYOUT), platform.machine(), reference(name)]
    if name in _STATIC:
        # The folder of a built program is named by the hash of its own inputs.
        inputs += [repr(_STATIC[name]), built[_STATIC[name].program].parent.name]
    else:
        inputs += [str(rootfs.RECIPE), rootfs.SUITE, rootfs.PYTHON, rootfs.LOCK.read_text()]
    key = hashlib.sha256("\0".join(inputs).encode()).hexdigest()[:16]
    return paths.images() / f"{name}-{key}"


def _make(name: str, layout: Path, built: Mapping[str, Path], report: Progress) -> None:
    work = locks.unfinished(layout)
    locks.remove(work)
    work.mkdir(parents=True)
    try:
        with report.phase(reference(name)):
            image = _Image(name, work / "layout", reference(name).rpartition(":")[2])
            if name in _STATIC:
                static = _STATIC[name]
                image.configure(f"--config.entrypoint={static.path}", f"--config.user={static.user}")
                image.insert(built[static.program], static.path)
            else:
                _check_room()
                root = work / "rootfs"
                rootfs.make(root, report)
                user = f"{rootfs.USER_ID}:{rootfs.USER_ID}"
                image.configure(
                    f"--config.user={user}",
                    "--config.cmd=python3",
                    "--config.env=PATH=/usr/local/bin:/usr/bin:/bin",
                    "--config.env=HOME=/home/trainer",
                    "--config.env=PYTHONUNBUFFERED=1",
                )
                with report.phase("pack"):
                    image.insert(root, "/")
            image.collect()
        work.joinpath("layout").rename(layout)
    except OSError as error:
        raise SandboxError(
            f"making {reference(name)} failed: {error.strerror} ({error.filename}); "
            "make room or set XDG_CACHE_HOME to a larger disk"
        ) from error
    finally:
        locks.remove(work)


def _check_room() -> None:
    free = shutil.disk_usage(paths.images()).free / 2**30
    if free < _TENSORFLOW_GIBIBYTES:
        raise SandboxError(
            f"making the TensorFlow image takes {_TENSORFLOW_GIBIBYTES} GiB and {paths.images()} has "
            f"{free:.1f} GiB left: make room, or set XDG_CACHE_HOME to a larger disk"
        )


class _Image:
    """A new image in an OCI layout of its own."""

    def __init__(self, name: str, layout: Path, tag: str) -> None:
        self._name = name
        self._layout = layout
        self._image = f"{layout}:{tag}"
        self._umoci("init", "--layout", layout)
        self._umoci("new", "--image", self._image)

    def configure(self, *options: str) -> None:
        self._umoci("config", "--image", self._image, *options)

    def insert(self, source: Path, target: str) -> None:
        self._umoci("insert", "--image", self._image, source, target)

    def collect(self) -> None:
        """Remove the blobs of earlier steps."""
        self._umoci("gc", "--layout", self._layout)

    def _umoci(self, *arguments: str | Path) -> None:
        commands.run(
            ["umoci", *arguments], purpose=f"making the image {self._name}", log=f"image-{self._name}"
        )
