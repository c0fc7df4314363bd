"""How the cluster is asked: a server on this machine answers as an API server would, or does not."""

import json
import re
import socket
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import pytest

from components.cluster_access import NoClusterError
from infra.cluster import state
from infra.cluster.api_server import ApiServer
from infra.live import examine, reader
from infra.models import Stack
from infra.vocabulary import MONITORING_CRDS, QUEUE_CRDS

VERSION = {"major": "1", "minor": "34", "gitVersion": "v1.34.4"}
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
CRD = f"{CRDS}/tfjobs.kubeflow.org"
WEBHOOKS = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"
SLICES = "/apis/discovery.k8s.io/v1/namespaces/ns/endpointslices"
MANY_SECONDS = 25  # with the bounds of later requests it would be 30; the client library is loaded meanwhile


class Server:
    """Answers by path: an object, or a status code; an empty list where nothing was said."""

    def __init__(self):
        self.answers = {"/version/": VERSION} | {f"{CRDS}/{name}": 404 for name in MONITORING_CRDS}
        self.asked = []
        test = self

        class Handler(BaseHTTPRequestHandler):
            def answer(self):
                path, query = urlsplit(self.path).path, parse_qs(urlsplit(self.path).query)
                test.asked.append((self.command, path, query))
                found = test.answers.get(path, {"items": []})
                if callable(found):
                    found = found(query)
                status = found if isinstance(found, int) else 200
                body = {"message": f"no {path}: system:anonymous" if status == 499 else f"no {path}"}
                raw = (
                    found
                    if isinstance(found, bytes)
                    else json.dumps(body if status != 200 else found).encode()
                )
                self.send_response(403 if status == 499 else status)
                self.send_header("Content-Length", str(len(raw)))
                self.end_headers()
                self.wfile.write(raw)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer  # noqa: N815

            def log_message(self, *_):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.http.server_port}"


ANONYMOUS = 499
"""Makes a 403 of a user that nobody is."""


@pytest.fixture
def server(kubeconfig):
    server = Server()
    kubeconfig(server.url)
    yield server
    server.http.shutdown()
    server.http.server_close()


def refusal():
    with pytest.raises(NoClusterError) as caught:
        reader.read()
    text = str(caught.value)
    assert "secret-token" not in text
    assert "object at 0x" not in text
    return text


def test_an_empty_cluster_is_read_whole_and_only_by_getting(server):
    server.answers[CRD] = 404
    found = reader.read()
    assert (found.version, found.nodes, found.operators, found.crds) == ((1, 34), (), (), ())
    assert found.unread == ()
    assert {command for command, _, _ in server.asked} == {"GET"}


@pytest.mark.parametrize("queues", [False, True])
def test_kueue_is_looked_for_only_where_a_stack_has_queues(server, queues):
    server.answers |= {CRD: 404} | {f"{CRDS}/{name}": 404 for name in QUEUE_CRDS}
    lists = {f"/apis/kueue.x-k8s.io/v1beta2/{kind}" for kind in ("clusterqueues", "resourceflavors")}
    server.answers |= dict.fromkeys(lists, 404)
    found = reader.read(queues=queues)
    nothing = () if queues else None
    assert (found.kueues, found.queue_crds) == (nothing, nothing)
    assert (found.cluster_queues, found.resource_flavors) == (nothing, nothing)
    assert found.unread == ()
    asked = {path for _, path, _ in server.asked if "kueue" in path}
    assert asked == ({f"{CRDS}/{name}" for name in QUEUE_CRDS} | lists if queues else set())


@pytest.mark.parametrize("queues", [False, True])
def test_how_jobs_stand_is_read_only_where_a_stack_has_queues(server, queues):
    for kind in ("clusterqueues", "localqueues", "workloads"):
        server.answers[f"/apis/kueue.x-k8s.io/v1beta2/{kind}"] = 404  # nobody has installed Kueue yet
    found = state.read(ApiServer(), state.OVERVIEW, queues=queues)
    assert found.readable("workloads") == queues
    assert found.unread == ()


def test_a_long_list_is_read_page_by_page(server):
    def page(query):
        first = "continue" not in query
        items = [{"metadata": {"name": "a" if first else "b"}}]
        return {"items": items, "metadata": {"continue": "more"} if first else {}}

    server.answers |= {CRD: 404, "/api/v1/nodes": page}
    assert [node["metadata"]["name"] for node in reader.read().nodes] == ["a", "b"]


@pytest.mark.parametrize("status", [403, 500])
def test_what_may_not_be_read_is_noted_and_the_rest_goes_on(server, status):
    server.answers |= {CRD: status, "/api/v1/nodes": status}
    found = reader.read()
    assert (found.nodes, found.crds, found.namespaces) == (None, None, ())
    kinds = [unread.kind for unread in found.unread]
    assert kinds == ["nodes", "customresourcedefinitions"]
    assert found.unread[0].reason == "no /api/v1/nodes"


