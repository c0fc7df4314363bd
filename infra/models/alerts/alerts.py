"""Which alerts there are, and how they reach people."""

from collections.abc import Iterator
from typing import Literal

from infra.models.alerts.receivers import ReceiverSpec, Url
from infra.models.alerts.relay import RelaySpec
from infra.models.alerts.routes import RouteSpec
from infra.models.alerts.rules import AlertName, RuleSpec
from infra.models.base import Fault, Model
from infra.models.durations import Duration
from infra.models.names import DnsLabel

Language = Literal["en", "zh"]


class AlertsSpec(Model):
    """Alerts of this project are always on; here stands what they are named by, and who hears of them."""

    language: Language = "en"
    """Of messages."""
    disabled: tuple[AlertName, ...] = ()
    """Alerts of this project that this cluster does not want."""
    runbooks: Url | None = None
    """Where people can read this project's docs/runbooks, such as `https://git.example.org/ml/colocation/docs/runbooks`:
    alerts link to the page there. Unset: they name the file."""
    rules: tuple[RuleSpec, ...] = ()
    """Alerts of one's own."""
    receivers: tuple[ReceiverSpec, ...] = ()
    """Where alerts may go. None: they are seen in Alertmanager only."""
    default_receiver: DnsLabel | None = None
    """Who hears of what no route takes. Unset: nobody."""
    routes: tuple[RouteSpec, ...] = ()
    group_wait: Duration = "30s"
    """How long a first alert waits for others of its group."""
    group_interval: Duration = "5m"
    """How long a group waits before it tells of alerts that joined it."""
    repeat_interval: Duration = "4h"
    """How often an alert that goes on is told again."""
    relay: RelaySpec = RelaySpec()

    def faults(self) -> Iterator[Fault]:
        for i, name in enumerate(self.disabled):
            if name in self.disabled[:i]:
                yield ("disabled", i), f"{name} is listed already; list it once"
