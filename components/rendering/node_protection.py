"""The DaemonSet of node protection, what it may read, and what it is told."""

import json
from collections.abc import Sequence

import pulumi
from pulumi_kubernetes.apps.v1 import DaemonSetSpecArgs
from pulumi_kubernetes.core.v1 import (
    CapabilitiesArgs,
    ConfigMapVolumeSourceArgs,
    ContainerArgs,
    ContainerPortArgs,
    EnvVarArgs,
    EnvVarSourceArgs,
    HostPathVolumeSourceArgs,
    HTTPGetActionArgs,
    ObjectFieldSelectorArgs,
    PodSecurityContextArgs,
    PodSpecArgs,
    PodTemplateSpecArgs,
    ProbeArgs,
    ResourceRequirementsArgs,
    SeccompProfileArgs,
    SecurityContextArgs,
    TolerationArgs,
    VolumeArgs,
    VolumeMountArgs,
)
from pulumi_kubernetes.meta.v1 import LabelSelectorArgs, ObjectMetaArgs
from pulumi_kubernetes.networking.v1 import (
    NetworkPolicyEgressRuleArgs,
    NetworkPolicyIngressRuleArgs,
    NetworkPolicyPeerArgs,
    NetworkPolicyPortArgs,
    NetworkPolicySpecArgs,
)
from pulumi_kubernetes.rbac.v1 import PolicyRuleArgs

from components.protect_node import CLASSES, HEALTH_PATH, NAMESPACES, NODE_ENV, PORT
from components.rendering.objects import Object
from infra.models import JobSpec, NodeProtectionSpec, PoolSpec
from infra.versions import PYTHON_IMAGE
from infra.vocabulary import (
    APP_NAME_LABEL,
    DOMAIN,
    ISTIO_INJECT,
    METRICS_PORT,
    NAMESPACE_NAME_LABEL,
    NODE_PROTECTION,
    SYSTEM_NODE_CRITICAL,
)

PROGRAM_FILE = "protect_node.py"
LABELS = {APP_NAME_LABEL: NODE_PROTECTION}
_CONTENT = f"{DOMAIN}/content"
"""Annotation of the pod: a changed program or setting makes new pods, which read it."""
_MOUNT = "/opt/colocation/protection"
_GROUPS = "/sys/fs/cgroup"
_GROUPS_MOUNT = "/node/cgroup"
# Not narrower: below it the paths differ with the version of control groups and the kubelet's driver.
_OVERDUE_SECONDS = 20


def config(classes: Sequence[str], namespaces: Sequence[str]) -> str:
    """What the program is told."""
    return json.dumps({CLASSES: list(classes), NAMESPACES: list(namespaces)}, indent=2)


def watching_rules() -> list[PolicyRuleArgs]:
    """All that it may ask of the API server, in each tenant's namespace."""
    return [PolicyRuleArgs(api_groups=[""], resources=["pods"], verbs=["watch"])]


def daemon_set_spec(
    spec: NodeProtectionSpec,
    tolerations: Sequence[TolerationArgs],
    *,
    content: str,
    config_map: pulumi.Input[str],
    account: pulumi.Input[str],
) -> DaemonSetSpecArgs:
    """Render the DaemonSet; `content` tells what the ConfigMap holds from what it held before."""
    pod = PodSpecArgs(
        service_account_name=account,
        enable_service_links=False,
        priority_class_name=SYSTEM_NODE_CRITICAL,
        tolerations=list(tolerations),
        node_selector={"kubernetes.io/os": "linux"},
        termination_grace_period_seconds=_OVERDUE_SECONDS,
        security_context=PodSecurityContextArgs(
            run_as_user=0,  # whose the control groups are; it needs no capability for them
            run_as_group=0,
            seccomp_profile=SeccompProfileArgs(type="RuntimeDefault"),
        ),
        containers=[_container(spec)],
        volumes=[
            VolumeArgs(name="program", config_map=ConfigMapVolumeSourceArgs(name=config_map)),
            VolumeArgs(
                name="control-groups", host_path=HostPathVolumeSourceArgs(path=_GROUPS, type="Directory")
            ),
        ],
    )
    return DaemonSetSpecArgs(
        selector=LabelSelectorArgs(match_labels=LABELS),
        template=PodTemplateSpecArgs(
            metadata=ObjectMetaArgs(
                labels={**LABELS, ISTIO_INJECT: "false"}, annotations={_CONTENT: content}
            ),
            spec=pod,
        ),
    )


