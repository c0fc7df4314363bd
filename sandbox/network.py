"""The sandbox's network: a namespace with no way out, a bridge for pods, routes from the host.

Ranges: 10.85.0.0/16 pods and node, 10.96.0.0/16 Services, 10.88.0.0/16 addresses that simulated pods
claim to have (black-holed), 10.86.0.0/30 the link between host and namespace.
"""

from __future__ import annotations

import contextlib
import ipaddress
import json
import os
import signal
import subprocess
from pathlib import Path

from sandbox.errors import SandboxError

NAMESPACE = "colo"
BRIDGE = "sbx0"
NODE_IP = "10.85.0.1"
POD_CIDR = "10.85.0.0/16"
SERVICE_CIDR = "10.96.0.0/16"
DNS_IP = "10.96.0.10"
PROMETHEUS_IP = "10.96.0.20"
ALERTMANAGER_IP = "10.96.0.21"
SIMULATED_CIDR = "10.88.0.0/16"
HOST_LINK = "colo-host"
INSIDE_LINK = "colo-inside"
HOST_LINK_IP = "10.86.0.1"
INSIDE_LINK_IP = "10.86.0.2"
POD_NETWORK = "colocation-sandbox"
CNI_RESULTS = Path("/var/lib/cni/results")  # libcni's own cache; its place cannot be configured here
LINK = ipaddress.ip_network("10.86.0.0/30")


def up() -> None:
    """Make whatever of the network is missing. Safe to repeat; completes a half-made one."""
    _refuse_foreign_routes()
    if not _namespace_exists():
        _ip("netns", "add", NAMESPACE)
    if not _link_exists(HOST_LINK):
        _ip("link", "add", HOST_LINK, "type", "veth", "peer", "name", INSIDE_LINK)
        _ip("link", "set", INSIDE_LINK, "netns", NAMESPACE)
    _ip("addr", "replace", f"{HOST_LINK_IP}/30", "dev", HOST_LINK)
    _ip("link", "set", HOST_LINK, "up")
    _inside("link", "set", "lo", "up")
    _inside("addr", "replace", f"{INSIDE_LINK_IP}/30", "dev", INSIDE_LINK)
    _inside("link", "set", INSIDE_LINK, "up")
    if not _link_exists(BRIDGE, inside=True):
        _inside("link", "add", BRIDGE, "type", "bridge")
    _inside("addr", "replace", f"{NODE_IP}/16", "dev", BRIDGE)
    _inside("link", "set", BRIDGE, "up")
    _inside("route", "replace", "blackhole", SIMULATED_CIDR)
    # The API server calls webhooks by their Service's address: without any route to it the kernel refuses
    # before kube-proxy's rules are asked.
    _inside("route", "replace", SERVICE_CIDR, "dev", BRIDGE)
    _sysctl("net.ipv4.ip_forward=1")
    _sysctl("net.bridge.bridge-nf-call-iptables=1", required=False)
    for cidr in (POD_CIDR, SERVICE_CIDR):
        _ip("route", "replace", cidr, "via", INSIDE_LINK_IP, "dev", HOST_LINK)
    _ip("route", "replace", "blackhole", SIMULATED_CIDR)


def down() -> None:
    """Remove the network and every route of it. Safe to repeat."""
    if _link_exists(HOST_LINK):
        _ip("link", "delete", HOST_LINK)  # takes the peer and the host's routes with it
    if _namespace_exists():
        _ip("netns", "delete", NAMESPACE)
    subprocess.run(["ip", "route", "delete", "blackhole", SIMULATED_CIDR], capture_output=True, check=False)


def end_programs() -> None:
    """End what still runs inside: a program that was started a moment before its starter was killed."""
    if _namespace_exists():
        listed = subprocess.run(
            ["ip", "netns", "pids", NAMESPACE], capture_output=True, text=True, check=False
        )
        for pid in listed.stdout.split():
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGKILL)


def remove_pod_namespaces() -> None:
    """Delete the network namespaces of the sandbox's pods, also of those that a crash left behind."""
    for record in CNI_RESULTS.glob(f"{POD_NETWORK}-*"):
        interfaces: list[dict[str, str]] = []
        with contextlib.suppress(ValueError, KeyError):  # half written: a full disk, a crash
            interfaces = json.loads(record.read_text())["result"].get("interfaces", [])
        for name in {Path(i["sandbox"]).name for i in interfaces if i.get("sandbox")}:
            subprocess.run(["ip", "netns", "delete", name], capture_output=True, check=False)
        record.unlink()


def direct_environment() -> dict[str, str]:
    """The environment without its proxies: none may come between the sandbox and its programs."""
    return {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}


def no_proxy() -> dict[str, str]:
    """For a program that needs the environment's proxies elsewhere: the sandbox is not behind them."""
    given = os.environ.get("NO_PROXY") or os.environ.get("no_proxy")
    ranges = ",".join(filter(None, (given, POD_CIDR, SERVICE_CIDR)))
    return {"NO_PROXY": ranges, "no_proxy": ranges}


def exists() -> bool:
    return _namespace_exists() or _link_exists(HOST_LINK)


def _refuse_foreign_routes() -> None:
    """Another network on the same addresses would be cut off by ours."""
    answer = subprocess.run(["ip", "-json", "route"], capture_output=True, text=True, check=False)
    ours = [*map(ipaddress.ip_network, (POD_CIDR, SERVICE_CIDR, SIMULATED_CIDR)), LINK]
    for route in json.loads(answer.stdout or "[]"):
        if route["dst"] == "default" or route.get("dev") == HOST_LINK or route.get("type") == "blackhole":
            continue
        if any(ipaddress.ip_network(route["dst"]).overlaps(network) for network in ours):
            raise SandboxError(
                f"the address range {route['dst']} is in use by {route.get('dev')} on this machine; "
                "take that network down while the sandbox runs"
            )


def _namespace_exists() -> bool:
    # A crash can leave the mount point's file behind without a namespace in it.
    path = Path("/run/netns") / NAMESPACE
    if not path.exists():
        return False
    probe = subprocess.run(["nsenter", f"--net={path}", "true"], capture_output=True, check=False)
    if probe.returncode == 0:
        return True
    path.unlink()
    return False


def _link_exists(link: str, *, inside: bool = False) -> bool:
    prefix = ["ip", "-netns", NAMESPACE] if inside else ["ip"]
    shown = subprocess.run([*prefix, "link", "show", link], capture_output=True, check=False)
    return shown.returncode == 0


def _ip(*arguments: str) -> None:
    _run("ip", *arguments)


def _inside(*arguments: str) -> None:
    _run("ip", "-netns", NAMESPACE, *arguments)


def _sysctl(setting: str, *, required: bool = True) -> None:
    command = ["nsenter", f"--net=/run/netns/{NAMESPACE}", "--", "sysctl", "-qw", setting]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if required and done.returncode != 0:
        raise SandboxError(f"`{' '.join(command)}` failed: {done.stderr.strip()}")


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SandboxError(f"`{' '.join(command)}` failed: {done.stderr.strip()}")
