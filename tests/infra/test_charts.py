"""A chart beside the stack, looked at without Helm."""

import shutil
import tarfile

import pytest
import yaml

from infra.charts import local_chart
from infra.places import ROOT
from infra.versions import MONITORING_CHART
from infra.vocabulary import MONITORING_RELEASE

CHART = ROOT / "tests" / "charts" / "kube-prometheus-stack"


@pytest.fixture
def chart(tmp_path):
    """A copy of the tests' chart, whose Chart.yaml may be changed."""

    def make(**change):
        folder = tmp_path / "kube-prometheus-stack"
        shutil.copytree(CHART, folder, dirs_exist_ok=True)
        definition = yaml.safe_load((CHART / "Chart.yaml").read_text())
        (folder / "Chart.yaml").write_text(yaml.safe_dump(definition | change))
        return folder

    return make


def packed(folder):
    archive = folder.with_suffix(".tgz")
    with tarfile.open(archive, "w:gz") as opened:
        opened.add(folder, folder.name)
    return archive


@pytest.mark.parametrize("form", [lambda folder: folder, packed], ids=["directory", "archive"])
class TestEitherForm:
    def test_a_chart_says_its_version(self, chart, form):
        found = local_chart(form(chart()), MONITORING_RELEASE)
        assert (found.version, found.unusable) == (MONITORING_CHART, None)

    def test_another_chart_is_refused(self, chart, form):
        assert "is the chart grafana" in local_chart(form(chart(name="grafana")), MONITORING_RELEASE).unusable

    def test_every_chart_that_it_depends_on_is_in_it(self, chart, form):
        folder = chart(dependencies=[{"name": "grafana"}, {"name": "kube-state-metrics"}, {"name": "crds"}])
        (folder / "charts" / "crds").mkdir(parents=True)
        (folder / "charts" / "crds" / "Chart.yaml").touch()
        (folder / "charts" / "grafana-12.11.1.tgz").touch()
        found = local_chart(form(folder), MONITORING_RELEASE)
        assert found.unusable.startswith("lacks kube-state-metrics in charts/")

    def test_a_definition_that_is_no_mapping_is_refused(self, chart, form):
        folder = chart()
        (folder / "Chart.yaml").write_text("- x\n")
        assert "no mapping" in local_chart(form(folder), MONITORING_RELEASE).unusable

    @pytest.mark.parametrize("needed", [5, True, "x", {"a": "b"}, ["a"], [None]])
    def test_dependencies_that_are_none_are_refused(self, chart, form, needed):
        found = local_chart(form(chart(dependencies=needed)), MONITORING_RELEASE)
        assert "whose dependencies are no list of charts; give" in found.unusable

    def test_a_definition_nested_without_end_is_refused(self, chart, form):
        folder = chart()
        (folder / "Chart.yaml").write_text("[" * 2000)
        assert "no mapping" in local_chart(form(folder), MONITORING_RELEASE).unusable

    def test_a_folder_without_definition_is_no_chart(self, chart, form):
        folder = chart()
        (folder / "Chart.yaml").unlink()
        assert "no Chart.yaml" in local_chart(form(folder), MONITORING_RELEASE).unusable


def test_what_is_not_there_is_told(tmp_path):
    assert "is not there" in local_chart(tmp_path / "absent.tgz", MONITORING_RELEASE).unusable


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE])
@pytest.mark.parametrize("target", ["/etc/passwd", "Chart.yaml", "none"])
def test_an_archive_whose_definition_is_a_link_is_refused(tmp_path, kind, target):
    archive, member = tmp_path / "chart.tgz", tarfile.TarInfo("chart/Chart.yaml")
    member.type, member.linkname = kind, target
    with tarfile.open(archive, "w:gz") as opened:
        opened.addfile(member)
    assert "give the archive or" in local_chart(archive, MONITORING_RELEASE).unusable


def test_what_is_no_archive_is_told(tmp_path):
    (tmp_path / "chart.tgz").write_text("<html>")
    assert "no archive" in local_chart(tmp_path / "chart.tgz", MONITORING_RELEASE).unusable
