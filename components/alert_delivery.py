"""What Alertmanager is told: whom it writes to, of what, and in which words."""

from collections.abc import Mapping
from dataclasses import dataclass

import pulumi
from pulumi_kubernetes.core.v1 import Secret
from pulumi_kubernetes.meta.v1 import ObjectMetaArgs

from components.base import Component
from components.rendering.delivery.configuration import files, secret_files
from components.rendering.delivery.relay_config import relay_url
from components.rendering.delivery.secret_data import encoded
from infra.models.alerts import AlertsSpec
from infra.vocabulary import ALERTMANAGER_CONFIG_SECRET


@dataclass(frozen=True, kw_only=True)
class AlertDeliveryArgs:
    """Who hears of alerts, and where Alertmanager runs."""

    alerts: AlertsSpec
    cluster: str
    """Stands in messages of alerts that do not say their cluster."""
    namespace: str
    labels: Mapping[str, str]
    secrets: Mapping[str, pulumi.Input[str]]
    """Values by name, those of the receivers among them."""


class AlertDelivery(Component):
    """One Secret: the configuration, the templates, and a key for each secret that they read.

    The operator mounts every key of it into Alertmanager's pods, also into those of a stack that was there
    before; a Secret of its own for the values would have to be named in the Alertmanager object.
    """

    def __init__(
        self, name: str, args: AlertDeliveryArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("colocation:alerts:AlertDelivery", name, opts)
        plain = files(args.alerts, relay_url=relay_url(args.namespace), cluster=args.cluster)
        values = {key: args.secrets[key] for key in secret_files(args.alerts)}
        Secret(
            f"{name}-alertmanager",
            metadata=ObjectMetaArgs(
                name=ALERTMANAGER_CONFIG_SECRET, namespace=args.namespace, labels=dict(args.labels)
            ),
            data={key: encoded(value) for key, value in {**plain, **values}.items()},
            opts=self.child(),
        )
        self.register_outputs({})