def _container(spec: NodeProtectionSpec) -> ContainerArgs:
    answers = HTTPGetActionArgs(path=HEALTH_PATH, port=METRICS_PORT)
    node = EnvVarSourceArgs(field_ref=ObjectFieldSelectorArgs(field_path="spec.nodeName"))
    return ContainerArgs(
        name=NODE_PROTECTION,
        image=spec.image or PYTHON_IMAGE,
        # Isolated and without site packages: what else the image holds takes no part in this.
        command=["python3", "-I", "-S", "-u", f"{_MOUNT}/{PROGRAM_FILE}", _GROUPS_MOUNT],
        env=[EnvVarArgs(name=NODE_ENV, value_from=node)],
        ports=[ContainerPortArgs(name=METRICS_PORT, container_port=PORT)],
        readiness_probe=ProbeArgs(http_get=answers, period_seconds=5),
        resources=ResourceRequirementsArgs(
            requests=spec.resources.requests.as_kubernetes(), limits=spec.resources.limits.as_kubernetes()
        ),
        security_context=SecurityContextArgs(
            allow_privilege_escalation=False,
            read_only_root_filesystem=True,
            capabilities=CapabilitiesArgs(drop=["ALL"]),
        ),
        volume_mounts=[
            VolumeMountArgs(name="program", mount_path=_MOUNT, read_only=True),
            VolumeMountArgs(name="control-groups", mount_path=_GROUPS_MOUNT),
        ],
    )


def tolerations(pools: Sequence[PoolSpec], jobs: Sequence[JobSpec]) -> list[TolerationArgs]:
    """Whatever pods of jobs tolerate: it has to be where they are."""
    of_pools = [
        (taint.key, "Equal", taint.value, taint.effect)
        for pool in pools
        for taint in (*pool.taints, *pool.foreign_taints)
    ]
    of_jobs = [(t.key, t.operator, t.value, t.effect) for job in jobs for t in job.tolerations]
    return [
        TolerationArgs(key=key, operator=operator, value=value, effect=effect)
        for key, operator, value, effect in dict.fromkeys((*of_pools, *of_jobs))
    ]


def network_policy(monitoring_namespace: str | None) -> NetworkPolicySpecArgs:
    """Nobody but Prometheus calls it; the API server is no pod, so what it calls cannot be named."""
    scraped = (
        NetworkPolicyIngressRuleArgs(
            from_=[
                NetworkPolicyPeerArgs(
                    namespace_selector=LabelSelectorArgs(
                        match_labels={NAMESPACE_NAME_LABEL: monitoring_namespace}
                    )
                )
            ],
            ports=[NetworkPolicyPortArgs(port=METRICS_PORT, protocol="TCP")],
        )
        if monitoring_namespace
        else None
    )
    return NetworkPolicySpecArgs(
        pod_selector=LabelSelectorArgs(match_labels=LABELS),
        policy_types=["Ingress", "Egress"],
        ingress=[scraped] if scraped else [],
        egress=[NetworkPolicyEgressRuleArgs()],
    )


def protection_monitor(namespace: str) -> Object:
    """Render the PodMonitor: how many offline pods there are on each node, and how many of them are idle."""
    return {
        "selector": {"matchLabels": LABELS},
        "namespaceSelector": {"matchNames": [namespace]},
        "podMetricsEndpoints": [
            {
                "port": METRICS_PORT,
                "relabelings": [
                    {"sourceLabels": ["__meta_kubernetes_pod_node_name"], "targetLabel": "node"},
                    {"targetLabel": "job", "replacement": NODE_PROTECTION},
                ],
            }
        ],
    }
