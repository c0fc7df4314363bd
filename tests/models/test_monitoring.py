"""Monitoring: where its chart comes from, and what its servers keep."""

import pytest
from pydantic import ValidationError

from infra.models import MonitoringSpec
from infra.models.charts import ChartSpec
from infra.models.monitoring import PrometheusSpec


@pytest.mark.parametrize(
    ("source", "path"),
    [
        ("https://charts.example.org", None),
        ("http://127.0.0.1:8080/charts", None),
        ("oci://registry.example.org/charts/kube-prometheus-stack", None),
        ("charts/kps.tgz", "charts/kps.tgz"),
        ("../mirror/kps", "../mirror/kps"),
    ],
)
def test_a_chart_comes_over_the_network_or_lies_beside_the_stack(source, path):
    assert ChartSpec(source=source).path == path


@pytest.mark.parametrize(
    ("chart", "complaint"),
    [
        ({"source": "/opt/charts/kps"}, "on one machine only"),
        ({"source": "~/kps"}, "on one machine only"),
        ({"source": "git://example.org/charts"}, "no source of charts"),
        ({"source": "https://me:word@example.org"}, "holds a user"),
        ({"source": "charts/kps.tgz", "version": "88.5.3"}, "which is one version"),
        ({"version": "88"}, "not a version"),
        ({"version": ">=88.0.0"}, "not a version"),
    ],
)
def test_a_chart_that_nobody_else_could_fetch_is_refused(chart, complaint):
    with pytest.raises(ValidationError, match=complaint) as error:
        ChartSpec.model_validate(chart)
    assert "word" not in str(error.value.errors(include_input=False))


@pytest.mark.parametrize("size", ["10Gi", "11Gi"])
def test_samples_may_not_fill_the_volume(size):
    with pytest.raises(ValidationError, match="would fill the volume of 10Gi"):
        PrometheusSpec.model_validate({"storage": {"size": "10Gi"}, "retention_size": size})


def test_samples_without_a_volume_may_be_of_any_size():
    assert PrometheusSpec(retention_size="10Gi").retention_size == "10Gi"


def test_what_a_stack_that_is_there_does_not_take_is_refused():
    with pytest.raises(ValidationError, match="no effect with install: false"):
        MonitoringSpec.model_validate({"install": False, "prometheus": {}})
