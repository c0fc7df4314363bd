"""Which traffic a tenant's pods may have: none by default, and what training needs.

A policy only ever adds to what others allow. Egress to a data store outside the cluster is
therefore a NetworkPolicy of the team's own, beside these. NFS volumes need none: the node mounts
them.
"""

from collections.abc import Mapping, Sequence

from pulumi_kubernetes.meta.v1 import LabelSelectorArgs
from pulumi_kubernetes.networking.v1 import (
    IPBlockArgs,
    NetworkPolicyEgressRuleArgs,
    NetworkPolicyIngressRuleArgs,
    NetworkPolicyPeerArgs,
    NetworkPolicyPortArgs,
    NetworkPolicySpecArgs,
)

from infra.vocabulary import METRICS_PORT, NAMESPACE_NAME_LABEL, STARTER_LABEL

OPERATOR_LABELS = {"control-plane": "kubeflow-training-operator"}
_WEBHOOK_PORT, _OPERATOR_METRICS_PORT = 9443, 8080
_NODE_LOCAL_DNS = "169.254.20.10/32"


def tenant_policies(
    monitoring_namespace: str | None = None, scraped_ports: Sequence[int] = ()
) -> Mapping[str, NetworkPolicySpecArgs]:
    """The policies of a tenant's namespace, by name.

    `monitoring_namespace`: whose pods scrape, if any do: the port called metrics, and `scraped_ports`.
    """
    everyone = LabelSelectorArgs()
    peers = [NetworkPolicyPeerArgs(pod_selector=everyone)]
    scraping = _scraping(monitoring_namespace, scraped_ports) if monitoring_namespace else None
    return {
        "default-deny": NetworkPolicySpecArgs(pod_selector=everyone, policy_types=["Ingress", "Egress"]),
        "allow-dns": NetworkPolicySpecArgs(
            pod_selector=everyone,
            policy_types=["Egress"],
            egress=[
                NetworkPolicyEgressRuleArgs(
                    # The second: clusters with a DNS cache on each node, outside any namespace.
                    to=[
                        _namespace("kube-system"),
                        NetworkPolicyPeerArgs(ip_block=IPBlockArgs(cidr=_NODE_LOCAL_DNS)),
                    ],
                    ports=[_port(53, "UDP"), _port(53)],
                )
            ],
        ),
        "allow-peers": NetworkPolicySpecArgs(
            pod_selector=everyone,
            policy_types=["Ingress", "Egress"],
            ingress=[NetworkPolicyIngressRuleArgs(from_=peers)],
            egress=[NetworkPolicyEgressRuleArgs(to=peers)],
        ),
        # To anywhere: the API server is no pod, and its address and port differ from cluster to cluster.
        "allow-starts": NetworkPolicySpecArgs(
            pod_selector=LabelSelectorArgs(match_labels={STARTER_LABEL: "true"}),
            policy_types=["Egress"],
            egress=[NetworkPolicyEgressRuleArgs()],
        ),
        **({"allow-metrics": scraping} if scraping else {}),
    }


def _scraping(namespace: str, ports: Sequence[int]) -> NetworkPolicySpecArgs:
    return NetworkPolicySpecArgs(
        pod_selector=LabelSelectorArgs(),
        policy_types=["Ingress"],
        ingress=[scraped_from(namespace, [METRICS_PORT, *ports])],
    )


def operator_policy(monitoring_namespace: str | None = None) -> NetworkPolicySpecArgs:
    """What the training operator needs beside that, or alone where nothing is denied.

    The API server is no pod: it calls the webhook from addresses that no selector names, and is
    itself reached at an address and port that differ from cluster to cluster.
    """
    ingress = [NetworkPolicyIngressRuleArgs(ports=[_port(_WEBHOOK_PORT)])]
    if monitoring_namespace:
        ingress.append(scraped_from(monitoring_namespace, [_OPERATOR_METRICS_PORT]))
    return NetworkPolicySpecArgs(
        pod_selector=LabelSelectorArgs(match_labels=OPERATOR_LABELS),
        policy_types=["Ingress", "Egress"],
        ingress=ingress,
        egress=[NetworkPolicyEgressRuleArgs()],
    )


def scraped_from(namespace: str, ports: Sequence[int | str]) -> NetworkPolicyIngressRuleArgs:
    """What lets the Prometheus of a namespace read these ports."""
    return NetworkPolicyIngressRuleArgs(from_=[_namespace(namespace)], ports=[*map(_port, ports)])


def _namespace(name: str) -> NetworkPolicyPeerArgs:
    return NetworkPolicyPeerArgs(
        namespace_selector=LabelSelectorArgs(match_labels={NAMESPACE_NAME_LABEL: name})
    )


def _port(port: int | str, protocol: str = "TCP") -> NetworkPolicyPortArgs:
    return NetworkPolicyPortArgs(port=port, protocol=protocol)
