"""The monitoring stack: kube-prometheus-stack through Helm, or one that is there already."""

import os
from dataclasses import dataclass
from pathlib import Path

import pulumi
from pulumi_kubernetes.core.v1 import Namespace, Secret, Service, ServicePortArgs, ServiceSpecArgs
from pulumi_kubernetes.helm.v3 import Release
from pulumi_kubernetes.meta.v1 import ObjectMetaArgs

from components.base import Component
from components.generated_password import GeneratedPassword
from components.rendering.charts import Published, chart_arguments
from components.rendering.monitoring.values import chart_values
from components.rendering.pod_security import pod_security_labels
from infra.models import MonitoringSpec
from infra.versions import MONITORING_CHART, MONITORING_CHART_REPOSITORY
from infra.vocabulary import (
    GRAFANA_ADMIN_SECRET,
    GRAFANA_PASSWORD_KEY,
    GRAFANA_USER_KEY,
    MONITORING_RELEASE,
)

_PROJECT = Path(__file__).resolve().parents[1]
_CHART = Published(name=MONITORING_RELEASE, version=MONITORING_CHART, source=MONITORING_CHART_REPOSITORY)
_READY_WITHIN_SECONDS = 900  # some ten images are pulled, and the chart's hooks run before and after
_KEPT_REVISIONS = 3  # each holds the whole chart in a Secret
_KUBELET_PORT = 10250


@dataclass(frozen=True, kw_only=True)
class MonitoringArgs:
    spec: MonitoringSpec
    keeper: pulumi.ProviderResource | None = None
    """Creates over what is there: what outlives the stack comes back with the next `up`. If installed."""


class Monitoring(Component):
    """Monitors, rules and dashboards depend on it, so that their kinds are known, and go before it does."""

    namespace: pulumi.Output[str]
    grafana_password: pulumi.Output[str] | None
    """A secret; None where this stack installs no Grafana."""

    def __init__(self, name: str, args: MonitoringArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("colocation:monitoring:Monitoring", name, opts)
        self.grafana_password = None
        if args.spec.install:
            self._install(name, args)
        else:
            self.namespace = pulumi.Output.from_input(args.spec.namespace)
        self.register_outputs({"namespace": self.namespace})

    def _install(self, name: str, args: MonitoringArgs) -> None:
        spec = args.spec
        namespace = Namespace(
            f"{name}-namespace",
            # node-exporter looks at the host.
            metadata=ObjectMetaArgs(name=spec.namespace, labels=pod_security_labels("privileged")),
            # The claims in it hold what was measured; deleting it would delete them.
            opts=self.child(provider=args.keeper, retain_on_delete=True),
        )
        self.namespace = namespace.metadata["name"]
        before: list[pulumi.Resource] = [self._kubelets(name, args.keeper)]
        if spec.grafana.install:
            before.append(self._grafana_admin(name))
        release = Release(
            f"{name}-release",
            name=MONITORING_RELEASE,
            namespace=self.namespace,
            **chart_arguments(spec.chart, _CHART, os.path.relpath(_PROJECT)),
            values=chart_values(spec),
            timeout=_READY_WITHIN_SECONDS,
            max_history=_KEPT_REVISIONS,
            opts=self.child(depends_on=before),
        )
        self._certificate(name, args.keeper, release)

    def _grafana_admin(self, name: str) -> Secret:
        password = GeneratedPassword(f"{name}-grafana-password", "Grafana's administrator", self.child())
        self.grafana_password = password.password
        return Secret(
            f"{name}-grafana-admin",
            metadata=ObjectMetaArgs(name=GRAFANA_ADMIN_SECRET, namespace=self.namespace),
            string_data={GRAFANA_USER_KEY: "admin", GRAFANA_PASSWORD_KEY: password.password},
            opts=self.child(),
        )

    def _kubelets(self, name: str, keeper: pulumi.ProviderResource | None) -> Service:
        """The operator keeps the addresses of the kubelets in it. It would make it, and leave it behind."""
        port = ServicePortArgs(name="https-metrics", port=_KUBELET_PORT, target_port=_KUBELET_PORT)
        return Service(
            f"{name}-kubelets",
            metadata=ObjectMetaArgs(name=f"{MONITORING_RELEASE}-kubelet", namespace=self.namespace),
            spec=ServiceSpecArgs(cluster_ip="None", ports=[port]),
            opts=self.child(provider=keeper),
        )

    def _certificate(self, name: str, keeper: pulumi.ProviderResource | None, release: Release) -> None:
        """A hook of the chart makes it, for the operator's webhook, and Helm leaves it behind."""
        Secret(
            f"{name}-webhook-certificate",
            metadata=ObjectMetaArgs(name=f"{MONITORING_RELEASE}-admission", namespace=self.namespace),
            opts=self.child(provider=keeper, depends_on=[release], ignore_changes=["data", "type"]),
        )
