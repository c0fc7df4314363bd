"""NVIDIA's DCGM exporter: what it counts, where it runs, and how Prometheus reads it."""

import hashlib
from collections.abc import Sequence

import pulumi
from pulumi_kubernetes.apps.v1 import DaemonSetSpecArgs
from pulumi_kubernetes.core.v1 import (
    AffinityArgs,
    CapabilitiesArgs,
    ConfigMapVolumeSourceArgs,
    ContainerArgs,
    ContainerPortArgs,
    EnvVarArgs,
    EnvVarSourceArgs,
    HostPathVolumeSourceArgs,
    HTTPGetActionArgs,
    NodeAffinityArgs,
    NodeSelectorArgs,
    NodeSelectorRequirementArgs,
    NodeSelectorTermArgs,
    ObjectFieldSelectorArgs,
    PodSpecArgs,
    PodTemplateSpecArgs,
    ProbeArgs,
    ResourceRequirementsArgs,
    SecurityContextArgs,
    VolumeArgs,
    VolumeMountArgs,
)
from pulumi_kubernetes.meta.v1 import LabelSelectorArgs, ObjectMetaArgs

from components.rendering.daemon_sets import tolerations
from components.rendering.monitoring.gpu_metrics import COUNTERS, DCGM_EXPORTER, PROFILING_COUNTERS
from infra.models import PoolSpec
from infra.models.monitoring import GpuMetricsSpec
from infra.versions import DCGM_EXPORTER_IMAGE
from infra.vocabulary import APP_NAME_LABEL, ISTIO_INJECT, METRICS_PORT, POOL_LABEL, SYSTEM_NODE_CRITICAL

LABELS = {APP_NAME_LABEL: DCGM_EXPORTER}
PORT = 9400
COUNTERS_FILE = "counters.csv"
_COUNTERS_FOLDER = "/etc/colocation"
_POD_RESOURCES = "/var/lib/kubelet/pod-resources"
_STARTS_WITHIN_SECONDS = 45  # DCGM looks at every GPU first


def counters(spec: GpuMetricsSpec) -> str:
    """The exporter's list of what to count: field, kind, help."""
    counted = {**COUNTERS, **(PROFILING_COUNTERS if spec.profiling else {})}
    return "".join(f"{name}, {kind}, {text}\n" for name, (kind, text) in counted.items())


def counters_config_map(text: str) -> str:
    """Its name holds a hash, so that a change reaches the pods."""
    return f"{DCGM_EXPORTER}-counters-{hashlib.sha256(text.encode()).hexdigest()[:10]}"


def gpu_exporter_spec(
    spec: GpuMetricsSpec, pools: Sequence[PoolSpec], config_map: pulumi.Input[str]
) -> DaemonSetSpecArgs:
    """Render the DaemonSet: one pod on each node of the pools, whatever keeps others off."""
    pod = PodSpecArgs(
        affinity=_on_nodes_of(pools),
        tolerations=tolerations(pools),
        priority_class_name=SYSTEM_NODE_CRITICAL,
        runtime_class_name=spec.runtime_class,
        automount_service_account_token=False,
        enable_service_links=False,
        containers=[_container(spec)],
        volumes=[
            VolumeArgs(name="counters", config_map=ConfigMapVolumeSourceArgs(name=config_map)),
            VolumeArgs(name="pod-resources", host_path=HostPathVolumeSourceArgs(path=_POD_RESOURCES)),
        ],
    )
    return DaemonSetSpecArgs(
        selector=LabelSelectorArgs(match_labels=LABELS),
        template=PodTemplateSpecArgs(
            metadata=ObjectMetaArgs(labels={**LABELS, ISTIO_INJECT: "false"}), spec=pod
        ),
    )


def _on_nodes_of(pools: Sequence[PoolSpec]) -> AffinityArgs:
    of_pools = NodeSelectorRequirementArgs(
        key=POOL_LABEL, operator="In", values=[pool.name for pool in pools]
    )
    return AffinityArgs(
        node_affinity=NodeAffinityArgs(
            required_during_scheduling_ignored_during_execution=NodeSelectorArgs(
                node_selector_terms=[NodeSelectorTermArgs(match_expressions=[of_pools])]
            )
        )
    )


def _container(spec: GpuMetricsSpec) -> ContainerArgs:
    node = EnvVarSourceArgs(field_ref=ObjectFieldSelectorArgs(field_path="spec.nodeName"))
    health = HTTPGetActionArgs(path="/health", port=METRICS_PORT)
    return ContainerArgs(
        name="exporter",
        image=spec.image or DCGM_EXPORTER_IMAGE,
        env=[
            EnvVarArgs(name="DCGM_EXPORTER_LISTEN", value=f":{PORT}"),
            EnvVarArgs(name="DCGM_EXPORTER_COLLECTORS", value=f"{_COUNTERS_FOLDER}/{COUNTERS_FILE}"),
            # Whose GPU it is: the kubelet says which container has which.
            EnvVarArgs(name="DCGM_EXPORTER_KUBERNETES", value="true"),
            EnvVarArgs(name="NODE_NAME", value_from=node),
        ],
        ports=[ContainerPortArgs(name=METRICS_PORT, container_port=PORT)],
        # No GPU: it sees all of them, and takes none from the training.
        resources=ResourceRequirementsArgs(
            requests={"cpu": "100m", "memory": "128Mi"}, limits={"cpu": "200m", "memory": "512Mi"}
        ),
        security_context=SecurityContextArgs(
            run_as_user=0,  # the kubelet's socket is root's
            run_as_non_root=False,
            allow_privilege_escalation=False,
            capabilities=CapabilitiesArgs(drop=["ALL"], add=["SYS_ADMIN"] if spec.profiling else None),
        ),
        liveness_probe=ProbeArgs(http_get=health, initial_delay_seconds=_STARTS_WITHIN_SECONDS),
        readiness_probe=ProbeArgs(http_get=health, initial_delay_seconds=_STARTS_WITHIN_SECONDS),
        volume_mounts=[
            VolumeMountArgs(name="counters", mount_path=_COUNTERS_FOLDER, read_only=True),
            VolumeMountArgs(name="pod-resources", mount_path=_POD_RESOURCES, read_only=True),
        ],
    )
