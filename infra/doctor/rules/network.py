"""NetworkPolicies, read as the API defines them: which of them keep the pods of a job from one another."""

from collections.abc import Mapping, Sequence

from infra.cluster.objects import Object, labels_of, name_of, selects
from infra.cluster.pods import Pod
from infra.cluster.state import State

Peer = tuple[Mapping[str, str], str]
"""Labels of a pod, and its namespace."""
DNS_NAMESPACE, DNS_PORT = "kube-system", 53


def peers_blocked(state: State, pods: Sequence[Pod], port: int) -> tuple[str, list[str]] | None:
    """`Ingress` or `Egress`, and the policies that deny it, for the first pair of pods that cannot talk."""
    for a, b in zip(pods, (*pods[1:], *pods[:1]), strict=True):
        for direction, here, there in (("Ingress", a, b), ("Egress", a, b)):
            denying = _denying(state, direction, here, (labels_of(there.raw), there.namespace), port)
            if denying:
                return direction, denying
    return None


def dns_blocked(state: State, pod: Pod) -> list[str]:
    """The policies that keep a pod from the cluster's DNS; none if one lets it through."""
    labels = {"k8s-app": "kube-dns"}
    return _denying(state, "Egress", pod, (labels, DNS_NAMESPACE), DNS_PORT)


def _denying(state: State, direction: str, pod: Pod, peer: Peer, port: int) -> list[str]:
    """Policies about the pod in that direction, if none of them allows the peer at the port."""
    about = [
        policy
        for policy in state.of("networkpolicies")
        if policy["metadata"]["namespace"] == pod.namespace
        and direction in _types(policy)
        and selects((policy.get("spec") or {}).get("podSelector") or {}, pod.labels)
    ]
    if any(_allows(state, policy, direction, peer, pod, port) for policy in about):
        return []
    return sorted(map(name_of, about))


def _types(policy: Object) -> Sequence[str]:
    spec = policy.get("spec") or {}
    return spec.get("policyTypes") or (["Ingress", "Egress"] if spec.get("egress") else ["Ingress"])


def _allows(state: State, policy: Object, direction: str, peer: Peer, pod: Pod, port: int) -> bool:
    key, side = ("ingress", "from") if direction == "Ingress" else ("egress", "to")
    return any(
        _has_port(rule, port)
        and (not rule.get(side) or any(_is_peer(state, p, peer, pod) for p in rule[side]))
        for rule in (policy.get("spec") or {}).get(key) or ()
    )


def _has_port(rule: Object, port: int) -> bool:
    """A named port is taken for another one: peers are called at a number."""
    return not rule.get("ports") or any(_covers(entry, port) for entry in rule["ports"])


def _covers(entry: Object, port: int) -> bool:
    stated, end = entry.get("port"), entry.get("endPort")
    if stated is None:
        return True
    return isinstance(stated, int) and stated <= port <= int(end or stated)


def _is_peer(state: State, entry: Object, peer: Peer, pod: Pod) -> bool:
    """Addresses are not looked into: what names them is taken to mean something else than pods."""
    labels, namespace = peer
    if "ipBlock" in entry:
        return str(entry["ipBlock"].get("cidr", "")).endswith("/0")
    if "namespaceSelector" in entry:
        found = state.find("namespaces", "", namespace)
        if not selects(entry["namespaceSelector"], labels_of(found) if found else {}):
            return False
    elif namespace != pod.namespace:
        return False
    return selects(entry.get("podSelector") or {}, labels)
