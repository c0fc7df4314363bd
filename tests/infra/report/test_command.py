"""`colo report`: what it says when something is missing or wrong, and that a page is whole or not there."""

import json
import sys
from pathlib import Path

import pytest

from infra.cli import main
from infra.cluster.api_server import RefusedError
from infra.cluster.prometheus import Prometheus
from infra.plan import plan
from infra.promql import metrics_used, parse
from infra.report import page, questions, reader
from infra.report.window import back_from
from tests.infra.report.conftest import PROXY
from tests.infra.report.world import BEGIN, END, samples
from tests.metrics.served import served

WINDOW = ("--from", BEGIN.isoformat(), "--to", END.isoformat())


@pytest.fixture
def colo(server, stack_file, data, capsys):
    data["monitoring"] = {"install": False}

    def run(*options):
        code = main(["report", "--file", str(stack_file(data)), *options])
        return code, *capsys.readouterr()

    return run


def cannot(told):
    """The one sentence of a command that could not look."""
    code, out, err = told
    assert (code, out, err.count("\n")) == (2, "", 1)
    start = "colo report: cannot look: "
    assert err.startswith(start)
    return err[len(start) :].strip()


# --- no way to look


@pytest.mark.parametrize("status", [403, 404, 503])
def test_a_prometheus_that_is_away_is_one_sentence_after_one_question(colo, server, status):
    server.answers[f"{PROXY}/query_range"] = status
    said = cannot(colo())
    assert said == (
        f"Prometheus does not answer (no {PROXY}/query_range); colo doctor tells what is wrong with it"
    )
    assert [path for _, path, _ in server.asked if "proxy" in path] == [f"{PROXY}/query_range"]


def test_something_else_in_its_place_is_told(colo, server):
    server.answers[f"{PROXY}/query_range"] = b"<html>"
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


def test_no_cluster_is_one_sentence(monkeypatch, tmp_path, capsys):
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "none"))
    assert main(["report", "--stack", "dev"]) == 2
    assert capsys.readouterr().err.startswith("colo report: cannot look: ")


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
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


# --- the page


@pytest.fixture
def hours(server, prometheus):
    prometheus(samples()).behind(server)


def test_a_page_is_written_beside_the_text_always_the_same(colo, hours, tmp_path):
    file = tmp_path / "report.html"
    code, out, err = colo(*WINDOW, "--html", str(file), "--format", "json")
    assert code == 0
    assert json.loads(out)["stack"] == "test"
    assert err.startswith("wrote ")
    text = file.read_text("utf-8")
    assert text.startswith("<!DOCTYPE html>")
    assert text.count("<svg ") == 10
    assert file.stat().st_mode & 0o777 == 0o666 & ~umask()
    colo(*WINDOW, "--html", str(tmp_path / "again.html"))
    assert (tmp_path / "again.html").read_text("utf-8") == text


def umask():
    import os

    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_a_page_that_cannot_be_finished_leaves_the_old_one(colo, hours, tmp_path, monkeypatch):
    file = tmp_path / "pages" / "report.html"
    file.parent.mkdir()
    file.write_text("old")
    monkeypatch.setattr("infra.cli.report.os.replace", no_space)
    code, _, err = colo(*WINDOW, "--html", str(file))
    assert (code, err) == (1, "colo report: [Errno 28] No space left on device\n")
    assert [found.name for found in file.parent.iterdir()] == ["report.html"]
    assert file.read_text() == "old"


def no_space(*_):
    raise OSError(28, "No space left on device")


def test_without_matplotlib_it_is_said_how_to_have_it(colo, server, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    said = cannot(colo("--html", str(tmp_path / "report.html")))
    assert said.startswith("--html needs matplotlib, which is not installed: pip install")
    assert [path for _, path, _ in server.asked] == ["/version/"]


def test_text_needs_no_matplotlib(colo, hours, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.delitem(sys.modules, page.__name__)
    assert colo(*WINDOW)[0] == 0


@pytest.mark.parametrize(
    ("file", "complaint"), [("", "is a folder"), ("none/report.html", "is in a folder that is not there")]
)
def test_a_place_for_the_page_that_is_none_is_told(colo, tmp_path, file, complaint):
    assert complaint in cannot(colo("--html", str(Path(tmp_path) / file)))
