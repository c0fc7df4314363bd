"""Which alerts go to whom."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from infra.models.base import Fault, Model
from infra.models.names import DnsLabel

Severity = Literal["critical", "warning", "info"]
"""critical: someone is called. warning: looked at within the day. info: good to know."""


def _quoted(value: Any) -> Any:
    if value is None:
        raise ValueError('is nothing, as YAML reads null; write "null" in quotes for nobody, or a receiver')
    return value


class RouteSpec(Model):
    """Alerts that match all that is said here. Routes are tried in order; the first that matches counts."""

    receivers: tuple[Annotated[DnsLabel, BeforeValidator(_quoted)], ...] = Field(min_length=1)
    """Receivers of the stack, each of which hears of them; or `"null"` alone, in quotes, for nobody."""
    severities: tuple[Severity, ...] = ()
    """Empty: any."""
    teams: tuple[DnsLabel, ...] = ()
    """The alerts' label `team`. Empty: any."""
    namespaces: tuple[DnsLabel, ...] = ()
    """Of what the alert is about; alerts of nodes have none. Empty: any."""

    def faults(self) -> Iterator[Fault]:
        for i, name in enumerate(self.receivers):
            if name in self.receivers[:i]:
                yield ("receivers", i), f"{name} is listed already; list it once"
        if "null" in self.receivers and len(self.receivers) > 1:
            yield ("receivers",), "null is nobody, beside others it says nothing; remove it"