def test_endpoints_are_asked_for_once_a_service(server):
    rule = {"apiGroups": ["kubeflow.org"], "resources": ["tfjobs"], "operations": ["*"]}
    service = {"service": {"namespace": "ns", "name": "svc"}}
    webhooks = [{"name": name, "clientConfig": service, "rules": [rule]} for name in ("a", "b")]
    server.answers |= {
        CRD: 404,
        WEBHOOKS: {"items": [{"metadata": {"name": "c"}, "webhooks": webhooks}]},
        SLICES: {"items": [{"endpoints": [{"conditions": {"ready": True}}]}]},
    }
    assert [webhook.ready for webhook in reader.read().webhooks] == [True, True]
    [query] = [query for _, path, query in server.asked if path == SLICES]
    assert query["labelSelector"] == ["kubernetes.io/service-name=svc"]
    server.answers[SLICES] = 403
    found = reader.read()
    assert [webhook.ready for webhook in found.webhooks] == [None, None]
    assert [unread.kind for unread in found.unread] == ["endpointslices"]


@pytest.mark.parametrize("path", ["/version/", "/api/v1/namespaces"])
@pytest.mark.parametrize("status", [401, ANONYMOUS])
def test_credentials_that_are_not_accepted_end_it(server, path, status):
    server.answers[path] = status
    assert "does not accept these credentials" in refusal()


@pytest.mark.parametrize("answer", [b"<html>", b"[]", {}])
def test_something_else_than_kubernetes_is_told(server, answer):
    server.answers["/version/"] = answer
    assert "answers, but not as Kubernetes does; check KUBECONFIG" in refusal()


def test_a_server_that_is_not_there_is_told_by_its_address(kubeconfig):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    kubeconfig(f"https://user:password@127.0.0.1:{port}")
    text = refusal()
    assert text.startswith(f"the API server 127.0.0.1:{port} does not answer (")
    assert "refused" in text
    assert "HTTPSConnection" not in text
    assert "password" not in text


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_server_that_accepts_and_says_nothing_is_told_within_seconds(kubeconfig, scheme):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        kubeconfig(f"{scheme}://127.0.0.1:{silent.getsockname()[1]}")
        since = time.monotonic()
        assert re.search(r"does not answer \(nothing came within [23] s\); check", refusal())
        assert time.monotonic() - since < MANY_SECONDS


def test_a_server_whose_packets_vanish_is_told_within_seconds(kubeconfig):
    with socket.create_server(("127.0.0.1", 0), backlog=0) as full:
        address = full.getsockname()
        waiting = [socket.socket() for _ in range(4)]  # the queue is full, so further ones are dropped
        for one in waiting:
            one.setblocking(False)
            one.connect_ex(address)
        kubeconfig(f"https://127.0.0.1:{address[1]}")
        since = time.monotonic()
        assert "does not answer (nothing came within 2 s)" in refusal()
        assert time.monotonic() - since < MANY_SECONDS
        for one in waiting:
            one.close()


@pytest.mark.parametrize("text", ["", "- a: [", "just words", "clusters: {}", "[]"])
def test_a_kubeconfig_that_is_none_is_told(kubeconfig, text):
    file = kubeconfig("https://127.0.0.1:1")
    file.write_text(text)
    assert refusal().startswith(f"{file} leads to no cluster (")
    assert refusal().endswith("); set KUBECONFIG to a file that does")


@pytest.mark.parametrize(
    "program", [["sh", "-c", "echo not logged in >&2; exit 3"], ["colo-has-no-such-program"]]
)
def test_a_program_for_credentials_that_fails_is_told_alone(kubeconfig, program, capfd):
    command, *args = program
    credentials = {"apiVersion": "client.authentication.k8s.io/v1", "command": command, "args": args}
    kubeconfig("https://127.0.0.1:1", {"exec": credentials})
    assert refusal().startswith("the kubeconfig's credentials cannot be had: ")
    assert capfd.readouterr() == ("", "")


def test_a_certificate_that_is_none_is_told(kubeconfig, tmp_path):
    file = tmp_path / "client.pem"
    file.write_text("foo")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        user = {"client-certificate": str(file), "client-key": str(file)}
        kubeconfig(f"https://127.0.0.1:{silent.getsockname()[1]}", user)
        assert "[SSL]" in refusal()


def test_a_kubeconfig_that_is_not_there_is_told(monkeypatch, tmp_path):
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "none"))
    assert refusal().endswith("; set KUBECONFIG to a file that does")


def test_without_a_cluster_there_is_one_finding(monkeypatch, tmp_path):
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "none"))
    [finding] = examine(Stack(), "dev")
    assert (finding.severity, finding.code, finding.remedy) == (
        "fault",
        "cluster-unreachable",
        "set KUBECONFIG to a file that does",
    )
