"""The program of node protection: offline pods get only the CPU time that nobody else on the node wants.

It watches the pods of its node in the namespaces of tenants, and sets `cpu.idle` on the control group of each
whose class is offline. The kernel then runs them when nothing else is to run, and takes the CPU from them
the moment that something is. And it keeps them off some cores, so that a service that wakes up finds one
free. On SIGTERM it puts back what it has set. It needs Python 3.9 and its standard library only, and of the
node nothing but /sys/fs/cgroup.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
import signal
import socket
import ssl
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

CONFIG = "protection.json"
CLASSES, NAMESPACES, SPARE_CORES = "classes", "namespaces", "spareCores"
"""Keys of the configuration: names of offline PriorityClasses, where their pods are, cores that they never
use."""
NODE_ENV = "NODE_NAME"
PORT = 8080
HEALTH_PATH = "/healthz"
METRICS = {
    "colocation_offline_pods": "Pods of offline classes with a control group on this node.",
    "colocation_protected_pods": "Those of them that run in idle CPU time only, and off the spare cores.",
}
CPUS = "cpuset.cpus"
PROCESSORS = Path("/sys/devices/system/cpu")
ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")
INTERVAL_SECONDS = 2.0
"""After this time it looks again at what it has set: systemd and people set it back."""
WATCH_SECONDS = 120
"""After which a watch starts anew: so long, at most, a connection that died unseen keeps it deaf."""
BLIND_SECONDS = 60.0
"""Without an answer of the API server for so long, it says that it is not ready."""
_RETRY_SECONDS = 5.0
_DEEPEST = 6  # of a pod's folder below the root: kubelets in containers and --cgroup-root add some
_POD = re.compile(r"pod([0-9a-f]{8}(?:[-_][0-9a-f]{4}){3}[-_][0-9a-f]{12})(?:\.slice)?$")
_OVER = ("Succeeded", "Failed")


class Groups:
    """The control groups of pods under a node's /sys/fs/cgroup, of either version and either driver."""

    def __init__(self, root: Path) -> None:
        v2 = _is_v2(root)
        self._top = root if v2 else root / "cpu"
        self._weight = "cpu.weight" if v2 else "cpu.shares"
        self._usable = False
        self._folders: dict[str, Path] = {}
        self._before: dict[str, int] = {}
        """Weights of the pods that were made idle here: the kernel forgets them."""

    def known(self, uids: Collection[str]) -> Mapping[str, Path]:
        """Folders of those pods that have one."""
        self._folders = {uid: path for uid, path in self._folders.items() if path.is_dir()}
        if any(uid not in self._folders for uid in uids):
            self._folders = dict(_pods(self._top, _DEEPEST))
        self._before = {uid: weight for uid, weight in self._before.items() if uid in self._folders}
        return {uid: self._folders[uid] for uid in uids if uid in self._folders}

    def made_idle(self) -> set[str]:
        """Pods that are idle by this run."""
        return set(self._before)

    def obstacle(self) -> str:
        """Why nothing can be done on this node; empty if it can. Its own pod has a group, so there is one."""
        if not self._usable:
            found = [path for _, path in _pods(self._top, _DEEPEST)]
            if not found:
                return f"no pod has a control group below {self._top}"
            if not any((path / "cpu.idle").exists() for path in found):
                return f"the kernel {os.uname().release} has no cpu.idle: it takes Linux 5.15 or newer"
            self._usable = True
        return ""

    def yields(self, uid: str, folder: Path) -> None:
        """Make a pod idle, and remember its weight; nothing where it is so already.

        Raises:
            OSError: there is no such file, or it may not be written; also where the pod has just gone.
        """
        idle = folder / "cpu.idle"
        if _number(idle) == 1:
            return
        weight = _number(folder / self._weight)
        idle.write_text("1")
        self._before[uid] = weight

    def takes_part(self, uid: str, folder: Path) -> None:
        """Put a pod back to what the kubelet gave it; raises OSError as `yields` does."""
        idle = folder / "cpu.idle"
        if _number(idle) != 1:
            return
        weight = self._before.pop(uid, None) or self._of_its_containers(folder)
        idle.write_text("0")
        (folder / self._weight).write_text(str(weight))

    def _of_its_containers(self, folder: Path) -> int:
        """The weight of a pod that another run of this program made idle: that of its containers together.

        One of the two or more is the pause container, with the least weight there is.
        """
        least = 1 if self._weight == "cpu.weight" else 2
        weights = [_number(path) for path in folder.glob(f"*/{self._weight}")]
        return sum(weight for weight in weights if weight > least) or least


