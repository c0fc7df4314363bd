"""Pods against the Pod Security level of their tenant."""

import pytest

from tests.infra.checks.jobs import examined, found

REFUSED = "pod-security-refuses"
PRIVILEGED = {"privileged": True, "allowPrivilegeEscalation": True}
BASELINE = [
    ({"hostNetwork": True}, ("hostNetwork",)),
    ({"hostPID": True, "shareProcessNamespace": None}, ("hostPID",)),
    ({"volumes": [{"name": "h", "hostPath": {"path": "/"}}]}, ("volumes", 0)),
    (
        {
            "containers": [
                {"name": "tensorflow", "ports": [{"name": "web", "containerPort": 80, "hostPort": 80}]}
            ]
        },
        ("containers", 0, "ports"),
    ),
    (
        {
            "containers": [
                {"name": "tensorflow", "livenessProbe": {"tcpSocket": {"host": "db.example", "port": 80}}}
            ]
        },
        ("containers", 0, "livenessProbe"),
    ),
    (
        {
            "containers": [
                {
                    "name": "tensorflow",
                    "lifecycle": {"preStop": {"httpGet": {"host": "a.example", "port": 80}}},
                }
            ]
        },
        ("containers", 0, "lifecycle"),
    ),
    (
        {"containers": [{"name": "tensorflow", "securityContext": PRIVILEGED}]},
        ("containers", 0, "securityContext", "privileged"),
    ),
    (
        {"containers": [{"name": "tensorflow", "securityContext": {"capabilities": {"add": ["SYS_ADMIN"]}}}]},
        ("containers", 0, "securityContext", "capabilities"),
    ),
    (
        {"securityContext": {"seccompProfile": {"type": "Unconfined"}}},
        ("securityContext", "seccompProfile"),
    ),
]
RESTRICTED = [
    ({"volumes": [{"name": "n", "nfs": {"server": "h", "path": "/"}}]}, ("volumes", 0)),
    ({"securityContext": {"runAsUser": 0, "runAsNonRoot": None}}, ("securityContext", "runAsUser")),
    ({"securityContext": {"runAsNonRoot": None}}, ("securityContext", "runAsNonRoot")),
    (
        {"containers": [{"name": "tensorflow", "securityContext": {"capabilities": {"drop": []}}}]},
        ("containers", 0, "securityContext", "capabilities"),
    ),
    (
        {"containers": [{"name": "tensorflow", "securityContext": {"allowPrivilegeEscalation": None}}]},
        ("containers", 0, "securityContext", "allowPrivilegeEscalation"),
    ),
]


def of(level):
    return {"tenants": [{"name": "vision", "pod_security": level}]}


@pytest.mark.parametrize("level", ["baseline", "restricted"])
@pytest.mark.parametrize(("overrides", "place"), BASELINE)
def test_what_the_baseline_refuses_is_a_fault(overrides, place, level):
    refused = ("fault", REFUSED, ("pod_overrides", *place))
    findings = found(pod_overrides=overrides, stack=of(level))
    assert refused in findings
    assert {code for _, code, _ in findings} == {REFUSED}


@pytest.mark.parametrize(("overrides", "place"), RESTRICTED)
def test_what_only_restricted_refuses_is_a_fault_there_only(overrides, place):
    refused = ("fault", REFUSED, ("pod_overrides", *place))
    findings = found(pod_overrides=overrides, stack=of("restricted"))
    assert refused in findings
    assert {code for _, code, _ in findings} == {REFUSED}
    assert found(pod_overrides=overrides, stack=of("baseline")) == []


@pytest.mark.parametrize("overrides", [overrides for overrides, _ in BASELINE + RESTRICTED])
def test_a_privileged_tenant_may_do_all_of_it(overrides):
    assert found(pod_overrides=overrides, stack=of("privileged")) == []


def test_root_is_refused_by_restricted_and_said_in_the_words_of_the_stack():
    root = {"security": {"run_as_non_root": False}}
    assert found(**root, stack=of("restricted")) == [("fault", REFUSED, ("security", "run_as_non_root"))]
    assert found(**root, stack=of("baseline")) == []
    [finding] = examined(**root)
    assert finding.message == "it may run as root, which the level restricted of tenant vision refuses"


CONTRADICTIONS = [
    ({"security": {"run_as_user": 0}}, ("security", "run_as_user")),
    ({"pod_overrides": {"hostPID": True}}, ("pod_overrides", "hostPID")),
    (
        {"pod_overrides": {"containers": [{"name": "tensorflow", "securityContext": {"privileged": True}}]}},
        ("pod_overrides", "containers", 0, "securityContext", "privileged"),
    ),
]


@pytest.mark.parametrize(("change", "place"), CONTRADICTIONS)
def test_what_contradicts_itself_is_refused_by_every_level(change, place):
    assert found(**change, stack=of("privileged")) == [("fault", "pod-contradicts-itself", place)]


def test_what_a_level_allows_passes():
    bind = {"capabilities": {"add": ["NET_BIND_SERVICE"]}}
    overrides = {"containers": [{"name": "tensorflow", "securityContext": bind}]}
    assert found(pod_overrides=overrides, stack=of("restricted")) == []
    assert found(security={"run_as_user": None, "fs_group": None}, stack=of("restricted")) == []


@pytest.mark.parametrize(
    "context",
    [
        {"seLinuxOptions": {"type": "spc_t"}},
        {"seLinuxOptions": {"user": "root"}},
        {"sysctls": [{"name": "kernel.msgmax", "value": "1"}]},
    ],
)
def test_rights_of_the_node_are_refused(context):
    assert [code for _, code, _ in found(pod_overrides={"securityContext": context})] == [REFUSED]


@pytest.mark.parametrize(
    "overrides",
    [
        {"securityContext": {"sysctls": [{"name": "net.ipv4.tcp_syncookies", "value": "1"}]}},
        {"securityContext": {"seLinuxOptions": {"type": "container_t", "level": "s0"}}},
        {"volumes": [{"name": "model", "image": {"reference": "registry.example/model:1"}}]},
    ],
)
def test_what_the_levels_call_safe_passes(overrides):
    assert found(pod_overrides=overrides) == []


def test_an_old_annotation_takes_no_apparmor_profile_away():
    key = "container.apparmor.security.beta.kubernetes.io/tensorflow"
    assert found(annotations={key: "unconfined"}) == [("fault", REFUSED, ("annotations", key))]
    assert found(annotations={key: "runtime/default"}) == []
