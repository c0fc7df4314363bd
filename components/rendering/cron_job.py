"""The `spec` of the CronJob behind a scheduled job."""

import pulumi
from pulumi_kubernetes.batch.v1 import (
    CronJobSpecArgs,
    JobSpecArgs,
    JobTemplateSpecArgs,
    PodFailurePolicyArgs,
    PodFailurePolicyOnExitCodesRequirementArgs,
    PodFailurePolicyOnPodConditionsPatternArgs,
    PodFailurePolicyRuleArgs,
)
from pulumi_kubernetes.core.v1 import (
    ConfigMapVolumeSourceArgs,
    ContainerArgs,
    EnvVarArgs,
    EnvVarSourceArgs,
    LocalObjectReferenceArgs,
    ObjectFieldSelectorArgs,
    PodSecurityContextArgs,
    PodSpecArgs,
    PodTemplateSpecArgs,
    ResourceRequirementsArgs,
    SeccompProfileArgs,
    VolumeArgs,
    VolumeMountArgs,
)
from pulumi_kubernetes.meta.v1 import ObjectMetaArgs

from components.rendering.programs import command, unprivileged
from components.rendering.start_pod import LIMITS, REQUESTS
from infra.models import JobSpec
from infra.models.jobs import ScheduleSpec
from infra.vocabulary import (
    ISTIO_INJECT,
    JOB_LABEL,
    JOB_UID,
    NVIDIA_VISIBLE_DEVICES,
    RUN_LABEL,
    STARTER_LABEL,
    STARTER_MOUNT,
)

START_FILE = "start_run.py"
_CONTAINER = "start-run"
_VOLUME = "start"
_RUN_FAILED = 1
_GRACE_SECONDS = 5


def cron_job_spec(
    job: JobSpec,
    schedule: ScheduleSpec,
    *,
    priority_class: pulumi.Input[str],
    config_map: pulumi.Input[str],
    service_account: pulumi.Input[str],
) -> CronJobSpecArgs:
    """Render the CronJob; `config_map` holds the program and the TFJob that it makes.

    A Job lasts as long as its run trains: that is what `concurrencyPolicy` looks at. Its pod needs no
    more luck than the training: one that is preempted or moved off its node is made again and counts as
    no failure, and a run that has failed is not tried again, since the TFJob has its own restarts.
    """
    labels = {JOB_LABEL: job.name}
    pod = PodTemplateSpecArgs(
        metadata=ObjectMetaArgs(
            # A sidecar would outlive the program, and the run would never end.
            labels={**labels, STARTER_LABEL: "true", ISTIO_INJECT: "false"},
            annotations={ISTIO_INJECT: "false"},
        ),
        spec=_pod(job, priority_class, config_map, service_account),
    )
    return CronJobSpecArgs(
        schedule=schedule.cron,
        time_zone=schedule.time_zone,
        concurrency_policy=schedule.concurrency_policy,
        starting_deadline_seconds=schedule.starting_deadline_seconds,
        successful_jobs_history_limit=schedule.successful_runs_history,
        failed_jobs_history_limit=schedule.failed_runs_history,
        suspend=schedule.suspend,
        job_template=JobTemplateSpecArgs(
            metadata=ObjectMetaArgs(labels=labels),
            spec=JobSpecArgs(pod_failure_policy=_failures(), template=pod),
        ),
    )


def _failures() -> PodFailurePolicyArgs:
    disrupted = PodFailurePolicyOnPodConditionsPatternArgs(type="DisruptionTarget", status="True")
    failed = PodFailurePolicyOnExitCodesRequirementArgs(
        container_name=_CONTAINER, operator="In", values=[_RUN_FAILED]
    )
    return PodFailurePolicyArgs(
        rules=[
            PodFailurePolicyRuleArgs(action="Ignore", on_pod_conditions=[disrupted]),
            PodFailurePolicyRuleArgs(action="FailJob", on_exit_codes=failed),
        ]
    )


def _pod(
    job: JobSpec,
    priority_class: pulumi.Input[str],
    config_map: pulumi.Input[str],
    service_account: pulumi.Input[str],
) -> PodSpecArgs:
    return PodSpecArgs(
        priority_class_name=priority_class,
        service_account_name=service_account,
        automount_service_account_token=True,
        enable_service_links=False,
        restart_policy="Never",  # what a pod failure policy needs
        termination_grace_period_seconds=_GRACE_SECONDS,
        security_context=PodSecurityContextArgs(
            run_as_non_root=True,
            run_as_user=JOB_UID,
            run_as_group=JOB_UID,
            seccomp_profile=SeccompProfileArgs(type="RuntimeDefault"),
        ),
        image_pull_secrets=[LocalObjectReferenceArgs(name=secret) for secret in job.image_pull_secrets]
        or None,
        containers=[_container(job)],
        volumes=[VolumeArgs(name=_VOLUME, config_map=ConfigMapVolumeSourceArgs(name=config_map))],
    )


def _container(job: JobSpec) -> ContainerArgs:
    return ContainerArgs(
        name=_CONTAINER,
        # The training's own: it is on the list of registries, mirrored and often on the node already.
        image=job.image,
        image_pull_policy=job.image_pull_policy,
        command=command(f"{STARTER_MOUNT}/{START_FILE}"),
        env=[
            _from_label("RUN_NAME", RUN_LABEL),
            _from_label("RUN_UID", "batch.kubernetes.io/controller-uid"),
            EnvVarArgs(name=NVIDIA_VISIBLE_DEVICES, value="none"),
        ],
        resources=ResourceRequirementsArgs(requests=dict(REQUESTS), limits=dict(LIMITS)),
        security_context=unprivileged(),
        volume_mounts=[VolumeMountArgs(name=_VOLUME, mount_path=STARTER_MOUNT, read_only=True)],
    )


def _from_label(name: str, label: str) -> EnvVarArgs:
    field = ObjectFieldSelectorArgs(field_path=f"metadata.labels['{label}']")
    return EnvVarArgs(name=name, value_from=EnvVarSourceArgs(field_ref=field))