class AssignedError(Exception):
    """Somebody else says which processors the containers of a pod use."""


class SpareCores:
    """Cores that offline pods never use: the first ones, where a node has its own programs, if anywhere."""

    def __init__(self, root: Path, number: int, processors: Path = PROCESSORS) -> None:
        self._root, self._number, self._processors = root, number, processors
        self._v2 = _is_v2(root)
        self._known: dict[frozenset[int], list[set[int]]] = {}

    def keeps_off(self, folder: Path) -> None:
        """Leave a pod the other cores, at least one; its folder is that of its CPU weight.

        Raises:
            AssignedError: the kubelet assigns processors to its containers.
            OSError: there is no such file, or it may not be written; also where the pod has just gone.
        """
        if not self._number:
            self.gives_back(folder)  # what a run with another setting has left, if it was killed
            return
        group, everything = self._group(folder), self._everything(folder)
        try:
            self._narrow(group, everything)
        except OSError as fault:
            if fault.errno != errno.EBUSY:
                raise
            self._narrow(group, everything)  # a container has come meanwhile

    def gives_back(self, folder: Path) -> None:
        """Let a pod use all cores again, where a run of this program took some; raises OSError."""
        group = self._group(folder)
        if not (group / CPUS).exists():
            return
        everything = self._everything(folder)
        ours = [
            everything - self._first(number, everything) for number in range(1, len(self._cores(everything)))
        ]
        for file in [group / CPUS, *([] if self._v2 else self._inner(group)[::-1])]:
            with _unless_gone(file.parent):
                if _cpus(file) in ours:
                    self._write(file, everything, everything)

    def _narrow(self, group: Path, everything: set[int]) -> None:
        left = everything - self._first(self._number, everything)
        inner = self._inner(group)
        if self._v2 and any(map(_cpus, inner)):  # the other policy, none, leaves them empty
            raise AssignedError(
                "the kubelet assigns processors to containers here, by its CPU Manager policy static, and no "
                "core can be spared: set spare_cores: 0"
            )
        # Version 1: none may have what its parent has not, so the inner ones go first.
        for file in () if self._v2 else inner:
            with _unless_gone(file.parent):
                self._write(file, left, everything)
        with _unless_gone(group):
            self._write(group / CPUS, left, everything)

    def _group(self, folder: Path) -> Path:
        return folder if self._v2 else self._root / "cpuset" / folder.relative_to(self._root / "cpu")

    def _everything(self, folder: Path) -> set[int]:
        name = "cpuset.cpus.effective" if self._v2 else "cpuset.effective_cpus"
        return _cpus(self._group(folder).parent / name)

    def _inner(self, group: Path) -> list[Path]:
        """Files of the groups inside, the innermost first."""
        return sorted(group.glob(f"*/**/{CPUS}"), key=lambda file: -len(file.parts))

    def _write(self, file: Path, cpus: set[int], everything: set[int]) -> None:
        """Nothing where it is so already."""
        if (_cpus(file) or everything) != cpus:
            text = "" if self._v2 and cpus == everything else ",".join(map(str, sorted(cpus)))
            file.write_text(f"{text}\n")

    def _first(self, number: int, everything: Collection[int]) -> set[int]:
        """The processors of so many cores: each has all of a core's threads, which slow each other down."""
        cores = self._cores(everything)
        return set().union(*cores[: min(number, len(cores) - 1)])

    def _cores(self, everything: Collection[int]) -> list[set[int]]:
        key = frozenset(everything)
        if key not in self._known:  # some nodes have hundreds of processors
            cores: dict[str, set[int]] = {}
            for cpu in sorted(key):
                threads = (self._processors / f"cpu{cpu}" / "topology" / "core_cpus_list").read_text()
                cores.setdefault(threads, set()).add(cpu)
            self._known = {key: list(cores.values())}
        return self._known[key]


def _is_v2(root: Path) -> bool:
    return (root / "cgroup.controllers").exists()


