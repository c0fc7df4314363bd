"""Labels and annotations that do something other than they say."""

import pytest

from tests.infra.checks.jobs import found

ISTIO = "sidecar.istio.io/inject"
SCRAPE = {"annotations": {"prometheus.io/scrape": "true", "prometheus.io/port": "8000"}}


@pytest.mark.parametrize("field", ["labels", "annotations"])
def test_a9_a_job_that_asks_for_a_sidecar_hears_that_it_gets_none(field):
    assert found(**{field: {ISTIO: "true"}}) == [("warning", "istio-sidecar-refused", (field, ISTIO))]
    assert found(**{field: {ISTIO: "false"}}) == []


def test_f3_the_old_annotation_without_a_port_gets_advice():
    place = ("annotations", "prometheus.io/scrape")
    assert found(**SCRAPE) == [("advice", "scrape-without-port", place)]


@pytest.mark.parametrize("port", [{"metrics_port": 8000}, {"ports": [{"name": "metrics", "port": 8000}]}])
def test_f3_a_declared_port_is_scraped(port):
    assert found(**SCRAPE, **port) == []
