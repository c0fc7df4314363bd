"""The pod between Alertmanager and the robots of group chats."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pulumi
from pulumi_kubernetes.apps.v1 import Deployment
from pulumi_kubernetes.core.v1 import ConfigMap, Secret, Service
from pulumi_kubernetes.meta.v1 import ObjectMetaArgs

from components import relay_alerts
from components.base import Component
from components.rendering.delivery.relay_config import relay_config, relay_secrets
from components.rendering.delivery.relay_pod import PROGRAM_FILE, deployment_spec, service_spec
from components.rendering.delivery.secret_data import encoded
from components.rendering.programs import content
from infra.models.alerts import AlertsSpec
from infra.vocabulary import ALERT_RELAY

_PROGRAM = Path(relay_alerts.__file__)


@dataclass(frozen=True, kw_only=True)
class AlertRelayArgs:
    """Which robots there are, and where the relay runs."""

    alerts: AlertsSpec
    cluster: str
    """Stands in messages of alerts that do not say their cluster."""
    namespace: pulumi.Input[str]
    labels: Mapping[str, str]
    secrets: Mapping[str, pulumi.Input[str]]
    """Values by name, those of the robots among them."""
    priority_class: str | None = None


class AlertRelay(Component):
    """A Deployment of one pod, which Alertmanager calls by its Service."""

    def __init__(self, name: str, args: AlertRelayArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("colocation:alerts:AlertRelay", name, opts)
        metadata = ObjectMetaArgs(name=ALERT_RELAY, namespace=args.namespace, labels=dict(args.labels))
        data = {
            PROGRAM_FILE: _PROGRAM.read_text("utf-8"),
            relay_alerts.CONFIG: relay_config(args.alerts, args.cluster),
        }
        program = ConfigMap(f"{name}-program", metadata=metadata, data=data, opts=self.child())
        secret = Secret(
            f"{name}-secrets",
            metadata=metadata,
            data={key: encoded(args.secrets[key]) for key in relay_secrets(args.alerts)},
            opts=self.child(),
        )
        Service(f"{name}-service", metadata=metadata, spec=service_spec(), opts=self.child())
        Deployment(
            f"{name}-deployment",
            metadata=metadata,
            spec=deployment_spec(
                args.alerts.relay,
                priority_class=args.priority_class,
                content=content(data),
                config_map=program.metadata["name"],
                secret=secret.metadata["name"],
            ),
            opts=self.child(),
        )
        self.register_outputs({})
