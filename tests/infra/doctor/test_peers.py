"""Whether the pods of a distributed job can reach each other."""

import json

import pytest

from tests.infra.doctor.conftest import named, pod, tfjob

CLUSTER = {"ps": ["mnist-ps-0.vision.svc:2222"], "worker": ["mnist-worker-0.vision.svc:2222"]}


def tf_config(role):
    return {
        "name": "TF_CONFIG",
        "value": json.dumps({"cluster": CLUSTER, "task": {"type": role, "index": 0}}),
    }


def peer(role, **change):
    return pod(f"mnist-{role}-0", env=change.pop("env", [tf_config(role)]), **change)


def service(name, *, port=2222, selector=None, **spec):
    plain = {"clusterIP": "None", "ports": [{"port": port}], "selector": selector or {}}
    return named(name, spec=plain | spec)


def policy(name, types, **rules):
    return named(name, spec={"podSelector": {}, "policyTypes": types, **rules})


@pytest.fixture
def pair(clinic):
    clinic.jobs = [tfjob(replicas={"PS": 1, "Worker": 1})]
    clinic.pods = [peer("ps"), peer("worker")]
    clinic.kinds["services"] = [service("mnist-ps-0"), service("mnist-worker-0")]
    return clinic


def test_peers_that_find_each_other_are_no_finding(pair):
    assert pair.found() == ()


def test_a_service_that_is_not_there_is_told(pair):
    del pair.kinds["services"][0]
    assert "mnist-ps-0" in pair.only("peer-service-absent").cause


@pytest.mark.parametrize(
    "wrong", [service("mnist-ps-0", port=80), service("mnist-ps-0", clusterIP="10.0.0.1", ports=[])]
)
def test_a_service_that_does_not_lead_to_the_port_is_told(pair, wrong):
    pair.kinds["services"][0] = wrong
    assert "at port 2222" in pair.only("peer-port-wrong").cause


def test_a_service_that_selects_other_pods_is_told(pair):
    pair.kinds["services"][0] = service("mnist-ps-0", selector={"app": "other"})
    assert pair.only("peer-service-wrong")


@pytest.mark.parametrize(
    ("env", "word"),
    [
        ([], "it is not set"),
        ([{"name": "TF_CONFIG", "value": "{"}], "it is no JSON"),
        ([tf_config("worker"), tf_config("worker")], "it is set 2 times"),
        ([tf_config("ps")], "its task is ps 0, and it is worker 0"),
    ],
)
def test_a_tf_config_that_tells_nothing_is_told(pair, env, word):
    pair.pods[1] = peer("worker", env=env)
    assert word in pair.only("tf-config-wrong").cause


def test_a_lone_worker_needs_no_tf_config(clinic):
    assert clinic.found() == ()


def test_a_job_that_is_over_needs_no_services(pair):
    pair.kinds["services"] = []
    pair.jobs = [tfjob(state="Succeeded", replicas={"PS": 1, "Worker": 1})]
    pair.pods = [peer("ps", phase="Succeeded", statuses=[]), peer("worker", phase="Succeeded", statuses=[])]
    assert pair.found() == ()


DENY = policy("deny", ["Ingress", "Egress"])
PEERS = {"podSelector": {}}
DNS = {
    "to": [{"namespaceSelector": {}}],
    "ports": [{"port": 53, "protocol": "UDP"}],
}


def test_policies_that_let_peers_and_dns_through_are_no_finding(pair):
    allow = policy("allow", ["Ingress", "Egress"], ingress=[{"from": [PEERS]}], egress=[{"to": [PEERS]}, DNS])
    pair.kinds["networkpolicies"] = [DENY, allow]
    assert pair.found() == ()


@pytest.mark.parametrize(
    ("allowed", "word"),
    [
        ({"egress": [{"to": [PEERS]}, DNS]}, "(Ingress)"),
        ({"ingress": [{"from": [PEERS]}], "egress": [DNS]}, "(Egress)"),
        ({"ingress": [{"from": [PEERS], "ports": [{"port": 8080}]}], "egress": [{}]}, "(Ingress)"),
        (
            {"ingress": [{"from": [{"podSelector": {"matchLabels": {"a": "b"}}}]}], "egress": [{}]},
            "(Ingress)",
        ),
        ({"ingress": [{}], "egress": [{"to": [PEERS]}]}, "DNS"),
    ],
)
def test_policies_that_keep_peers_apart_are_told(pair, allowed, word):
    pair.kinds["networkpolicies"] = [DENY, policy("allow", ["Ingress", "Egress"], **allowed)]
    found = pair.only("network-policy-blocks")
    assert word in found.cause
    assert "denied by allow, deny, allowed by none" in [text for _, text in found.shown()]


@pytest.mark.parametrize(
    "rule", [{}, {"ports": [{"port": 2000, "endPort": 3000}]}, {"from": [{"ipBlock": {"cidr": "0.0.0.0/0"}}]}]
)
def test_a_rule_that_covers_peers_among_others_lets_them_through(pair, rule):
    pair.kinds["networkpolicies"] = [policy("some", ["Ingress"], ingress=[rule])]
    assert pair.found() == ()


def test_a_dns_without_endpoints_is_told_once(pair):
    label = {"kubernetes.io/service-name": "kube-dns"}
    pair.kinds["endpointslices"] = [named("dns", "kube-system", labels=label, endpoints=[])]
    assert pair.only("dns-down")
