"""Which traffic the rendered policies let through."""

from pulumi_kubernetes.networking.v1 import NetworkPolicy

from components.rendering.network_policies import operator_policy, tenant_policies


def policy(declare, spec):
    """The policy as it is sent to the API."""
    sent = declare(lambda: NetworkPolicy("policy", spec=spec)).named("policy")
    return sent.inputs["spec"]


def test_default_deny_selects_every_pod_in_both_directions_and_allows_nothing(declare):
    sent = policy(declare, tenant_policies()["default-deny"])
    assert sent == {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}


def test_names_are_looked_up_over_udp_and_tcp(declare):
    [rule] = policy(declare, tenant_policies()["allow-dns"])["egress"]
    assert {(port["port"], port["protocol"]) for port in rule["ports"]} == {(53, "UDP"), (53, "TCP")}
    assert {"matchLabels": {"kubernetes.io/metadata.name": "kube-system"}} in [
        peer.get("namespaceSelector") for peer in rule["to"]
    ]


def test_pods_of_a_namespace_talk_to_each_other_and_to_no_other_namespace(declare):
    sent = policy(declare, tenant_policies()["allow-peers"])
    assert sent["ingress"] == [{"from": [{"podSelector": {}}]}]
    assert sent["egress"] == [{"to": [{"podSelector": {}}]}]


def test_only_the_monitoring_stack_reaches_ports_that_serve_metrics(declare):
    [rule] = policy(declare, tenant_policies("obs", [8000])["allow-metrics"])["ingress"]
    [source] = rule["from"]
    assert source["namespaceSelector"]["matchLabels"] == {"kubernetes.io/metadata.name": "obs"}
    assert [port["port"] for port in rule["ports"]] == ["metrics", 8000]


def test_where_nobody_scrapes_no_port_is_open(declare):
    assert "allow-metrics" not in tenant_policies()
    assert len(policy(declare, operator_policy())["ingress"]) == 1


def test_the_monitoring_stack_reaches_the_operators_metrics(declare):
    _, metrics = policy(declare, operator_policy("obs"))["ingress"]
    [source] = metrics["from"]
    assert source["namespaceSelector"]["matchLabels"] == {"kubernetes.io/metadata.name": "obs"}
    assert metrics["ports"] == [{"port": 8080, "protocol": "TCP"}]


def test_a_policy_that_adds_one_direction_says_nothing_of_the_other(declare):
    assert policy(declare, tenant_policies()["allow-dns"])["policyTypes"] == ["Egress"]
    assert policy(declare, tenant_policies("obs")["allow-metrics"])["policyTypes"] == ["Ingress"]


def test_the_api_server_reaches_the_operators_webhook_from_wherever_it_is(declare):
    webhook, *_ = policy(declare, operator_policy("obs"))["ingress"]
    assert webhook == {"ports": [{"port": 9443, "protocol": "TCP"}]}


def test_the_operators_policy_selects_the_operator_alone(declare):
    selector = policy(declare, operator_policy())["podSelector"]
    assert selector == {"matchLabels": {"control-plane": "kubeflow-training-operator"}}


def test_pods_that_start_training_reach_the_api_server_wherever_it_is_and_no_others_do(declare):
    sent = policy(declare, tenant_policies()["allow-starts"])
    assert sent["podSelector"] == {"matchLabels": {"colocation.io/starts-training": "true"}}
    assert (sent["policyTypes"], sent["egress"]) == (["Egress"], [{}])
