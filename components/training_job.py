"""A TFJob, as the training operator runs it."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

import pulumi
from pulumi_kubernetes.apiextensions import CustomResource
from pulumi_kubernetes.core.v1 import ConfigMap
from pulumi_kubernetes.meta.v1 import ObjectMetaArgs

from components.base import Component
from components.rendering.tfjob import tfjob_manifest
from infra.models import JobSpec, PoolSpec


@dataclass(frozen=True, kw_only=True)
class TrainingJobArgs:
    """A job, and what it refers to by name elsewhere in the stack."""

    spec: JobSpec
    namespace: pulumi.Input[str]
    priority_class: pulumi.Input[str]
    pool: PoolSpec | None = None
    script: str | None = None
    """The script's text; needed when the job names one."""
    claims: Mapping[str, pulumi.Input[str]] = field(default_factory=dict)
    """Claims by the name of their storage."""


class TrainingJob(Component):
    """One TFJob in its tenant's namespace; a changed job or script is a new run."""

    job_name: pulumi.Output[str]

    def __init__(self, name: str, args: TrainingJobArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("colocation:training:TrainingJob", name, opts)
        script_name: pulumi.Input[str] | None = None
        if args.spec.script is not None:
            script_name = self._script(name, args.spec.script, args).metadata["name"]
        manifest = tfjob_manifest(
            args.spec,
            args.namespace,
            pool=args.pool,
            priority_class=args.priority_class,
            script_name=script_name,
            claims=args.claims,
        )
        job = CustomResource(
            f"{name}-tfjob",
            api_version=manifest["apiVersion"],
            kind=manifest["kind"],
            metadata=manifest["metadata"],
            spec=manifest["spec"],
            # The operator never applies an edited template to pods that exist, and two runs of
            # one name cannot be there together.
            opts=self.child(replace_on_changes=["spec"], delete_before_replace=True),
        )
        self.job_name = pulumi.get(job, "metadata")["name"]
        self.register_outputs({"job_name": self.job_name})

    def _script(self, name: str, file: str, args: TrainingJobArgs) -> ConfigMap:
        """The script under a name that holds its hash, so that a change reaches the job."""
        if args.script is None:
            raise ValueError(f"job {name} names the script {file}, but its text was not given")
        return ConfigMap(
            f"{name}-script",
            metadata=ObjectMetaArgs(
                name=script_config_map(args.spec.name, args.script), namespace=args.namespace
            ),
            data={file: args.script},
            immutable=True,
            opts=self.child(),
        )


def script_config_map(job: str, text: str) -> str:
    """The ConfigMap's name: the job's and a hash of the content."""
    return f"{job}-script-{hashlib.sha256(text.encode()).hexdigest()[:10]}"
