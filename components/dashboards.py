"""Dashboards as Grafana's sidecar loads them: each the one file of a ConfigMap."""

from collections.abc import Mapping
from dataclasses import dataclass

import pulumi
from pulumi_kubernetes.core.v1 import ConfigMap
from pulumi_kubernetes.meta.v1 import ObjectMetaArgs

from components.base import Component
from components.rendering.dashboards import Shown, dashboards
from infra.vocabulary import GRAFANA_DASHBOARD_LABEL, GRAFANA_FOLDER_ANNOTATION

FOLDER = "Colocation"
"""Where in Grafana the dashboards of this project are."""


@dataclass(frozen=True, kw_only=True)
class OwnDashboard:
    """A dashboard of the stack's owner."""

    json: str
    """As Grafana loads it from a file."""
    folder: str


@dataclass(frozen=True, kw_only=True)
class DashboardsArgs:
    namespace: pulumi.Input[str]
    """Where the monitoring stack runs."""
    shown: Shown
    own: Mapping[str, OwnDashboard]
    """By name."""


class Dashboards(Component):
    """Those of this project and those of the stack's owner."""

    titles: pulumi.Output[list[str]]
    """Of the dashboards of this project."""

    def __init__(self, name: str, args: DashboardsArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("colocation:monitoring:Dashboards", name, opts)
        # Not before: a stack without monitoring need not wait for the SDK to load.
        from components.rendering.dashboards.grafana import grafana_json

        ours = dashboards(args.shown)
        files = {page.name: OwnDashboard(json=grafana_json(page), folder=FOLDER) for page in ours}
        files |= {f"own-{own}": file for own, file in args.own.items()}
        for part, file in files.items():
            ConfigMap(
                f"{name}-{part}",
                metadata=ObjectMetaArgs(
                    name=f"colocation-dashboard-{part}",
                    namespace=args.namespace,
                    labels={GRAFANA_DASHBOARD_LABEL: "1"},
                    annotations={GRAFANA_FOLDER_ANNOTATION: file.folder},
                ),
                # The sidecar writes all files of a folder beside each other: names must differ.
                data={f"colocation-{part}.json": file.json},
                opts=self.child(),
            )
        self.titles = pulumi.Output.from_input([page.title for page in ours])
        self.register_outputs({"titles": self.titles})
