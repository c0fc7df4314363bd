"""What a training job is declared from, whether it trains once or by a schedule."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pulumi
from pulumi_kubernetes.meta.v1 import OwnerReferenceArgs

from components.rendering.tfjob import tfjob_manifest
from infra.models import JobSpec, PoolSpec


@dataclass(frozen=True, kw_only=True)
class TrainingJobArgs:
    """A job, and what it refers to by name elsewhere in the stack."""

    spec: JobSpec
    namespace: pulumi.Input[str]
    priority_class: pulumi.Input[str]
    owner: OwnerReferenceArgs
    """Goes after every job of the namespace, and takes along what is left of them."""
    pool: PoolSpec | None = None
    files: Mapping[str, str] = field(default_factory=dict)
    """The script, where the job has one, and what it imports from beside it: text by name of the file."""
    claims: Mapping[str, pulumi.Input[str]] = field(default_factory=dict)
    """Claims by the name of their storage."""
    queue_name: pulumi.Input[str] | None = None
    """The queue of its namespace that it waits in."""

    def __post_init__(self) -> None:
        """Raises ValueError where the job names a script and its text was not given."""
        file = self.spec.script
        if file is not None and file not in self.files:
            raise ValueError(f"job {self.spec.name} names the script {file}, but its text was not given")

    def manifest(self, script_name: pulumi.Input[str] | None) -> dict[str, Any]:
        """The TFJob; `script_name` is the ConfigMap of its script."""
        return tfjob_manifest(
            self.spec,
            self.namespace,
            pool=self.pool,
            priority_class=self.priority_class,
            script_name=script_name,
            claims=self.claims,
            queue_name=self.queue_name,
        )
