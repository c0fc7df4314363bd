"""A TFJob, as the training operator runs it."""

import hashlib
from collections.abc import Mapping

import pulumi
from pulumi_kubernetes.apiextensions import CustomResource
from pulumi_kubernetes.core.v1 import ConfigMap
from pulumi_kubernetes.meta.v1 import ObjectMetaArgs

from components.base import Component
from components.job_args import TrainingJobArgs


class TrainingJob(Component):
    """One TFJob in its tenant's namespace; a changed job or script is a new run."""

    job_name: pulumi.Output[str]

    def __init__(self, name: str, args: TrainingJobArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("colocation:training:TrainingJob", name, opts)
        files = args.script_files()
        script = self._script(name, files, args) if files else None
        manifest = args.manifest(script.metadata["name"] if script else None)
        job = CustomResource(
            f"{name}-tfjob",
            api_version=manifest["apiVersion"],
            kind=manifest["kind"],
            metadata={**manifest["metadata"], "ownerReferences": [args.owner]},
            spec=manifest["spec"],
            # The operator never applies an edited template to pods that exist, and two runs of
            # one name cannot be there together.
            opts=self.child(replace_on_changes=["spec"], delete_before_replace=True),
        )
        self.job_name = pulumi.get(job, "metadata")["name"]
        self.register_outputs({"job_name": self.job_name})

    def _script(self, name: str, files: Mapping[str, str], args: TrainingJobArgs) -> ConfigMap:
        """The script under a name that holds its hash, so that a change reaches the job."""
        [text] = files.values()
        return ConfigMap(
            f"{name}-script",
            metadata=ObjectMetaArgs(name=script_config_map(args.spec.name, text), namespace=args.namespace),
            data=files,
            immutable=True,
            opts=self.child(),
        )


def script_config_map(job: str, text: str) -> str:
    """The ConfigMap's name: the job's and a hash of the content."""
    return f"{job}-script-{hashlib.sha256(text.encode()).hexdigest()[:10]}"
