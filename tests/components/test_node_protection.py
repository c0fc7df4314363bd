"""Node protection as it is declared: where it runs, and how little it may do."""

import json

import pytest

from components.node_protection import NodeProtection, NodeProtectionArgs
from infra.models import JobSpec, NodeProtectionSpec, PoolSpec
from infra.versions import PYTHON_IMAGE
from tests.components.jobs import MNIST

DAEMON_SET = "kubernetes:apps/v1:DaemonSet"
CONFIG_MAP = "kubernetes:core/v1:ConfigMap"
ROLE = "kubernetes:rbac.authorization.k8s.io/v1:Role"
BINDING = "kubernetes:rbac.authorization.k8s.io/v1:RoleBinding"
POLICY = "kubernetes:networking.k8s.io/v1:NetworkPolicy"
POOL = PoolSpec.model_validate(
    {
        "name": "gpu",
        "nodes": ["n1"],
        "taints": [{"key": "gpu", "value": "reserved", "effect": "NoSchedule"}],
        "foreign_taints": [{"key": "vendor", "effect": "NoExecute"}],
    }
)


@pytest.fixture
def protected(declare):
    """What is declared for two tenants, from what the stack file says under `node_protection:`."""

    def run(*, classes=("offline-low",), monitoring=None, jobs=(), **spec):
        args = NodeProtectionArgs(
            spec=NodeProtectionSpec.model_validate(spec),
            offline_classes=classes,
            tenants={"vision": "vision", "speech": "speech"},
            pools=[POOL],
            jobs=jobs,
            monitoring_namespace=monitoring,
        )
        return declare(lambda: NodeProtection("node-protection", args))

    return run


def pod(declared):
    return declared.only(DAEMON_SET).inputs["spec"]["template"]["spec"]


def container(declared):
    [found] = pod(declared)["containers"]
    return found


def test_it_may_watch_pods_in_tenants_namespaces_and_nothing_else(protected):
    declared = protected()
    roles = declared.all(ROLE)
    assert {role.inputs["metadata"]["namespace"] for role in roles} == {"vision", "speech"}
    for role in roles:
        assert role.inputs["rules"] == [{"apiGroups": [""], "resources": ["pods"], "verbs": ["watch"]}]
    [subject] = {json.dumps(b.inputs["subjects"], sort_keys=True) for b in declared.all(BINDING)}
    assert json.loads(subject) == [
        {"kind": "ServiceAccount", "name": "node-protection", "namespace": "node-protection"}
    ]
    assert not any("Cluster" in resource.typ for resource in declared.resources)


def test_of_the_node_it_sees_the_control_groups_alone(protected):
    spec = pod(protected())
    paths = [volume["hostPath"]["path"] for volume in spec["volumes"] if "hostPath" in volume]
    assert paths == ["/sys/fs/cgroup"]
    assert not {"hostNetwork", "hostPID", "hostIPC"} & spec.keys()


def test_it_has_no_capability_and_a_root_that_it_cannot_write(protected):
    declared = protected()
    assert container(declared)["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert pod(declared)["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}


def test_it_goes_wherever_pods_of_jobs_go(protected):
    job = JobSpec.model_validate(MNIST | {"tolerations": [{"key": "spot", "operator": "Exists"}]})
    tolerated = pod(protected(jobs=[job, job]))["tolerations"]
    assert tolerated == [
        {"key": "gpu", "operator": "Equal", "value": "reserved", "effect": "NoSchedule"},
        {"key": "vendor", "operator": "Equal", "value": "", "effect": "NoExecute"},
        {"key": "spot", "operator": "Exists"},
    ]


def test_no_training_drives_it_away(protected):
    assert pod(protected())["priorityClassName"] == "system-node-critical"


def test_it_is_told_whose_pods_give_way(protected):
    text = protected(classes=["offline-low", "batch"]).only(CONFIG_MAP).inputs["data"]["protection.json"]
    told = {"classes": ["offline-low", "batch"], "namespaces": ["vision", "speech"], "spareCores": 1}
    assert json.loads(text) == told


def test_a_changed_setting_makes_new_pods(protected):
    def content(declared):
        metadata = declared.only(DAEMON_SET).inputs["spec"]["template"]["metadata"]
        return metadata["annotations"]["colocation.io/content"]

    assert content(protected()) != content(protected(classes=["batch"]))
    assert content(protected()) != content(protected(spare_cores=2))


def test_its_image_can_be_chosen(protected):
    assert container(protected())["image"] == PYTHON_IMAGE
    assert container(protected(image="reg/python:3.12"))["image"] == "reg/python:3.12"


def test_only_prometheus_may_call_it(protected):
    assert protected().only(POLICY).inputs["spec"].get("ingress", []) == []
    [rule] = protected(monitoring="obs").only(POLICY).inputs["spec"]["ingress"]
    [peer] = rule["from"]
    assert peer["namespaceSelector"]["matchLabels"] == {"kubernetes.io/metadata.name": "obs"}
    assert rule["ports"] == [{"port": "metrics", "protocol": "TCP"}]
