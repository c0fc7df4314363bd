"""Without a kubeconfig there is one sentence, and no provider that fails on a path."""

import json
from datetime import UTC, datetime

import pytest

from components.cluster_access import Answer, NoClusterError, require_kubeconfig


def test_a_kubeconfig_that_is_there_will_do(tmp_path):
    file = tmp_path / "config"
    file.touch()
    require_kubeconfig({"KUBECONFIG": str(file)})
    require_kubeconfig({"KUBECONFIG": f"{tmp_path / 'absent'}:{file}"})


def test_the_usual_place_will_do(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(NoClusterError, match=f"{tmp_path}/.kube/config is not there; set KUBECONFIG"):
        require_kubeconfig({})
    (tmp_path / ".kube").mkdir()
    (tmp_path / ".kube" / "config").touch()
    require_kubeconfig({"KUBECONFIG": ""})


def test_a_pod_of_the_cluster_needs_none(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    require_kubeconfig({"KUBERNETES_SERVICE_HOST": "10.0.0.1"})


def test_a_path_that_leads_nowhere_is_named():
    with pytest.raises(NoClusterError, match="KUBECONFIG is /nonexistent, and no such file"):
        require_kubeconfig({"KUBECONFIG": "/nonexistent"})


@pytest.mark.parametrize("zone", ["GMT", "+0000", "-0000"])
def test_the_clock_of_a_server_is_that_of_its_answers(zone):
    answer = Answer(200, "", {"Date": f"Mon, 02 Mar 2026 08:00:00 {zone}"})
    assert answer.date == datetime(2026, 3, 2, 8, tzinfo=UTC)


@pytest.mark.parametrize(
    "stated", ["", "now", "Mon, 02 Mar 99999 08:00:00 GMT", "Mon, 02 Mar 2026 25:00:00 GMT"]
)
def test_an_answer_without_a_date_says_nothing_of_a_clock(stated):
    assert Answer(200, "", {"Date": stated}).date is None
    assert Answer(200, "", {}).date is None


@pytest.mark.parametrize("wrapped", [True, False])
def test_what_a_server_says_is_a_line_that_steers_no_terminal(wrapped):
    text = "\x1b[2Jforbidden:\nno\x07 right"
    answer = Answer(403, json.dumps({"message": text}) if wrapped else text, {})
    assert answer.message == "[2Jforbidden: no right"
