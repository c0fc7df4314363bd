"""The whole sandbox: build, up, status. Every step can be repeated and completes what is half done."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sandbox import (
    addons,
    containerd_images,
    containers,
    control_plane,
    images,
    kubectl,
    machine,
    network,
    node,
    paths,
    processes,
    programs,
    simulated_nodes,
    system,
    tools,
)
from sandbox.errors import SandboxError
from sandbox.monitoring import stack as monitoring
from sandbox.progress import Progress
from sandbox.teardown import STOP_ORDER, stop_everything

NODES_TIMEOUT_SECONDS = 120
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


@dataclass(frozen=True, kw_only=True)
class Built:
    """What the sandbox is made of: programs by name, OCI layouts of images by full reference."""

    programs: Mapping[str, Path]
    images: Mapping[str, Path]


def build(report: Progress, names: Iterable[str] | None = None) -> Built:
    """Build the images and the named programs, all of them if none are named; start nothing.

    Raises:
        SandboxError: one sentence that says what is wrong and what to do.
    """
    machine.check()
    system.ensure(report)
    return Built(
        programs=tools.ensure(names or programs.names(), report),
        images=images.ensure(images.SANDBOX_IMAGES, report),
    )


def up(report: Progress, built: Built | None = None) -> None:
    """Start the sandbox from what was built, building what is missing if nothing is given.

    Raises:
        SandboxError: one sentence that says what is wrong and what to do.
    """
    built = built or build(report, PROGRAMS)
    kubectl_program = built.programs["kubectl"]
    with machine.exclusive():
        with report.phase("start the sandbox"):
            if any(processes.find(name) is None for name in STOP_ORDER):
                stop_everything()  # what a crash or a reboot may have left
            _check_room()
            machine.claim()
            network.up()
            control_plane.up(built.programs)
            node.start_containerd()
        with report.phase("import images"):
            containerd_images.import_into(paths.containerd_socket(), built.images)
        with report.phase("start the nodes"):
            node.start_kubelet(built.programs)
            simulated_nodes.start_kwok(built.programs["kwok"])
            _wait_for_node(kubectl_program, node.NODE_NAME)
            addons.apply(kubectl_program, images.reference("coredns"))
            monitoring.apply(
                kubectl_program,
                tools.monitoring_definitions(),
                {name: images.reference(name) for name in images.MONITORING},
            )
            _wait_for_everything(kubectl_program)
        with report.phase("start the monitoring stack"):
            monitoring.wait(kubectl_program)


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


def _check_room() -> None:
    """etcd and containerd behave badly on a full disk: rather not start."""
    paths.state().mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(paths.state()).free
    if free < 4 * 2**30:
        raise SandboxError(
            f"only {free / 2**30:.1f} GiB are free for {paths.state()}, the sandbox needs 4: make room, "
            "or set XDG_STATE_HOME to a larger disk"
        )


def _wait_for_node(program: Path, name: str) -> None:
    deadline = time.monotonic() + NODES_TIMEOUT_SECONDS
    while not kubectl.succeeds(program, "get", "node", name):
        if processes.find("kubelet") is None or time.monotonic() > deadline:
            raise SandboxError(
                "the kubelet does not register its node; its last lines:\n" + processes.last_words("kubelet")
            )
        time.sleep(0.2)


def _wait_for_everything(program: Path) -> None:
    timeout = f"--timeout={NODES_TIMEOUT_SECONDS}s"
    nodes = [node.NODE_NAME, *(simulated.name for simulated in simulated_nodes.topology())]
    if not kubectl.succeeds(program, "wait", "node", *nodes, "--for=condition=Ready", timeout):
        raise SandboxError(
            f"not every node is ready after {NODES_TIMEOUT_SECONDS} s: see `kubectl get nodes` "
            f"and {processes.log_file('kubelet')}"
        )
    rollout = ("-n", "kube-system", "rollout", "status", "deployment/coredns", timeout)
    if not kubectl.succeeds(program, *rollout):
        raise SandboxError(
            f"CoreDNS is not ready after {NODES_TIMEOUT_SECONDS} s: see "
            "`kubectl -n kube-system describe pods`"
        )


def _memory_bytes(programs: Sequence[int]) -> int:
    shims = list(containers.shims())
    pids = {*programs, *shims, *(pid for shim in shims for pid in containers.below(shim))}
    return sum(containers.resident_bytes(pid) for pid in pids)
