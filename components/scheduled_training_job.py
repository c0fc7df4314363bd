"""A job that trains again and again: a CronJob that makes one TFJob a run."""

from pathlib import Path
from typing import Any

import pulumi
from pulumi_kubernetes.batch.v1 import CronJob
from pulumi_kubernetes.core.v1 import ConfigMap, ServiceAccount
from pulumi_kubernetes.meta.v1 import ObjectMetaArgs
from pulumi_kubernetes.rbac.v1 import PolicyRuleArgs, Role, RoleBinding, RoleRefArgs, SubjectArgs

from components import start_run
from components.base import Component
from components.job_args import TrainingJobArgs
from components.rendering.cron_job import START_FILE, cron_job_spec
from infra.vocabulary import JOB_LABEL, TFJOB_CRD, TRAINING_API_VERSION

_PROGRAM = Path(start_run.__file__)


class ScheduledTrainingJob(Component):
    """A CronJob with an account that may make TFJobs of its namespace and look at them, and nothing else.

    Everything changes in place, and the next run takes it. So does a pod of a run under way that is
    started again: a script under a new name would take the old one away from under it.
    """

    cron_job_name: pulumi.Output[str]

    def __init__(self, name: str, args: TrainingJobArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("colocation:training:ScheduledTrainingJob", name, opts)
        spec, schedule = args.spec, args.spec.schedule
        if schedule is None:
            raise ValueError(f"job {name} has no schedule")
        self._args, self._labels = args, {JOB_LABEL: spec.name}
        account, binding = self._account(name)
        manifest = self._manifest(self._script(name))
        start = ConfigMap(
            f"{name}-start",
            metadata=self._named("start"),
            data={
                START_FILE: _PROGRAM.read_text("utf-8"),
                start_run.MANIFEST: pulumi.Output.json_dumps(manifest, indent=2, sort_keys=True),
            },
            opts=self.child(),
        )
        cron_job = CronJob(
            f"{name}-cronjob",
            metadata=ObjectMetaArgs(
                name=spec.name, namespace=args.namespace, labels=self._labels, owner_references=[args.owner]
            ),
            spec=cron_job_spec(
                spec,
                schedule,
                priority_class=args.priority_class,
                config_map=start.metadata["name"],
                service_account=account.metadata["name"],
            ),
            # Without the binding a run is refused; no value flows from it.
            opts=self.child(depends_on=[binding]),
        )
        self.cron_job_name = cron_job.metadata["name"]
        self.register_outputs({"cron_job_name": self.cron_job_name})

    def _account(self, name: str) -> tuple[ServiceAccount, RoleBinding]:
        group, api = "rbac.authorization.k8s.io", TRAINING_API_VERSION.partition("/")[0]
        account = ServiceAccount(
            f"{name}-account",
            metadata=self._named("start"),
            automount_service_account_token=False,  # the CronJob's pod asks for it
            opts=self.child(),
        )
        role = Role(
            f"{name}-role",
            metadata=self._named("start"),
            rules=[
                PolicyRuleArgs(
                    api_groups=[api], resources=[TFJOB_CRD.partition(".")[0]], verbs=["create", "get"]
                )
            ],
            opts=self.child(),
        )
        binding = RoleBinding(
            f"{name}-binding",
            metadata=self._named("start"),
            role_ref=RoleRefArgs(api_group=group, kind="Role", name=role.metadata["name"]),
            subjects=[
                SubjectArgs(
                    kind="ServiceAccount", name=account.metadata["name"], namespace=self._args.namespace
                )
            ],
            opts=self.child(),
        )
        return account, binding

    def _script(self, name: str) -> pulumi.Output[str] | None:
        if self._args.spec.script is None:
            return None
        script = ConfigMap(
            f"{name}-script", metadata=self._named("script"), data=self._args.files, opts=self.child()
        )
        return script.metadata["name"]

    def _manifest(self, script_name: pulumi.Input[str] | None) -> dict[str, Any]:
        """What each run makes; its program gives it the run's name and owner."""
        manifest = self._args.manifest(script_name)
        labels = {**manifest["metadata"].get("labels", {}), **self._labels}
        return {**manifest, "metadata": {**manifest["metadata"], "labels": labels}}

    def _named(self, role: str) -> ObjectMetaArgs:
        return self._meta(f"{self._args.spec.name}-{role}")

    def _meta(self, name: str) -> ObjectMetaArgs:
        return ObjectMetaArgs(name=name, namespace=self._args.namespace, labels=self._labels)
