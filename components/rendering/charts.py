"""Where Helm takes a chart from."""

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from infra.models.charts import ChartSpec


@dataclass(frozen=True, kw_only=True)
class Published:
    """A chart as its makers publish it: name, version, and a repository or an OCI reference."""

    name: str
    version: str
    source: str


def chart_arguments(spec: ChartSpec, published: Published, project: str) -> Mapping[str, Any]:
    """The arguments of a Release that name its chart.

    `project`: the project's folder from where the program runs. An absolute path would be another on each
    machine, and every one of them would see a change.
    """
    if spec.path is not None:
        return {"chart": posixpath.join(project, spec.path)}
    version = spec.version or published.version
    source = spec.source or published.source
    if source.startswith("oci://"):
        return {"chart": source, "version": version}
    return {"chart": published.name, "version": version, "repository_opts": {"repo": source}}
