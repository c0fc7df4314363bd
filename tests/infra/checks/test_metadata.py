"""Labels and annotations that do something other than they say."""

import pytest

from tests.infra.checks.jobs import found

ISTIO = "sidecar.istio.io/inject"
SCRAPE = {"annotations": {"prometheus.io/scrape": "true", "prometheus.io/port": "8000"}}


@pytest.mark.parametrize("field", ["labels", "annotations"])
def test_a9_a_job_that_asks_for_a_sidecar_hears_that_it_gets_none(field):
    assert found(**{field: {ISTIO: "true"}}) == [("warning", "istio-sidecar-refused", (field, ISTIO))]
    assert found(**{field: {ISTIO: "false"}}) == []


MONITORED = {"stack": {"monitoring": {}}}
PLACE = ("annotations", "prometheus.io/scrape")


@pytest.mark.parametrize("port", [None, "http", "0", "70000", " 8000"])
def test_f3_the_old_annotation_that_says_no_port_gets_advice(port):
    told = {} if port is None else {"prometheus.io/port": port}
    job = {"annotations": {"prometheus.io/scrape": "true"} | told}
    assert found(**job) == [("advice", "scrape-without-port", PLACE)]
    assert found(**job, **MONITORED) == [("advice", "scrape-without-port", PLACE)]


def test_f3_the_old_annotation_is_read_where_the_stack_has_monitoring():
    assert found(**SCRAPE) == [("advice", "scrape-unread", PLACE)]
    assert found(**SCRAPE, **MONITORED) == []


@pytest.mark.parametrize("port", [{"metrics_port": 8000}, {"ports": [{"name": "metrics", "port": 8000}]}])
def test_f3_a_declared_port_is_scraped(port):
    job = {"annotations": {"prometheus.io/scrape": "true"}} | port
    assert found(**job, **MONITORED) == []


def test_an_annotation_that_says_not_to_look_is_taken_at_its_word():
    assert found(annotations={"prometheus.io/scrape": "false"}) == []
