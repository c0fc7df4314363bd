"""The whole sandbox: up, down, status. Every step can be repeated and completes what is half done."""

from __future__ import annotations

import fcntl
import os
import platform
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sandbox import (
    addons,
    containerd_images,
    containers,
    control_plane,
    images,
    network,
    node,
    paths,
    processes,
    simulated_nodes,
    system,
    tools,
)
from sandbox.errors import SandboxError
from sandbox.progress import Progress

NODES_TIMEOUT_SECONDS = 120
# Ended in this order: what starts pods first, what keeps the data last.
STOP_ORDER = (
    "kwok",
    "kubelet",
    "kube-proxy",
    "containerd",
    "kube-scheduler",
    "kube-controller-manager",
    "kube-apiserver",
    "etcd",
)
# containerd is the distribution's.
PROGRAMS = ("kubectl", *(name for name in STOP_ORDER if name != "containerd"))


@dataclass(frozen=True, kw_only=True)
class Status:
    """What of the sandbox runs.

    Fields: running and missing are program names; memory_bytes is the resident memory of the running ones
    and of all containers.
    """

    running: tuple[str, ...]
    missing: tuple[str, ...]
    memory_bytes: int
    api_server_ready: bool
    kubeconfig: Path

    @property
    def up(self) -> bool:
        return not self.missing and self.api_server_ready


def up(report: Progress) -> None:
    """Start the sandbox, building and making whatever is missing.

    Raises:
        SandboxError: one sentence that says what is wrong and what to do.
    """
    check_machine()
    with _lock():
        system.ensure(report)
        programs = tools.ensure(PROGRAMS, report)
        archives = images.ensure(images.SANDBOX_IMAGES, report)
        with report.phase("start the sandbox"):
            if any(processes.find(name) is None for name in STOP_ORDER):
                _stop_everything()  # what a crash or a reboot may have left
            _check_room()
            network.up()
            control_plane.up(programs)
            node.start_containerd()
        with report.phase("import images"):
            containerd_images.import_into(paths.containerd_socket(), archives)
        with report.phase("start the nodes"):
            node.start_kubelet(programs)
            simulated_nodes.start_kwok(programs["kwok"])
            _wait_for_node(programs["kubectl"], node.NODE_NAME)
            addons.apply(programs["kubectl"], images.reference("coredns"))
            _wait_for_everything(programs["kubectl"])


def build(report: Progress) -> None:
    """Build every program and image that `up` and a deployment need, without starting anything."""
    check_machine()
    system.ensure(report)
    tools.build_all(report)
    images.ensure(images.SANDBOX_IMAGES, report)


def down() -> list[str]:
    """End every program of the sandbox and remove its network and mounts; its data stays.

    Returns the names of what was ended.
    """
    check_machine()
    with _lock():
        return _stop_everything()


def clean() -> None:
    """`down`, and remove the data as well: the cluster's objects, its images and the Pulumi state."""
    check_machine()
    with _lock():
        _stop_everything()
        shutil.rmtree(paths.state(), ignore_errors=True)


def status() -> Status:
    running = [process for name in STOP_ORDER if (process := processes.find(name)) is not None]
    names = tuple(process.name for process in running)
    return Status(
        running=names,
        missing=tuple(name for name in STOP_ORDER if name not in names),
        memory_bytes=_memory_bytes([process.pid for process in running]),
        api_server_ready="kube-apiserver" in names and control_plane.ready(),
        kubeconfig=paths.kubeconfig(),
    )


def check_machine() -> None:
    """Refuse a machine that cannot hold the sandbox, in one sentence."""
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


def _stop_everything() -> list[str]:
    known = [*STOP_ORDER, *(name for name in processes.recorded() if name not in STOP_ORDER)]
    kubelet_ended = processes.stop("kubelet")  # before its containers, or it would start them again
    node.stop_containers()
    ended = [name for name in known if processes.stop(name) or (name == "kubelet" and kubelet_ended)]
    containers.end_leftovers()
    network.end_programs()
    node.remove_pod_namespaces()
    containers.unmount_leftovers()
    network.down()
    return ended


def _check_room() -> None:
    """etcd and containerd behave badly on a full disk: rather not start."""
    paths.state().mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(paths.state()).free
    if free < 4 * 2**30:
        raise SandboxError(
            f"only {free / 2**30:.1f} GiB are free for {paths.state()}, the sandbox needs 4: make room, "
            "or set XDG_STATE_HOME to a larger disk"
        )


def _wait_for_node(kubectl: Path, name: str) -> None:
    deadline = time.monotonic() + NODES_TIMEOUT_SECONDS
    while not _succeeds(kubectl, "get", "node", name):
        if processes.find("kubelet") is None or time.monotonic() > deadline:
            raise SandboxError(
                "the kubelet does not register its node; its last lines:\n" + processes.last_words("kubelet")
            )
        time.sleep(0.2)


def _wait_for_everything(kubectl: Path) -> None:
    timeout = f"--timeout={NODES_TIMEOUT_SECONDS}s"
    nodes = [node.NODE_NAME, *(simulated.name for simulated in simulated_nodes.topology())]
    if not _succeeds(kubectl, "wait", "node", *nodes, "--for=condition=Ready", timeout):
        raise SandboxError(
            f"not every node is ready after {NODES_TIMEOUT_SECONDS} s: see `kubectl get nodes` "
            f"and {processes.log_file('kubelet')}"
        )
    rollout = ("-n", "kube-system", "rollout", "status", "deployment/coredns", timeout)
    if not _succeeds(kubectl, *rollout):
        raise SandboxError(
            f"CoreDNS is not ready after {NODES_TIMEOUT_SECONDS} s: see "
            "`kubectl -n kube-system describe pods`"
        )


def _succeeds(kubectl: Path, *arguments: str) -> bool:
    command = [str(kubectl), f"--kubeconfig={paths.kubeconfig()}", *arguments]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def _memory_bytes(programs: Sequence[int]) -> int:
    shims = list(containers.shims())
    pids = {*programs, *shims, *(pid for shim in shims for pid in containers.below(shim))}
    return sum(containers.resident_bytes(pid) for pid in pids)


@contextmanager
def _lock() -> Iterator[None]:
    """Two runs at once would start programs twice. One a machine, like the network that they make."""
    with Path("/run/colocation-sandbox.lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise SandboxError(
                "another command is starting or stopping the sandbox: wait for it to end"
            ) from None
        yield
