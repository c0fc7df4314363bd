"""`colo report`: what it says when something is missing or wrong, and what it asks."""

import json

import pytest

from infra.cli import main
from infra.cluster.api_server import RefusedError
from infra.cluster.prometheus import Prometheus
from infra.plan import plan
from infra.promql import metrics_used, parse
from infra.report import questions, reader
from infra.report.window import back_from
from tests.infra.report.conftest import PROXY, cannot
from tests.infra.report.world import BEGIN, END, WINDOW, samples
from tests.metrics.served import served

# --- no way to look


@pytest.mark.parametrize("status", [403, 404, 503])
def test_a_prometheus_that_is_away_is_one_sentence_after_one_question(colo, server, status):
    server.answers[f"{PROXY}/query_range"] = status
    said = cannot(colo())
    assert said == (
        f"Prometheus does not answer (no {PROXY}/query_range); colo doctor tells what is wrong with it"
    )
    assert [path for _, path, _ in server.asked if "proxy" in path] == [f"{PROXY}/query_range"]


OTHERS = [
    b"<html>",
    b"[]",
    b"null",
    b"{}",
    b'{"data": null}',
    b'{"data": []}',
    b'{"data": {}}',
    b'{"data": {"result": 1}}',
    b'{"data": {"result": [{"metric": {}}]}}',
    b'{"data": {"result": [{"metric": {}, "values": [["a", "b"]]}]}}',
    b'{"data": {"result": [7]}}',
    b"[" * 100_000,
]


@pytest.mark.parametrize("answer", OTHERS)
def test_something_else_in_its_place_is_told(colo, server, answer):
    server.answers[f"{PROXY}/query_range"] = answer
    assert "the answer is not Prometheus's" in cannot(colo())


def test_a_prometheus_that_knows_nothing_of_the_window_is_told(colo, server):
    for path in ("query_range", "query"):
        server.answers[f"{PROXY}/{path}"] = {"data": {"result": []}}
    said = cannot(colo(*WINDOW))
    assert said.startswith(
        "Prometheus has no metrics of nodes from 2026-01-01 08:00 to 2026-01-01 10:00 UTC; choose a later"
    )


def test_a_stack_without_monitoring_is_told(colo, data):
    del data["monitoring"]
    assert "has no `monitoring:`, so no Prometheus is known; add it" in cannot(colo())


def test_a_stack_without_offline_work_is_told(colo, data):
    data["priorities"], data["jobs"] = data["priorities"][:1], []
    assert "has no offline class under `priorities:`, so nothing tells training from services" in cannot(
        colo()
    )


def test_no_cluster_is_one_sentence(monkeypatch, tmp_path, capsys):
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "none"))
    assert main(["report", "--stack", "dev"]) == 2
    assert capsys.readouterr().err.startswith("colo report: cannot look: ")


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--window", ""), "'' is not a duration; write one such as"),
        (("--window", "1 day"), "'1 day' is not a duration; write one such as"),
        (
            ("--window", "1d", "--from", BEGIN.isoformat()),
            "--window is until now, and does not go with --from",
        ),
        (("--to", END.isoformat()), "--to needs --from, the beginning of the window"),
        (("--from", "noon"), "'noon' is no moment as RFC 3339 writes them"),
    ],
)
def test_a_window_that_is_none_is_told(colo, options, complaint):
    assert cannot(colo(*options)).startswith(complaint)


# --- something is missing


def test_what_is_not_measured_is_said_in_its_line_and_the_rest_goes_on(colo, server, prometheus):
    prometheus(samples("container_", "DCGM_", "scheduler_", "kube_tfjob_")).behind(server)
    code, out, _ = colo(*WINDOW)
    assert code == 0
    told = " ".join(out.split())
    for line in (
        "requested 18 % 12 % 3.99 % 33.9 %",
        "used no data: no container metrics of kubelets",
        "used no data: no metrics of GPUs (DCGM_FI_DEV_GPU_UTIL); set monitoring.gpu_metrics.install: true",
        "all no data: the use of nothing is measured",
        "preempted in all the scheduler is not scraped",
        "preempted 0 2 pods",
        "CPU throttled no container metrics of kubelets",
        "jobs no data: kube-state-metrics does not show TFJobs",
    ):
        assert line in told, told
    _, out, _ = colo(*WINDOW, "--format", "json")
    assert {one["what"] for one in json.loads(out)["missing"]} >= {"cpu used", "memory used", "gpu used"}


def test_a_question_that_prometheus_refuses_is_said_and_the_rest_goes_on(colo, server, prometheus):
    asked = prometheus(samples())
    asked.behind(server)
    answer = server.answers[f"{PROXY}/query_range"]
    server.answers[f"{PROXY}/query_range"] = lambda query: (
        422 if "DCGM" in query["query"][0] else answer(query)
    )
    code, out, _ = colo(*WINDOW)
    assert code == 0
    assert "Prometheus refused the question" in out
    assert "CPU used" in out


def test_prometheuss_own_words_are_told_without_their_wrapping():
    class Refusing:
        def text(self, *_, **__):
            raise RefusedError(422, '{"status":"error","error":"query timed out"}')

    with pytest.raises(RefusedError, match=r"^query timed out$"):
        Prometheus(Refusing(), "monitoring").at("up", END)


@pytest.mark.parametrize("answer", OTHERS)
def test_whatever_answers_as_prometheus_a_doctor_goes_on(answer):
    class Server:
        noted = ()

        def text(self, *_, **__):
            return answer.decode()

        def note(self, kind, fault):
            self.noted = (kind, str(fault))

    server = Server()
    assert Prometheus(server, "monitoring").watching() is None
    assert server.noted == ("services/proxy", "the answer is not Prometheus's")
    assert Prometheus(server, "monitoring").query("up") is None


# --- what is asked


@pytest.fixture
def asked(stack_file, data):
    data["monitoring"] = {"install": False}
    window = back_from(END, "1d")
    found = reader._asked(plan(stack_file(data)).stack, window)
    return [*questions.courses(found), *questions.moments(found)]


def test_every_question_is_promql_about_metrics_that_are_served(asked):
    known = served()
    for name, expression in asked:
        parse(expression)
        assert metrics_used(expression) <= known.keys(), name


def test_only_gets_are_sent(colo, server):
    colo()
    assert {command for command, _, _ in server.asked} == {"GET"}


def test_questions_stay_within_what_prometheus_answers(colo, server):
    """11,000 points a series."""
    server.answers[f"{PROXY}/query_range"] = 503
    for window in ("1h", "1d", "30d", "1y"):
        server.asked.clear()
        colo("--window", window)
        [query] = [query for _, path, query in server.asked if path.endswith("query_range")]
        start, end, step = (int(query[name][0]) for name in ("start", "end", "step"))
        assert 0 < (end - start) / step < 11_000
