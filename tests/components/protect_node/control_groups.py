"""A node's control groups, made of files, and what watches tell of the pods in them."""

from components.protect_node import Groups, Protection, SpareCores

TRAINING = "0f4e0c52-5a0b-4b63-9d3b-6f1f6c1a7a01"
SERVICE = "0f4e0c52-5a0b-4b63-9d3b-6f1f6c1a7a02"
LAYOUTS = {
    "v1, cgroupfs": ("cpu/kubepods/burstable/pod{dashed}", "cpu.shares", 2),
    "v1, systemd": (
        "cpu/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod{underscored}.slice",
        "cpu.shares",
        2,
    ),
    "v2, cgroupfs": ("kubepods/burstable/pod{dashed}", "cpu.weight", 1),
    "v2, systemd": (
        "kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod{underscored}.slice",
        "cpu.weight",
        1,
    ),
    "v2, a kubelet in a container": (
        "docker/c1/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-pod{underscored}.slice",
        "cpu.weight",
        1,
    ),
}


class Node:
    """A node's /sys/fs/cgroup, and its processors, two to a core, numbered as usual."""

    def __init__(self, root, layout, *, has_idle=True, cores=4):
        self.root, self.has_idle, self.cores = root, has_idle, cores
        self.pattern, self.weight_file, self.least = LAYOUTS[layout]
        self.v2 = layout.startswith("v2")
        if self.v2:
            (root / "cgroup.controllers").write_text("cpu cpuset memory")
        self.processors = root / "processors"
        for cpu in range(2 * cores):
            topology = self.processors / f"cpu{cpu}" / "topology"
            topology.mkdir(parents=True)
            (topology / "core_cpus_list").write_text(f"{cpu % cores},{cpu % cores + cores}\n")

    def folder(self, uid):
        return self.root / self.pattern.format(dashed=uid, underscored=uid.replace("-", "_"))

    def run(self, uid, *, weight=102):
        folder = self.folder(uid)
        for group, share in ((folder, weight), (folder / "pause", self.least), (folder / "ctr", weight)):
            group.mkdir(parents=True)
            (group / self.weight_file).write_text(f"{share}\n")
            if self.has_idle:
                (group / "cpu.idle").write_text("0\n")
        everything = f"0-{2 * self.cores - 1}\n"
        parent = self.cpuset(folder.parent)
        for group in (
            parent,
            self.cpuset(folder),
            self.cpuset(folder / "pause"),
            self.cpuset(folder / "ctr"),
        ):
            group.mkdir(parents=True, exist_ok=True)
            (group / "cpuset.cpus").write_text("\n" if self.v2 else everything)
        (parent / ("cpuset.cpus.effective" if self.v2 else "cpuset.effective_cpus")).write_text(everything)
        return folder

    def cpuset(self, folder):
        return folder if self.v2 else self.root / "cpuset" / folder.relative_to(self.root / "cpu")

    def cpus(self, uid, *inner):
        return self.cpuset(self.folder(uid).joinpath(*inner)).joinpath("cpuset.cpus").read_text().strip()

    def idle(self, uid):
        return int((self.folder(uid) / "cpu.idle").read_text())

    def weight(self, uid):
        return int((self.folder(uid) / self.weight_file).read_text())


def protection(node, *, namespaces=("vision",), spare=0):
    spared = SpareCores(node.root, spare, node.processors)
    return Protection(Groups(node.root), spared, ["offline-low"], namespaces)


def event(uid, *, kind="ADDED", priority="offline-low", phase="Running"):
    spec = {} if priority is None else {"priorityClassName": priority}
    return {"type": kind, "object": {"metadata": {"uid": uid}, "spec": spec, "status": {"phase": phase}}}
