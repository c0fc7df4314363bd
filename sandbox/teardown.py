"""Down and clean. Imports nothing but Python's own: the environment may be broken, or gone."""

from __future__ import annotations

from sandbox import containers, locks, machine, network, paths, processes, system
from sandbox.errors import SandboxError

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


def down() -> list[str]:
    """End every program of the sandbox and remove its network and mounts; its data stays.

    Returns the names of what was ended.

    Raises:
        SandboxError: something does not end, or the sandbox of another state folder runs.
    """
    machine.check()
    with machine.exclusive():
        return stop_everything()


def clean() -> None:
    """`down`, and remove the data as well: the cluster's objects, its images and the Pulumi state.

    Raises:
        SandboxError: as `down`, or some of the data cannot be removed.
    """
    machine.check()
    with machine.exclusive():
        stop_everything()
        system.remove_leftover()
        containers.remove_log_links()
        locks.remove(paths.state())
        if paths.state().exists():
            raise SandboxError(
                f"{paths.state()} cannot be removed whole: see what holds it (`findmnt`, `fuser -m`), "
                "then run `make clean` again"
            )


def stop_everything() -> list[str]:
    """What runs, and what a crash, a kill or a reboot left; the caller holds the machine's lock."""
    known = [*STOP_ORDER, *(name for name in processes.recorded() if name not in STOP_ORDER)]
    kubelet_ended = processes.stop("kubelet")  # before its containers, or it would start them again
    if processes.find("containerd") is not None:
        containers.end_tasks()
    ended = [name for name in known if processes.stop(name) or (name == "kubelet" and kubelet_ended)]
    containers.end_leftovers()
    network.end_programs()
    network.remove_pod_namespaces()
    containers.unmount_leftovers()
    network.down()
    return ended
