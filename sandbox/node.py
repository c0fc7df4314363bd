"""The one real node: containerd, kubelet and kube-proxy."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from pathlib import Path

import yaml

from sandbox import containers, paths, pki, processes
from sandbox.control_plane import client_config
from sandbox.errors import SandboxError
from sandbox.network import BRIDGE, DNS_IP, NAMESPACE, NODE_IP, POD_CIDR, POD_NETWORK

NODE_NAME = "node-cpu-01"
PAUSE_IMAGE = "registry.k8s.io/pause:3.10"
CONTAINERD_TIMEOUT_SECONDS = 30


def start_containerd() -> None:
    """Start containerd with folders and a socket of its own, and wait until it answers."""
    config = paths.state() / "containerd.toml"
    config.parent.mkdir(parents=True, exist_ok=True)
    _write(config, _containerd_config())
    network = paths.state() / "cni"
    network.mkdir(parents=True, exist_ok=True)
    _write(network / "10-bridge.conflist", json.dumps(_pod_network(), indent=2))
    processes.start("containerd", ["containerd", "--config", config], namespace=NAMESPACE)
    deadline = time.monotonic() + CONTAINERD_TIMEOUT_SECONDS
    while containers.ctr("version").returncode != 0:
        if processes.find("containerd") is None or time.monotonic() > deadline:
            raise SandboxError(
                "containerd does not answer; its last lines:\n" + processes.last_words("containerd")
            )
        time.sleep(0.1)


def start_kubelet(programs: Mapping[str, Path]) -> None:
    """Start kubelet and kube-proxy."""
    kubelet_config = paths.state() / "kubelet.yaml"
    _write(kubelet_config, yaml.safe_dump(_kubelet_config()))
    credentials = client_config("kubelet", f"system:node:{NODE_NAME}", organisations=("system:nodes",))
    kubelet: list[str | Path] = [
        programs["kubelet"],
        f"--kubeconfig={credentials}",
        f"--config={kubelet_config}",
        f"--hostname-override={NODE_NAME}",
        f"--node-ip={NODE_IP}",
        f"--root-dir={paths.state() / 'kubelet'}",
        f"--cert-dir={paths.pki()}",
        # cAdvisor's, which has no field: else its metrics have pods and no containers.
        f"--containerd={paths.containerd_socket()}",
    ]
    processes.start("kubelet", kubelet, namespace=NAMESPACE)
    proxy_config = paths.state() / "kube-proxy.yaml"
    _write(proxy_config, yaml.safe_dump(_proxy_config()))
    proxy: list[str | Path] = [
        programs["kube-proxy"],
        f"--config={proxy_config}",
        f"--hostname-override={NODE_NAME}",
    ]
    processes.start("kube-proxy", proxy, namespace=NAMESPACE)


def _write(path: Path, text: str) -> None:
    """Leave an unchanged file alone: kube-proxy ends when its file is written, whatever is in it."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def _containerd_config() -> str:
    state = paths.state()
    return f"""\
version = 2
root = "{state}/containerd/root"
state = "{state}/containerd/state"
[grpc]
  address = "{paths.containerd_socket()}"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "{PAUSE_IMAGE}"
  # Lowering a process' OOM score wants CAP_SYS_RESOURCE, which root may lack in a container or VM.
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "overlayfs"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
        SystemdCgroup = false
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "{state}/cni"
[plugins."io.containerd.internal.v1.opt"]
  path = "{state}/containerd/opt"
"""


def _pod_network() -> dict[str, object]:
    return {
        "cniVersion": "0.4.0",
        "name": POD_NETWORK,
        "plugins": [
            {
                "type": "bridge",
                "bridge": BRIDGE,
                "hairpinMode": True,
                "ipam": {
                    "type": "host-local",
                    "dataDir": str(paths.state() / "cni-leases"),
                    # The bridge holds the gateway's address; pods start well above it.
                    "ranges": [[{"subnet": POD_CIDR, "rangeStart": "10.85.1.1", "gateway": NODE_IP}]],
                    "routes": [{"dst": "0.0.0.0/0"}],
                },
            },
        ],
    }


def _kubelet_config() -> dict[str, object]:
    server = pki.issue("kubelet-server", f"system:node:{NODE_NAME}", addresses=[NODE_IP], hosts=[NODE_NAME])
    return {
        "apiVersion": "kubelet.config.k8s.io/v1beta1",
        "kind": "KubeletConfiguration",
        "address": NODE_IP,
        "healthzBindAddress": "127.0.0.1",
        "authentication": {
            "anonymous": {"enabled": False},
            "webhook": {"enabled": True},
            "x509": {"clientCAFile": str(pki.authority().certificate)},
        },
        "authorization": {"mode": "Webhook"},
        "tlsCertFile": str(server.certificate),
        "tlsPrivateKeyFile": str(server.key),
        "containerRuntimeEndpoint": f"unix://{paths.containerd_socket()}",
        "cgroupDriver": "cgroupfs",
        "cgroupRoot": "/",
        "failCgroupV1": False,
        "failSwapOn": False,
        "clusterDNS": [DNS_IP],
        "clusterDomain": "cluster.local",
        "resolvConf": "",
        "podLogsDir": str(paths.pod_logs()),
        "volumePluginDir": str(paths.state() / "kubelet-plugins"),
        # Images are made here and cannot be pulled again: never collect them.
        "imageGCHighThresholdPercent": 100,
        "imageMinimumGCAge": "8760h",
        "evictionHard": {"memory.available": "100Mi", "nodefs.available": "1%"},
        "enforceNodeAllocatable": ["pods"],
        "registerNode": True,
        # How soon a changed Secret or ConfigMap reaches the pods that mount it: rules and routes of alerts do
        # so, and a minute is long for who tries them.
        "syncFrequency": "5s",
        "maxPods": 200,
    }


def _proxy_config() -> dict[str, object]:
    credentials = client_config("kube-proxy", "system:kube-proxy")
    return {
        "apiVersion": "kubeproxy.config.k8s.io/v1alpha1",
        "kind": "KubeProxyConfiguration",
        "mode": "nftables",
        "bindAddress": NODE_IP,
        "healthzBindAddress": "127.0.0.1:10256",
        "metricsBindAddress": "127.0.0.1:10249",
        "clusterCIDR": POD_CIDR,
        "clientConnection": {"kubeconfig": str(credentials)},
        "conntrack": {"maxPerCore": 0},
    }
