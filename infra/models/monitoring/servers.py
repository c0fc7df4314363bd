"""What Prometheus, Alertmanager and Grafana keep and use."""

from collections.abc import Iterator, Mapping
from typing import Annotated

from pydantic import AfterValidator, Field

from infra.models.base import Fault, Flag, Model, PositiveInt
from infra.models.durations import Duration
from infra.models.jobs.cron import time_zone
from infra.models.names import EnvName, ObjectName
from infra.models.quantities import Size, amount
from infra.models.resources import Amounts, Compute


class ClaimSpec(Model):
    """A volume of one server."""

    size: Size
    """Bytes."""
    storage_class: ObjectName | None = None
    """Unset: the cluster's default."""


class PrometheusSpec(Model):
    """The server that scrapes, keeps and asks."""

    retention: Duration = "15d"
    """How long samples are kept."""
    retention_size: Size | None = None
    """Bytes after which the oldest samples go. Unset: four fifths of the volume, where there is one."""
    storage: ClaimSpec | None = None
    """Unset: a restarted pod has forgotten everything."""
    resources: Compute = Compute(requests=Amounts(cpu="500m", memory="2Gi"), limits=Amounts(memory="4Gi"))
    replicas: PositiveInt = 1
    scrape_interval: Duration = "30s"
    external_labels: Mapping[EnvName, str] = Field(default_factory=dict)
    """Put on whatever leaves this Prometheus, such as alerts: `cluster: prod`."""

    def faults(self) -> Iterator[Fault]:
        kept, claim = self.retention_size, self.storage
        if kept is not None and claim is not None and amount(kept) >= amount(claim.size):
            yield (
                ("retention_size",),
                f"{kept} would fill the volume of {claim.size}, which also holds what is being compacted; "
                "write less, or leave it out for four fifths",
            )


class AlertmanagerSpec(Model):
    """The server that groups, silences and delivers alerts."""

    storage: ClaimSpec | None = None
    """For silences and what has been sent. Unset: a restarted pod has forgotten them."""
    resources: Compute = Compute(requests=Amounts(cpu="50m", memory="128Mi"), limits=Amounts(memory="256Mi"))
    replicas: PositiveInt = 1


def _time_zone(value: str) -> str:
    return value if value in ("browser", "utc") else time_zone(value)


class GrafanaSpec(Model):
    """The server that shows dashboards."""

    install: Flag = True
    storage: ClaimSpec | None = None
    """For what people save in it. Dashboards of this project need none."""
    resources: Compute = Compute(requests=Amounts(cpu="100m", memory="256Mi"), limits=Amounts(memory="512Mi"))
    time_zone: Annotated[str, AfterValidator(_time_zone)] = "browser"
    """In which dashboards show time: `browser`, `utc` or one such as Asia/Shanghai."""
