"""Where Helm takes the chart from."""

import posixpath
from collections.abc import Mapping
from typing import Any

from infra.models.monitoring import ChartSpec
from infra.versions import MONITORING_CHART, MONITORING_CHART_REPOSITORY
from infra.vocabulary import MONITORING_RELEASE


def chart_arguments(spec: ChartSpec, project: str) -> Mapping[str, Any]:
    """The arguments of a Release that name its chart.

    `project`: the project's folder from where the program runs. An absolute path would be another on each
    machine, and every one of them would see a change.
    """
    if spec.path is not None:
        return {"chart": posixpath.join(project, spec.path)}
    version = spec.version or MONITORING_CHART
    source = spec.source or MONITORING_CHART_REPOSITORY
    if source.startswith("oci://"):
        return {"chart": source, "version": version}
    return {"chart": MONITORING_RELEASE, "version": version, "repository_opts": {"repo": source}}
