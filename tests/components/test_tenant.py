"""What a Tenant declares."""

from dataclasses import replace

import pulumi
import pytest
from pulumi_kubernetes.core.v1 import ConfigMap

from components.tenant import Tenant, TenantArgs
from infra.models import TenantSpec

NAMESPACE = "kubernetes:core/v1:Namespace"
QUOTA = "kubernetes:core/v1:ResourceQuota"
LIMITS = "kubernetes:core/v1:LimitRange"
POLICY = "kubernetes:networking.k8s.io/v1:NetworkPolicy"


def vision(**change):
    return TenantArgs(spec=TenantSpec.model_validate({"name": "vision"} | change))


def test_the_namespace_is_named_after_the_tenant(declare):
    namespace = declare(lambda: Tenant("vision", vision())).only(NAMESPACE)
    assert namespace.inputs["metadata"]["name"] == "vision"


@pytest.mark.parametrize("level", ["restricted", "baseline", "privileged"])
def test_the_namespace_enforces_its_pod_security_level_and_warns_of_it(declare, level):
    labels = (
        declare(lambda: Tenant("vision", vision(pod_security=level)))
        .only(NAMESPACE)
        .inputs["metadata"]["labels"]
    )
    for mode in ("enforce", "audit", "warn"):
        assert labels[f"pod-security.kubernetes.io/{mode}"] == level
        assert labels[f"pod-security.kubernetes.io/{mode}-version"] == "latest"


def test_the_namespace_of_a_tenant_with_a_queue_says_so(declare):
    def labels(**args):
        found = declare(lambda: Tenant("vision", replace(vision(), **args))).only(NAMESPACE)
        return found.inputs["metadata"]["labels"]

    assert labels(queued=True)["colocation.io/queued"] == "true"
    assert "colocation.io/queued" not in labels()


def test_the_quota_holds_gpus_too(declare):
    hard = {"requests.cpu": "200", "requests.memory": "600Gi", "requests.nvidia.com/gpu": "16"}
    quota = declare(lambda: Tenant("vision", vision(quota=hard))).only(QUOTA)
    assert quota.inputs["spec"]["hard"] == hard
    assert quota.inputs["metadata"]["namespace"] == "vision"


def test_a_quota_may_count_pods_of_some_priorities_only(declare):
    spec = vision(quota={"pods": "4"}, quota_priorities=["offline-low"])
    quota = declare(lambda: Tenant("vision", spec)).only(QUOTA)
    assert quota.inputs["spec"]["scopeSelector"]["matchExpressions"] == [
        {"scopeName": "PriorityClass", "operator": "In", "values": ["offline-low"]}
    ]


def test_a_changed_scope_is_a_new_quota_since_nobody_may_change_it(declare):
    declared = declare(lambda: Tenant("vision", vision(quota={"pods": "4"})))
    request = declared.requests["vision-quota"]
    assert list(request.replaceOnChanges) == ["spec.scopeSelector"]
    assert request.deleteBeforeReplace


def test_containers_without_amounts_get_the_tenants_defaults(declare):
    limit_range = {"default_request": {"cpu": "100m"}, "default": {"cpu": "1", "memory": "1Gi"}}
    limits = declare(lambda: Tenant("vision", vision(limit_range=limit_range))).only(LIMITS)
    assert limits.inputs["spec"]["limits"] == [
        {"type": "Container", "defaultRequest": {"cpu": "100m"}, "default": {"cpu": "1", "memory": "1Gi"}}
    ]


def test_what_is_not_asked_for_is_not_declared(declare):
    declared = declare(lambda: Tenant("vision", vision(network_policy=False)))
    assert [r.typ for r in declared.resources] == ["colocation:tenancy:Tenant", NAMESPACE]


def test_traffic_is_denied_by_default_and_what_training_needs_is_allowed(declare):
    declared = declare(lambda: Tenant("vision", vision()))
    names = {policy.inputs["metadata"]["name"] for policy in declared.all(POLICY)}
    assert names == {"default-deny", "allow-dns", "allow-peers", "allow-starts"}
    assert {policy.inputs["metadata"]["namespace"] for policy in declared.all(POLICY)} == {"vision"}


def test_the_monitoring_stack_is_let_in_where_there_is_one(declare):
    args = replace(vision(), monitoring_namespace="obs", scraped_ports=[8000])
    [rule] = declare(lambda: Tenant("vision", args)).named("vision-allow-metrics").inputs["spec"]["ingress"]
    assert [port["port"] for port in rule["ports"]] == ["metrics", 8000]


def test_everything_in_it_waits_for_the_namespace_and_for_what_the_tenant_waits_for(declare):
    def program():
        first = ConfigMap("first")
        quota = {"requests.cpu": "1"}
        Tenant("vision", vision(quota=quota), pulumi.ResourceOptions(depends_on=[first]))

    declared = declare(program)
    assert {"first", "vision-namespace"} <= declared.waits_for["vision-quota"]
    assert {"first", "vision-namespace"} <= declared.waits_for["vision-default-deny"]
    assert "first" in declared.waits_for["vision-namespace"]


def test_two_tenants_do_not_collide(declare):
    def program():
        Tenant("vision", vision())
        Tenant("speech", vision(name="speech"))

    names = declare(program).names()
    assert len(names) == len(set(names))
