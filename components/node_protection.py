"""What lets training have only the CPU time of a node that nobody else wants."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pulumi
from pulumi_kubernetes.apps.v1 import DaemonSet
from pulumi_kubernetes.core.v1 import (
    ConfigMap,
    Namespace,
    ResourceQuota,
    ServiceAccount,
)
from pulumi_kubernetes.meta.v1 import ObjectMetaArgs
from pulumi_kubernetes.networking.v1 import NetworkPolicy
from pulumi_kubernetes.rbac.v1 import Role, RoleBinding, RoleRefArgs, SubjectArgs

from components import protect_node
from components.base import Component
from components.rendering.daemon_sets import NOT_AWAITED, critical_pods_quota, tolerations
from components.rendering.node_protection import (
    LABELS,
    PROGRAM_FILE,
    config,
    daemon_set_spec,
    network_policy,
    watching_rules,
)
from components.rendering.pod_security import pod_security_labels
from components.rendering.programs import content
from infra.models import JobSpec, NodeProtectionSpec, PoolSpec
from infra.vocabulary import NODE_PROTECTION

_PROGRAM = Path(protect_node.__file__)


@dataclass(frozen=True, kw_only=True)
class NodeProtectionArgs:
    """Whose pods give way, and where they may be."""

    spec: NodeProtectionSpec
    offline_classes: Sequence[str]
    """At least one."""
    tenants: Mapping[str, pulumi.Input[str]]
    """Namespaces of offline pods, by name; the values are wired."""
    pools: Sequence[PoolSpec] = ()
    jobs: Sequence[JobSpec] = ()
    """What these tolerate, the DaemonSet does."""
    monitoring_namespace: str | None = None
    """Of the Prometheus that scrapes it, if any does."""


class NodeProtection(Component):
    """A DaemonSet in a namespace of its own: it writes to a folder of the node, which no tenant may."""

    def __init__(
        self, name: str, args: NodeProtectionArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("colocation:nodes:NodeProtection", name, opts)
        namespace = Namespace(
            f"{name}-namespace",
            metadata=ObjectMetaArgs(name=args.spec.namespace, labels=pod_security_labels("privileged")),
            opts=self.child(),
        )
        self._namespace = namespace.metadata["name"]
        account = ServiceAccount(f"{name}-account", metadata=self._named(), opts=self.child())
        watching = [
            self._may_watch(f"{name}-{tenant}", home, account) for tenant, home in args.tenants.items()
        ]
        quota = self._critical_pods(name)
        NetworkPolicy(
            f"{name}-network",
            metadata=self._named(),
            spec=network_policy(args.monitoring_namespace),
            opts=self.child(),
        )
        data = {
            PROGRAM_FILE: _PROGRAM.read_text("utf-8"),
            protect_node.CONFIG: config(args.spec, args.offline_classes, list(args.tenants)),
        }
        program = ConfigMap(f"{name}-program", metadata=self._named(), data=data, opts=self.child())
        DaemonSet(
            f"{name}-daemon-set",
            metadata=self._named(NOT_AWAITED),
            spec=daemon_set_spec(
                args.spec,
                tolerations(args.pools, args.jobs),
                content=content(data),
                config_map=program.metadata["name"],
                account=account.metadata["name"],
            ),
            # Without the quota some clusters refuse its pods, without its rights it is blind; no value flows.
            opts=self.child(depends_on=[quota, *watching]),
        )
        self.register_outputs({})

    def _may_watch(self, name: str, tenant: pulumi.Input[str], account: ServiceAccount) -> RoleBinding:
        metadata = ObjectMetaArgs(name=NODE_PROTECTION, namespace=tenant, labels=LABELS)
        role = Role(f"{name}-role", metadata=metadata, rules=watching_rules(), opts=self.child())
        return RoleBinding(
            f"{name}-binding",
            metadata=metadata,
            role_ref=RoleRefArgs(
                api_group="rbac.authorization.k8s.io", kind="Role", name=role.metadata["name"]
            ),
            subjects=[
                SubjectArgs(kind="ServiceAccount", name=account.metadata["name"], namespace=self._namespace)
            ],
            opts=self.child(),
        )

    def _critical_pods(self, name: str) -> ResourceQuota:
        return ResourceQuota(
            f"{name}-critical",
            metadata=ObjectMetaArgs(name="critical-pods", namespace=self._namespace, labels=LABELS),
            spec=critical_pods_quota(),
            opts=self.child(),
        )

    def _named(self, annotations: Mapping[str, str] | None = None) -> ObjectMetaArgs:
        return ObjectMetaArgs(
            name=NODE_PROTECTION, namespace=self._namespace, labels=LABELS, annotations=annotations
        )
