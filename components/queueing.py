"""Kueue through Helm, or one that is there already, and what every queue counts in."""

import os
from dataclasses import dataclass
from pathlib import Path

import pulumi
from pulumi_kubernetes.apiextensions import CustomResource
from pulumi_kubernetes.core.v1 import Namespace
from pulumi_kubernetes.helm.v3 import Release
from pulumi_kubernetes.meta.v1 import ObjectMetaArgs

from components.base import Component
from components.rendering.charts import Published, chart_arguments
from components.rendering.pod_security import pod_security_labels
from components.rendering.queueing import chart_values, flavor_name
from infra.models import QueueingSpec
from infra.versions import KUEUE as VERSION
from infra.versions import KUEUE_CHART_SOURCE
from infra.vocabulary import KUEUE, QUEUE_API_VERSION

_PROJECT = Path(__file__).resolve().parents[1]
_CHART = Published(name=KUEUE, version=VERSION, source=KUEUE_CHART_SOURCE)
_READY_WITHIN_SECONDS = 600
_KEPT_REVISIONS = 3  # each holds the whole chart in a Secret


@dataclass(frozen=True, kw_only=True)
class QueueingArgs:
    spec: QueueingSpec
    stack_name: str


class Queueing(Component):
    """Queues depend on it, so that their kinds are known; Kueue goes after them, since it lets go of them."""

    flavor: pulumi.Output[str]
    """The ResourceFlavor of the stack: its nodes are of one kind, and pools choose among them."""

    def __init__(self, name: str, args: QueueingArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("colocation:queueing:Queueing", name, opts)
        installed = [self._install(name, args.spec)] if args.spec.install else []
        flavor = CustomResource(
            f"{name}-flavor",
            api_version=QUEUE_API_VERSION,
            kind="ResourceFlavor",
            metadata={"name": flavor_name(args.stack_name)},
            # Kueue's webhook puts its finalizer into what is sent.
            opts=self.child(depends_on=installed, ignore_changes=["metadata.finalizers"]),
        )
        self.flavor = pulumi.get(flavor, "metadata")["name"]
        self.register_outputs({"flavor": self.flavor})

    def _install(self, name: str, spec: QueueingSpec) -> Release:
        namespace = Namespace(
            f"{name}-namespace",
            metadata=ObjectMetaArgs(name=spec.namespace, labels=pod_security_labels("restricted")),
            opts=self.child(),
        )
        return Release(
            f"{name}-release",
            name=KUEUE,
            namespace=namespace.metadata["name"],
            **chart_arguments(spec.chart, _CHART, os.path.relpath(_PROJECT)),
            values=chart_values(spec),
            timeout=_READY_WITHIN_SECONDS,
            max_history=_KEPT_REVISIONS,
            opts=self.child(),
        )
