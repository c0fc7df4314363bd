"""The Deployment and the Service of the alert relay."""

import pulumi
from pulumi_kubernetes.apps.v1 import DeploymentSpecArgs
from pulumi_kubernetes.core.v1 import (
    ConfigMapVolumeSourceArgs,
    ContainerArgs,
    ContainerPortArgs,
    HTTPGetActionArgs,
    PodSecurityContextArgs,
    PodSpecArgs,
    PodTemplateSpecArgs,
    ProbeArgs,
    ResourceRequirementsArgs,
    SeccompProfileArgs,
    SecretVolumeSourceArgs,
    ServicePortArgs,
    ServiceSpecArgs,
    VolumeArgs,
    VolumeMountArgs,
)
from pulumi_kubernetes.meta.v1 import LabelSelectorArgs, ObjectMetaArgs

from components.relay_alerts import HEALTH_PATH, PORT
from components.rendering.programs import CONTENT, command, unprivileged
from infra.models.alerts import RelaySpec
from infra.versions import PYTHON_IMAGE
from infra.vocabulary import (
    ALERT_RELAY,
    ALERT_RELAY_MOUNT,
    ALERT_RELAY_SECRETS_MOUNT,
    APP_NAME_LABEL,
    JOB_UID,
)

PROGRAM_FILE = "relay_alerts.py"
_LABELS = {APP_NAME_LABEL: ALERT_RELAY}
_PORT_NAME = "http"


def service_spec() -> ServiceSpecArgs:
    """Render the Service; only Alertmanager calls it."""
    return ServiceSpecArgs(
        selector=_LABELS, ports=[ServicePortArgs(name=_PORT_NAME, port=PORT, target_port=_PORT_NAME)]
    )


def deployment_spec(
    spec: RelaySpec,
    *,
    priority_class: str | None,
    content: str,
    config_map: pulumi.Input[str],
    secret: pulumi.Input[str],
) -> DeploymentSpecArgs:
    """Render the Deployment; `content` tells what the ConfigMap holds from what it held before."""
    pod = PodSpecArgs(
        automount_service_account_token=False,
        enable_service_links=False,
        priority_class_name=priority_class,
        security_context=PodSecurityContextArgs(
            run_as_non_root=True,
            run_as_user=JOB_UID,
            run_as_group=JOB_UID,
            fs_group=JOB_UID,
            seccomp_profile=SeccompProfileArgs(type="RuntimeDefault"),
        ),
        containers=[_container(spec)],
        volumes=[
            VolumeArgs(name="program", config_map=ConfigMapVolumeSourceArgs(name=config_map)),
            VolumeArgs(name="secrets", secret=SecretVolumeSourceArgs(secret_name=secret, default_mode=0o440)),
        ],
    )
    return DeploymentSpecArgs(
        replicas=1,
        selector=LabelSelectorArgs(match_labels=_LABELS),
        template=PodTemplateSpecArgs(
            metadata=ObjectMetaArgs(labels=_LABELS, annotations={CONTENT: content}), spec=pod
        ),
    )


def _container(spec: RelaySpec) -> ContainerArgs:
    answers = HTTPGetActionArgs(path=HEALTH_PATH, port=_PORT_NAME)
    return ContainerArgs(
        name=ALERT_RELAY,
        image=spec.image or PYTHON_IMAGE,
        command=command(f"{ALERT_RELAY_MOUNT}/{PROGRAM_FILE}", ALERT_RELAY_SECRETS_MOUNT),
        ports=[ContainerPortArgs(name=_PORT_NAME, container_port=PORT)],
        readiness_probe=ProbeArgs(http_get=answers, period_seconds=5),
        liveness_probe=ProbeArgs(http_get=answers, period_seconds=20, failure_threshold=6),
        resources=ResourceRequirementsArgs(
            requests=spec.resources.requests.as_kubernetes(), limits=spec.resources.limits.as_kubernetes()
        ),
        security_context=unprivileged(),
        volume_mounts=[
            VolumeMountArgs(name="program", mount_path=ALERT_RELAY_MOUNT, read_only=True),
            VolumeMountArgs(name="secrets", mount_path=ALERT_RELAY_SECRETS_MOUNT, read_only=True),
        ],
    )
