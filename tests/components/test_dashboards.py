"""What Dashboards declares."""

import json

import pytest

from components.dashboards import Dashboards, DashboardsArgs, OwnDashboard
from components.rendering.dashboards import Shown, dashboards

CONFIG_MAP = "kubernetes:core/v1:ConfigMap"
SHOWN = Shown(operator_namespace="kubeflow", tenants=("kubeflow",), offline_classes=("offline-low",))
OWN = {"cluster": OwnDashboard(json='{"title": "Mine"}', folder="Team A")}


@pytest.fixture
def declared(declare):
    args = DashboardsArgs(namespace="monitoring", shown=SHOWN, own=OWN)
    return declare(lambda: Dashboards("dashboards", args))


def test_each_dashboard_is_a_config_map_that_grafanas_sidecar_loads(declared):
    maps = declared.all(CONFIG_MAP)
    assert len(maps) == len(dashboards(SHOWN)) + len(OWN)
    for made in maps:
        assert made.inputs["metadata"]["namespace"] == "monitoring"
        assert made.inputs["metadata"]["labels"] == {"grafana_dashboard": "1"}
        [text] = made.inputs["data"].values()
        assert json.loads(text)["title"]


def test_files_have_different_names_since_they_lie_beside_each_other(declared):
    maps = declared.all(CONFIG_MAP)
    files = [file for made in maps for file in made.inputs["data"]]
    names = [made.inputs["metadata"]["name"] for made in maps]
    assert len(set(files)) == len(set(names)) == len(maps)
    assert all(file.endswith(".json") for file in files)


def test_ones_own_dashboard_is_beside_ours_of_the_same_name_and_in_its_own_folder(declared):
    ours, own = declared.named("dashboards-cluster"), declared.named("dashboards-own-cluster")
    folders = [made.inputs["metadata"]["annotations"]["grafana_folder"] for made in (ours, own)]
    assert folders == ["Colocation", "Team A"]
    assert own.inputs["data"] == {"colocation-own-cluster.json": '{"title": "Mine"}'}


def test_every_file_fits_into_a_config_map_many_times(declared):
    sizes = [len(text) for made in declared.all(CONFIG_MAP) for text in made.inputs["data"].values()]
    assert max(sizes) < 200_000