@contextlib.contextmanager
def _unless_gone(group: Path) -> Iterator[None]:
    """Let what goes wrong with a group pass where it is not there any more."""
    try:
        yield
    except OSError:
        if group.is_dir():
            raise


def _cpus(path: Path) -> set[int]:
    """A kernel's list, such as 0-3,8."""
    spans = [part.partition("-") for part in path.read_text().strip().split(",") if part]
    return {cpu for first, _, last in spans for cpu in range(int(first), int(last or first) + 1)}


def _pods(folder: Path, depth: int) -> Iterator[tuple[str, Path]]:
    """Uid and folder of each pod below a folder; nothing below a pod is looked at."""
    try:
        with os.scandir(folder) as entries:
            below = [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
    except OSError:
        return  # gone since its parent was read
    for name in below:
        if found := _POD.search(name):
            yield found[1].replace("_", "-"), folder / name
        elif depth > 1:
            yield from _pods(folder / name, depth - 1)


def _number(path: Path) -> int:
    return int(path.read_text())


class Protection:
    """Which pods are to be idle and off the spare cores, and whether they are."""

    def __init__(
        self, groups: Groups, spare: SpareCores, classes: Collection[str], namespaces: Iterable[str]
    ) -> None:
        self._groups, self._spare, self._classes = groups, spare, frozenset(classes)
        self._offline: dict[str, set[str]] = {namespace: set() for namespace in namespaces}
        self._troubles: dict[str, tuple[float, str]] = {}
        self._problem = "has not looked at the node yet"
        self._counts = dict.fromkeys(METRICS, 0)
        self._lock = threading.Lock()

    def begins(self, namespace: str) -> None:
        """A watch starts, and will name all pods there are."""
        with self._lock:
            self._offline[namespace] = set()
            self._troubles.pop(namespace, None)

    def hears(self, namespace: str, event: Mapping[str, Any]) -> None:
        """One event of a watch: a pod is there, has changed or has gone."""
        pod = event.get("object") or {}
        uid = (pod.get("metadata") or {}).get("uid")
        offline = (pod.get("spec") or {}).get("priorityClassName") in self._classes
        over = (pod.get("status") or {}).get("phase") in _OVER
        with self._lock:
            if uid and offline and not over and event.get("type") != "DELETED":
                self._offline[namespace].add(uid)
            else:
                self._offline[namespace].discard(uid)

    def is_deaf(self, namespace: str, trouble: str) -> None:
        """The API server does not tell of a namespace."""
        with self._lock:
            since = self._troubles.get(namespace, (time.monotonic(), ""))[0]
            self._troubles[namespace] = (since, trouble)

    def look(self) -> None:
        """Make whatever is to be idle and off the spare cores so, where it is not."""
        with self._lock:
            wanted = {uid for uids in self._offline.values() for uid in uids}
        folders = self._groups.known(wanted)
        problem = self._groups.obstacle()
        protected = 0
        for uid, folder in folders.items():
            file = "cpu.idle"
            try:
                self._groups.yields(uid, folder)
                file = CPUS
                self._spare.keeps_off(folder)
                protected += 1
            except AssignedError as fault:
                problem = problem or str(fault)
            except OSError as fault:
                if folder.is_dir() and not problem:
                    problem = f"cannot set {file}: {fault}"
        with self._lock:
            self._counts = dict(zip(METRICS, (len(folders), protected), strict=True))
            self._problem = problem

    def put_back(self) -> None:
        """Give offline pods the weight and the cores again that they had without protection."""
        with self._lock:
            wanted = {uid for uids in self._offline.values() for uid in uids}
        # Beside those that the watches have named by now: they may have begun anew a moment ago.
        for uid, folder in self._groups.known(wanted | self._groups.made_idle()).items():
            for give in (partial(self._groups.takes_part, uid), self._spare.gives_back):
                with contextlib.suppress(OSError):  # it has gone
                    give(folder)

    def problem(self) -> str:
        """Why it does not protect; empty if it does."""
        with self._lock:
            deaf = [
                f"cannot watch pods in {namespace}: {text}"
                for namespace, (since, text) in self._troubles.items()
                if time.monotonic() - since > BLIND_SECONDS
            ]
            return self._problem or "; ".join(deaf)

    def metrics(self) -> str:
        """What Prometheus reads."""
        with self._lock:
            return "".join(
                f"# HELP {name} {text}\n# TYPE {name} gauge\n{name} {self._counts[name]}\n"
                for name, text in METRICS.items()
            )


class Watch:
    """The pods of one namespace on this node, as the API server tells of them."""

    def __init__(self, server: str, namespace: str, node: str, account: Path = ACCOUNT) -> None:
        query = urlencode(
            {"watch": "true", "fieldSelector": f"spec.nodeName={node}", "timeoutSeconds": WATCH_SECONDS}
        )
        self.namespace = namespace
        self._url = f"{server}/api/v1/namespaces/{namespace}/pods?{query}"
        self._token = account / "token"
        authority = account / "ca.crt"
        self._tls = ssl.create_default_context(cafile=str(authority)) if authority.exists() else None

    def follow(self, protection: Protection) -> None:
        """Tell of pods for ever. A watch without a version begins with all that there are."""
        while True:
            trouble = ""
            try:
                for event in self._events(protection):
                    if event.get("type") == "ERROR":
                        trouble = str((event.get("object") or {}).get("message"))
                        break
                    protection.hears(self.namespace, event)
            except Exception as fault:  # whatever it is: a thread that ends is deaf, and nobody is told
                trouble = str(fault) or type(fault).__name__
            if trouble:
                protection.is_deaf(self.namespace, trouble)
            # A server that ends each watch at once is not asked without end.
            time.sleep(_RETRY_SECONDS if trouble else 1)

    def _events(self, protection: Protection) -> Iterator[dict[str, Any]]:
        token = self._token.read_text()  # read each time: the kubelet renews it
        request = urllib.request.Request(self._url, headers={"Authorization": f"Bearer {token}"})
        with urllib.request.urlopen(request, timeout=WATCH_SECONDS + 10, context=self._tls) as stream:
            protection.begins(self.namespace)
            for line in stream:
                yield json.loads(line)


def handler(protection: Protection) -> type[BaseHTTPRequestHandler]:
    """Answers the kubelet's probe and Prometheus."""

    class Handler(BaseHTTPRequestHandler):
        timeout = 10

        def do_GET(self) -> None:
            if self.path == "/metrics":
                self._answer(200, protection.metrics())
            elif self.path == HEALTH_PATH:
                problem = protection.problem()
                self._answer(503 if problem else 200, f"{problem or 'ok'}\n")
            else:
                self._answer(404, "not found\n")

        def _answer(self, status: int, text: str) -> None:
            body = text.encode()
            self.send_response(status)
            self.send_header("Content-Type", "text/plain; version=0.0.4")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Nothing: the kubelet asks every few seconds."""

    return Handler


def protect(protection: Protection, stop: threading.Event) -> None:
    """Look again and again, tell what changes, and put back at the end."""
    told = None
    while not stop.is_set():
        protection.look()
        if (problem := protection.problem()) != told:
            print(problem or "protects", flush=True)
            told = problem
        stop.wait(INTERVAL_SECONDS)
    protection.put_back()


class Server(ThreadingHTTPServer):
    """Listens on IPv6 too where the kernel has it: pods of some clusters have no other address."""

    address_family = socket.AF_INET6 if socket.has_dualstack_ipv6() else socket.AF_INET

    def server_bind(self) -> None:
        if self.address_family == socket.AF_INET6:
            self.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        super().server_bind()


def main(arguments: list[str]) -> None:
    """Arguments: the node's /sys/fs/cgroup."""
    config = json.loads((Path(__file__).parent / CONFIG).read_text("utf-8"))
    namespaces = config[NAMESPACES]
    root = Path(arguments[0])
    spare = SpareCores(root, config[SPARE_CORES])
    protection = Protection(Groups(root), spare, config[CLASSES], namespaces)
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    host, port = os.environ["KUBERNETES_SERVICE_HOST"], os.environ["KUBERNETES_SERVICE_PORT"]
    server = f"https://{f'[{host}]' if ':' in host else host}:{port}"
    for namespace in namespaces:
        watch = Watch(server, namespace, os.environ[NODE_ENV])
        threading.Thread(target=watch.follow, args=(protection,), daemon=True).start()
    serving = Server(("", PORT), handler(protection))
    threading.Thread(target=serving.serve_forever, daemon=True).start()
    protect(protection, stop)


if __name__ == "__main__":
    main(sys.argv[1:])
