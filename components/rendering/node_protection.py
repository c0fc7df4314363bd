"""The DaemonSet of node protection, what it may read, and what it is told."""

import json
from collections.abc import Sequence

import pulumi
from pulumi_kubernetes.apps.v1 import DaemonSetSpecArgs
from pulumi_kubernetes.core.v1 import (
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
    TolerationArgs,
    VolumeArgs,
    VolumeMountArgs,
)
from pulumi_kubernetes.meta.v1 import LabelSelectorArgs, ObjectMetaArgs
from pulumi_kubernetes.networking.v1 import (
    NetworkPolicyEgressRuleArgs,
    NetworkPolicySpecArgs,
)
from pulumi_kubernetes.rbac.v1 import PolicyRuleArgs

from components.protect_node import (
    CLASSES,
    HEALTH_PATH,
    NAMESPACES,
    NODE_ENV,
    PORT,
    SPARE_CORES,
)
from components.rendering.network_policies import scraped_from
from components.rendering.objects import Object
from components.rendering.programs import CONTENT, command, unprivileged
from infra.models import NodeProtectionSpec
from infra.versions import PYTHON_IMAGE
from infra.vocabulary import (
    APP_NAME_LABEL,
    ISTIO_INJECT,
    METRICS_PORT,
    NODE_PROTECTION,
    SYSTEM_NODE_CRITICAL,
)

PROGRAM_FILE = "protect_node.py"
LABELS = {APP_NAME_LABEL: NODE_PROTECTION}
_MOUNT = "/opt/colocation/protection"
_GROUPS = "/sys/fs/cgroup"
_GROUPS_MOUNT = "/node/cgroup"
# Not narrower: below it the paths differ with the version of control groups and the kubelet's driver.
_OVERDUE_SECONDS = 20


def config(spec: NodeProtectionSpec, classes: Sequence[str], namespaces: Sequence[str]) -> str:
    """What the program is told."""
    told = {CLASSES: list(classes), NAMESPACES: list(namespaces), SPARE_CORES: spec.spare_cores}
    return json.dumps(told, indent=2)


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
            metadata=ObjectMetaArgs(labels={**LABELS, ISTIO_INJECT: "false"}, annotations={CONTENT: content}),
            spec=pod,
        ),
    )


def _container(spec: NodeProtectionSpec) -> ContainerArgs:
    answers = HTTPGetActionArgs(path=HEALTH_PATH, port=METRICS_PORT)
    node = EnvVarSourceArgs(field_ref=ObjectFieldSelectorArgs(field_path="spec.nodeName"))
    return ContainerArgs(
        name=NODE_PROTECTION,
        image=spec.image or PYTHON_IMAGE,
        command=command(f"{_MOUNT}/{PROGRAM_FILE}", _GROUPS_MOUNT),
        env=[EnvVarArgs(name=NODE_ENV, value_from=node)],
        ports=[ContainerPortArgs(name=METRICS_PORT, container_port=PORT)],
        readiness_probe=ProbeArgs(http_get=answers, period_seconds=5),
        resources=ResourceRequirementsArgs(
            requests=spec.resources.requests.as_kubernetes(), limits=spec.resources.limits.as_kubernetes()
        ),
        security_context=unprivileged(),
        volume_mounts=[
            VolumeMountArgs(name="program", mount_path=_MOUNT, read_only=True),
            VolumeMountArgs(name="control-groups", mount_path=_GROUPS_MOUNT),
        ],
    )


def network_policy(monitoring_namespace: str | None) -> NetworkPolicySpecArgs:
    """Nobody but Prometheus calls it; the API server is no pod, so what it calls cannot be named."""
    return NetworkPolicySpecArgs(
        pod_selector=LabelSelectorArgs(match_labels=LABELS),
        policy_types=["Ingress", "Egress"],
        ingress=[scraped_from(monitoring_namespace, [METRICS_PORT])] if monitoring_namespace else [],
        egress=[NetworkPolicyEgressRuleArgs()],
    )


def protection_monitor(namespace: str) -> Object:
    """Render the PodMonitor: offline pods of each node, and how many of them it holds back."""
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
