"""What a stack file says under `alerts:`."""

from infra.models.alerts.alerts import AlertsSpec
from infra.models.alerts.receivers import (
    DingtalkSpec,
    EmailSpec,
    ReceiverSpec,
    WebhookSpec,
    WecomAppSpec,
    WecomRobotSpec,
)
from infra.models.alerts.relay import RelaySpec
from infra.models.alerts.routes import RouteSpec
from infra.models.alerts.rules import RuleSpec

__all__ = [
    "AlertsSpec",
    "DingtalkSpec",
    "EmailSpec",
    "ReceiverSpec",
    "RelaySpec",
    "RouteSpec",
    "RuleSpec",
    "WebhookSpec",
    "WecomAppSpec",
    "WecomRobotSpec",
]
