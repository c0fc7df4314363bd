"""A chart that cannot be fetched is one error that says what can be done."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from infra.chart_source import NoChartError, require_charts
from infra.models import Stack

NOBODY = "127.0.0.1:1"  # no program listens on this port


def spec(source, **more):
    return Stack.model_validate({"monitoring": {"chart": {"source": source}, **more}})


@pytest.fixture
def repository():
    """A server that answers with a status; what it was asked is in `asked`."""
    asked = []

    class Handler(BaseHTTPRequestHandler):
        status = 200

        def do_HEAD(self):
            asked.append(self.path)
            self.send_response(Handler.status)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    server.asked, server.handler = asked, Handler
    server.url = f"http://127.0.0.1:{server.server_port}/charts"
    yield server
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(
    "source", [f"https://{NOBODY}/charts", f"oci://{NOBODY}/charts/kube-prometheus-stack"]
)
def test_a_source_that_does_not_answer_is_named_with_the_ways_out(source):
    with pytest.raises(NoChartError) as error:
        require_charts(spec(source))
    text = str(error.value)
    assert text.startswith(
        f"monitoring.chart: the chart cannot be fetched from {source} (Connection refused)"
    )
    for way in ("oci:// mirror", "archive (.tgz)", "directory"):
        assert way in text
    assert "\n" not in text


@pytest.mark.parametrize("status", [200, 401, 403, 405])
def test_a_repository_that_answers_is_left_to_helm(repository, status):
    repository.handler.status = status
    require_charts(spec(repository.url))
    assert repository.asked == ["/charts/index.yaml"]


def test_the_chart_of_queueing_is_asked_for_too():
    source = f"oci://{NOBODY}/charts/kueue"
    stack = Stack.model_validate({"queueing": {"chart": {"source": source}}})
    with pytest.raises(
        NoChartError, match=r"queueing.chart: .*Connection refused.* set queueing.chart.source"
    ):
        require_charts(stack)


@pytest.mark.parametrize("status", [404, 410, 502])
def test_a_server_without_repository_is_told(repository, status):
    repository.handler.status = status
    with pytest.raises(NoChartError, match=f"HTTP {status}"):
        require_charts(spec(repository.url))


@pytest.mark.parametrize(
    "monitoring",
    [
        Stack(),
        Stack.model_validate({"monitoring": {"install": False}, "queueing": {"install": False}}),
        spec("charts/kube-prometheus-stack"),
    ],
    ids=["absent", "attached", "beside-the-stack"],
)
def test_nobody_is_asked_where_nothing_is_fetched(monkeypatch, monitoring):
    monkeypatch.setattr("infra.chart_source.urlopen", lambda *_, **__: pytest.fail("asked"))
    require_charts(monitoring)
