"""Alerting rules of one's own, in the words of Prometheus."""

import re
from collections.abc import Mapping
from typing import Annotated

from pydantic import AfterValidator, Field

from infra.models.base import Model
from infra.models.durations import Duration
from infra.models.names import EnvName


def _alert_name(value: str) -> str:
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]{0,127}", value):
        raise ValueError(f"{value!r} is not the name of an alert; write one such as LossTooHigh")
    return value


def _own(value: str) -> str:
    if value.startswith("__"):
        raise ValueError(f"{value!r} is a label of Prometheus's own; use a name that does not begin with __")
    return value


AlertName = Annotated[str, AfterValidator(_alert_name)]


class RuleSpec(Model):
    """One alert: an expression that should have no result."""

    alert: AlertName
    expr: str = Field(min_length=1)
    """PromQL; each series of its result is an alert."""
    for_: Duration | None = Field(default=None, alias="for")
    """How long the expression must have had the result."""
    labels: Mapping[Annotated[EnvName, AfterValidator(_own)], str] = Field(default_factory=dict)
    """Put on the alert; routes look at severity, team and namespace."""
    annotations: Mapping[EnvName, str] = Field(default_factory=dict)
    """Texts for people: summary, description, runbook_url; templates as in Prometheus."""
