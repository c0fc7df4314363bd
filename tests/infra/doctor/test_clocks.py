"""Clocks that differ from the API server's, and metrics that are gone."""

from datetime import timedelta

import pytest

from infra.cluster.watching import Watching
from infra.doctor import diagnose
from tests.infra.doctor.conftest import NOW, ago, node, pod, tfjob
from tests.infra.doctor.test_monitoring import OPERATOR


@pytest.fixture
def watched(clinic_of, data):
    """With a Prometheus that says what a test wants; monitors are no matter here."""
    data["monitoring"] = {"install": False, "gpu_metrics": {"install": False}}
    found = clinic_of(data)
    found.live = {"namespaces": None, "prometheus_operators": None, "monitoring_crds": None}
    found.kinds["podmonitors"] = found.kinds["servicemonitors"] = None

    def run(**what):
        found.change["watching"] = Watching(targets=(OPERATOR,), **what)
        return found

    return run


@pytest.mark.parametrize(("seconds", "words"), [(600, "10 min ahead of"), (-7200, "2 h behind")])
def test_a_clock_here_that_differs_is_told(clinic, seconds, words):
    clinic.here = NOW + timedelta(seconds=seconds)
    found = clinic.only("clock-skew")
    assert (found.severity, found.object) == ("warning", "this machine")
    assert f"its clock is {words} the API server's" in found.cause


def test_seconds_are_no_matter(clinic):
    clinic.here = NOW + timedelta(seconds=40)
    assert clinic.found() == ()


def beats(seconds_ago):
    found = node("n1")
    found["status"]["conditions"] = [
        {"type": "Ready", "status": "True", "lastHeartbeatTime": ago(seconds_ago)}
    ]
    return found


def test_a_node_whose_word_comes_from_the_future_is_ahead(clinic):
    clinic.kinds["nodes"][0] = beats(-900)
    found = clinic.only("clock-skew")
    assert (found.object, "15 min ahead" in found.cause, "on n1" in found.fix) == ("Node n1", True, True)


def test_a_node_that_seldom_says_something_is_well(clinic):
    clinic.kinds["nodes"][0] = beats(299)
    assert clinic.found() == ()


def test_a_node_on_which_a_pod_began_before_it_was_made_is_behind(clinic):
    clinic.pods = [pod(age=300, startTime=ago(1500))]
    found = clinic.only("clock-skew")
    assert (found.object, "20 min behind" in found.cause) == ("Node n1", True)


def test_a_node_whose_newest_pod_is_well_has_been_mended(clinic):
    clinic.pods = [pod(age=300, startTime=ago(1500)), pod("mnist-worker-1", age=60, startTime=ago(59))]
    assert clinic.found() == ()


def test_a_prometheus_whose_clock_differs_is_told(watched):
    assert watched(now=NOW + timedelta(seconds=5)).found() == ()
    found = watched(now=NOW - timedelta(seconds=300)).only("clock-skew")
    assert (found.object, "5 min behind" in found.cause) == ("Prometheus in monitoring", True)


def asked(clinic, job):
    return [(one.severity, one.code) for one in diagnose(clinic.case(), clinic.ready, job)]


def test_metrics_that_are_gone_are_told_to_whoever_asks_about_the_job(watched):
    clinic = watched(since=NOW - timedelta(hours=6))
    clinic.jobs, clinic.pods = [tfjob(state="Succeeded", since=7 * 3600)], []
    assert asked(clinic, "mnist") == [("advice", "metrics-gone")]
    assert clinic.found() == ()
    clinic.jobs = [tfjob(state="Succeeded", since=3600)]
    assert asked(clinic, "mnist") == []


def test_metrics_of_a_job_that_runs_are_there(watched):
    clinic = watched(since=NOW - timedelta(seconds=10))
    clinic.jobs = [tfjob(since=300)]
    assert asked(clinic, "mnist") == []
