"""Whose pods go first: online services before offline training."""

from dataclasses import dataclass

import pulumi
from pulumi_kubernetes.meta.v1 import ObjectMetaArgs
from pulumi_kubernetes.scheduling.v1 import PriorityClass

from components.base import Component
from infra.models import PrioritySpec


@dataclass(frozen=True, kw_only=True)
class PriorityClassesArgs:
    priorities: tuple[PrioritySpec, ...]


class PriorityClasses(Component):
    """The cluster's PriorityClasses. Offline pods wait for room; they never push others out."""

    names: pulumi.Output[list[str]]

    def __init__(
        self, name: str, args: PriorityClassesArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("colocation:scheduling:PriorityClasses", name, opts)
        classes = [
            PriorityClass(
                f"{name}-{spec.name}",
                metadata=ObjectMetaArgs(name=spec.name),
                value=spec.value,
                global_default=spec.global_default,
                preemption_policy="Never" if spec.kind == "offline" else "PreemptLowerPriority",
                description=spec.description or None,
                # Kubernetes refuses to change either, and allows one class of a name. Pods keep
                # the number that they were given, so the moment without the class harms none.
                opts=self.child(replace_on_changes=["value", "preemptionPolicy"], delete_before_replace=True),
            )
            for spec in args.priorities
        ]
        self.names = pulumi.Output.all(*[c.metadata["name"] for c in classes])
        self.register_outputs({"names": self.names})
