"""What a cluster has before anybody deploys to it: DNS, simulated nodes, a storage class with its volumes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from sandbox import kubectl, paths, simulated_nodes
from sandbox.network import DNS_IP
from sandbox.node import NODE_NAME

STORAGE_CLASS = "shared"
SHARED_VOLUMES = 4


def apply(program: Path, dns_image: str) -> None:
    """Bring the cluster's own objects up to date with kubectl; nothing changes if they are.

    Raises:
        SandboxError: the API server refused one of them.
    """
    nodes = [simulated_nodes.manifest(node) for node in simulated_nodes.topology()]
    present = _existing_nodes(program)
    # A node that is there belongs to its owners by now: applying it again would wipe their taints.
    missing = [node for node in nodes if node["metadata"]["name"] not in present]
    if missing:
        kubectl.output(program, "create", "-f", "-", stdin=yaml.safe_dump_all(missing))
    objects = yaml.safe_dump_all([*_dns(dns_image), _storage_class(), *_volumes()])
    kubectl.output(program, "apply", "--server-side", "--force-conflicts", "-f", "-", stdin=objects)


def _existing_nodes(program: Path) -> set[str]:
    listed = kubectl.output(program, "get", "nodes", "-o", "name")
    return {line.removeprefix("node/") for line in listed.split()}


def _storage_class() -> dict[str, Any]:
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": STORAGE_CLASS},
        "provisioner": "kubernetes.io/no-provisioner",
        "reclaimPolicy": "Retain",
        "volumeBindingMode": "Immediate",
    }


def _volumes() -> Iterator[dict[str, Any]]:
    """Folders of the real node as ReadWriteMany volumes: all pods that share them run on that node."""
    for index in range(1, SHARED_VOLUMES + 1):
        folder = paths.state() / "volumes" / f"shared-{index}"
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o777)  # training pods run as another user, and hostPath knows no fsGroup
        yield {
            "apiVersion": "v1",
            "kind": "PersistentVolume",
            "metadata": {"name": f"shared-{index}"},
            "spec": {
                "storageClassName": STORAGE_CLASS,
                "capacity": {"storage": "50Gi"},
                "accessModes": ["ReadWriteMany"],
                "persistentVolumeReclaimPolicy": "Retain",
                "hostPath": {"path": str(folder)},
                "nodeAffinity": {
                    "required": {
                        "nodeSelectorTerms": [
                            {
                                "matchExpressions": [
                                    {
                                        "key": "kubernetes.io/hostname",
                                        "operator": "In",
                                        "values": [NODE_NAME],
                                    }
                                ]
                            }
                        ]
                    }
                },
            },
        }


def _dns(image: str) -> Iterator[dict[str, Any]]:
    labels = {"k8s-app": "kube-dns"}
    metadata = {"name": "coredns", "namespace": "kube-system"}
    corefile = """\
.:53 {
    errors
    health
    ready
    kubernetes cluster.local in-addr.arpa {
        pods insecure
        ttl 5
    }
    cache 5
}
"""
    yield {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata}
    yield {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"name": "system:coredns"},
        "rules": [
            {
                "apiGroups": [""],
                "resources": ["endpoints", "services", "pods", "namespaces"],
                "verbs": ["list", "watch"],
            },
            {
                "apiGroups": ["discovery.k8s.io"],
                "resources": ["endpointslices"],
                "verbs": ["list", "watch"],
            },
        ],
    }
    yield {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRoleBinding",
        "metadata": {"name": "system:coredns"},
        "roleRef": {
            "apiGroup": "rbac.authorization.k8s.io",
            "kind": "ClusterRole",
            "name": "system:coredns",
        },
        "subjects": [{"kind": "ServiceAccount", **metadata}],
    }
    yield {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": metadata,
        "data": {"Corefile": corefile},
    }
    yield {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "kube-dns", "namespace": "kube-system", "labels": labels},
        "spec": {
            "selector": labels,
            "clusterIP": DNS_IP,
            "ports": [
                {"name": "dns", "port": 53, "protocol": "UDP"},
                {"name": "dns-tcp", "port": 53, "protocol": "TCP"},
            ],
        },
    }
    container = {
        "name": "coredns",
        "image": image,
        "imagePullPolicy": "Never",
        "args": ["-conf", "/etc/coredns/Corefile"],
        "resources": {"requests": {"cpu": "50m", "memory": "64Mi"}, "limits": {"memory": "170Mi"}},
        "ports": [
            {"name": "dns", "containerPort": 53, "protocol": "UDP"},
            {"name": "dns-tcp", "containerPort": 53, "protocol": "TCP"},
        ],
        "readinessProbe": {"httpGet": {"path": "/ready", "port": 8181}, "periodSeconds": 2},
        "volumeMounts": [{"name": "config", "mountPath": "/etc/coredns", "readOnly": True}],
    }
    yield {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {**metadata, "labels": labels},
        "spec": {
            "replicas": 1,
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {
                    "serviceAccountName": "coredns",
                    "priorityClassName": "system-cluster-critical",
                    "dnsPolicy": "Default",
                    "containers": [container],
                    "volumes": [{"name": "config", "configMap": {"name": "coredns"}}],
                },
            },
        },
    }
