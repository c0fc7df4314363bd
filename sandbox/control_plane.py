"""The real control plane: etcd, API server, controller manager and scheduler."""

from __future__ import annotations

import ssl
import time
import urllib.request
from collections.abc import Mapping
from pathlib import Path

from sandbox import paths, pki, processes
from sandbox.errors import SandboxError
from sandbox.network import NAMESPACE, NODE_IP, POD_CIDR, SERVICE_CIDR

API_SERVER = f"https://{NODE_IP}:6443"
ETCD = f"http://{NODE_IP}:2379"
SCHEDULER = f"https://{NODE_IP}:10259"
ETCD_PEER = f"http://{NODE_IP}:2380"
READY_TIMEOUT_SECONDS = 90
WASTE_MEBIBYTES = 8
"""That etcd's file may hold beyond its data."""
QPS, BURST = 400, 800
"""How often a program may ask the API server, a second and at once: by default so seldom that a compressed
day of some hundred jobs measures nothing else."""
HURRIED = (f"--kube-api-qps={QPS}", f"--kube-api-burst={BURST}")
"""The same, as Kubernetes' programs and the training operator are told."""
NAMES = ("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler")


def up(programs: Mapping[str, Path]) -> None:
    """Start what is not running and wait until the API server is ready.

    Raises:
        SandboxError: a program ended or the API server is not ready in time.
    """
    admin = pki.issue("admin", "colocation-admin", organisations=["system:masters"])
    pki.kubeconfig(paths.kubeconfig(), API_SERVER, admin)
    _etcd(programs["etcd"])
    _api_server(programs["kube-apiserver"])
    wait_until_ready()
    _controller_manager(programs["kube-controller-manager"])
    _scheduler(programs["kube-scheduler"])


def client_config(name: str, common_name: str, *, organisations: tuple[str, ...] = ()) -> Path:
    """A kubeconfig for one of the cluster's own programs."""
    pair = pki.issue(name, common_name, organisations=organisations)
    return pki.kubeconfig(paths.pki() / f"{name}.kubeconfig", API_SERVER, pair)


def ready() -> bool:
    """Whether the API server says that it is ready."""
    context = ssl.create_default_context(cafile=str(pki.authority().certificate))
    admin = pki.issue("admin", "colocation-admin", organisations=["system:masters"])
    context.load_cert_chain(admin.certificate, admin.key)
    # No proxy of the environment may come between us and the sandbox.
    opener = urllib.request.build_opener(
        urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=context)
    )
    try:
        with opener.open(f"{API_SERVER}/readyz", timeout=2) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def wait_until_ready() -> None:
    deadline = time.monotonic() + READY_TIMEOUT_SECONDS
    while not ready():
        for name in ("etcd", "kube-apiserver"):
            if processes.find(name) is None:
                raise SandboxError(
                    f"{name} ended while starting; if the machine crashed, `make clean` removes the "
                    "damaged data. "
                    f"Its last lines:\n{processes.last_words(name)}"
                )
        if time.monotonic() > deadline:
            raise SandboxError(
                f"the API server was not ready in {READY_TIMEOUT_SECONDS} s; "
                f"see {processes.log_file('kube-apiserver')}"
            )
        time.sleep(0.2)


def _etcd(program: Path) -> None:
    command: list[str | Path] = [
        program,
        f"--data-dir={paths.state() / 'etcd'}",
        f"--listen-client-urls={ETCD}",
        f"--advertise-client-urls={ETCD}",
        f"--listen-peer-urls={ETCD_PEER}",
        f"--initial-advertise-peer-urls={ETCD_PEER}",
        f"--initial-cluster=default={ETCD_PEER}",
        "--unsafe-no-fsync",  # throw-away data, slow disks
        # Its file grows with what was ever there, and is in memory whole; a start makes it small again.
        f"--bootstrap-defrag-threshold-megabytes={WASTE_MEBIBYTES}",
        "--log-level=warn",
    ]
    processes.start("etcd", command, namespace=NAMESPACE)


def _api_server(program: Path) -> None:
    server = pki.issue(
        "kube-apiserver",
        "kube-apiserver",
        addresses=["127.0.0.1", NODE_IP, "10.96.0.1"],
        hosts=["localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"],
    )
    # `kubectl logs` and `exec` go from the API server to the kubelet with this certificate.
    kubelet_client = pki.issue(
        "kube-apiserver-kubelet-client", "kube-apiserver", organisations=["system:masters"]
    )
    key = pki.service_account_key()
    command: list[str | Path] = [
        program,
        f"--etcd-servers={ETCD}",
        f"--bind-address={NODE_IP}",
        f"--advertise-address={NODE_IP}",
        f"--service-cluster-ip-range={SERVICE_CIDR}",
        "--authorization-mode=Node,RBAC",
        "--enable-admission-plugins=NodeRestriction",
        "--allow-privileged",
        "--kubelet-preferred-address-types=InternalIP",
        f"--client-ca-file={pki.authority().certificate}",
        f"--tls-cert-file={server.certificate}",
        f"--tls-private-key-file={server.key}",
        f"--kubelet-certificate-authority={pki.authority().certificate}",
        f"--kubelet-client-certificate={kubelet_client.certificate}",
        f"--kubelet-client-key={kubelet_client.key}",
        "--service-account-issuer=https://kubernetes.default.svc",
        f"--service-account-key-file={key}",
        f"--service-account-signing-key-file={key}",
        "--profiling=false",
    ]
    processes.start("kube-apiserver", command, namespace=NAMESPACE)


def _controller_manager(program: Path) -> None:
    config = client_config("kube-controller-manager", "system:kube-controller-manager")
    command: list[str | Path] = [
        program,
        f"--kubeconfig={config}",
        f"--bind-address={NODE_IP}",
        f"--cluster-cidr={POD_CIDR}",
        "--use-service-account-credentials",
        f"--service-account-private-key-file={pki.service_account_key()}",
        f"--root-ca-file={pki.authority().certificate}",
        "--leader-elect=false",
        *HURRIED,
    ]
    processes.start("kube-controller-manager", command, namespace=NAMESPACE)


def _scheduler(program: Path) -> None:
    config = client_config("kube-scheduler", "system:kube-scheduler")
    command: list[str | Path] = [
        program,
        f"--kubeconfig={config}",
        # Who may read its metrics is asked of the API server.
        f"--authentication-kubeconfig={config}",
        f"--authorization-kubeconfig={config}",
        f"--bind-address={NODE_IP}",
        "--leader-elect=false",
        *HURRIED,
    ]
    processes.start("kube-scheduler", command, namespace=NAMESPACE)
