"""A TFJob, as the training operator runs it."""

import hashlib
from collections.abc import Mapping

import pulumi
from pulumi_kubernetes.apiextensions import CustomResource
from pulumi_kubernetes.core.v1 import ConfigMap
from pulumi_kubernetes.meta.v1 import ObjectMetaArgs

from components.base import Component
from components.job_args import TrainingJobArgs
from infra.vocabulary import QUEUE_NAME_LABEL


class TrainingJob(Component):
    """One TFJob in its tenant's namespace; a changed job or script is a new run."""

    job_name: pulumi.Output[str]

    def __init__(self, name: str, args: TrainingJobArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("colocation:training:TrainingJob", name, opts)
        script = self._script(name, args) if args.spec.script is not None else None
        manifest = args.manifest(script.metadata["name"] if script else None)
        job = CustomResource(
            f"{name}-tfjob",
            api_version=manifest["apiVersion"],
            kind=manifest["kind"],
            metadata={**manifest["metadata"], "ownerReferences": [args.owner]},
            spec=manifest["spec"],
            # The operator never applies an edited template to pods that exist, Kueue ends a job that is put
            # into a queue while it runs, and two runs of one name cannot be there together.
            opts=self.child(
                replace_on_changes=["spec", f'metadata.labels["{QUEUE_NAME_LABEL}"]'],
                delete_before_replace=True,
            ),
        )
        self.job_name = pulumi.get(job, "metadata")["name"]
        self.register_outputs({"job_name": self.job_name})

    def _script(self, name: str, args: TrainingJobArgs) -> ConfigMap:
        """The script under a name that holds its hash, so that a change reaches the job."""
        config_map = script_config_map(args.spec.name, args.files)
        return ConfigMap(
            f"{name}-script",
            metadata=ObjectMetaArgs(name=config_map, namespace=args.namespace),
            data=args.files,
            immutable=True,
            opts=self.child(),
        )


def script_config_map(job: str, files: Mapping[str, str]) -> str:
    """The ConfigMap's name: the job's and a hash of the contents."""
    contents = hashlib.sha256("\0".join(files.values()).encode())
    return f"{job}-script-{contents.hexdigest()[:10]}"
