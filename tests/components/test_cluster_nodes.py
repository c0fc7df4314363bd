"""How nodes are asked for, and how that fails: one sentence each, with a remedy."""

import socket

import pytest

from components import cluster_access, cluster_nodes
from components.cluster_nodes import ChangedError, ClusterNodes, NodeError, UnreachableError
from tests.components.api_server import ApiServer, kubeconfig, status


@pytest.fixture
def point_to(monkeypatch, tmp_path):
    def write(server, **options):
        (tmp_path / "kubeconfig").write_text(kubeconfig(server, **options))
        monkeypatch.setenv("KUBECONFIG", str(tmp_path / "kubeconfig"))
        return ClusterNodes("pool gpu")

    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    return write


@pytest.fixture
def server():
    server = ApiServer()
    yield server
    server.close()


@pytest.fixture
def nodes(server, point_to):
    return point_to(f"http://{server.address}")


def test_a_node_that_is_not_there_is_no_error(server, nodes):
    server.answer = 404, status('nodes "n1" not found')
    assert nodes.get("n1") is None
    assert nodes.merge("n1", {}, "me") is None


def test_nodes_are_matched_by_all_labels_and_come_by_name(server, nodes):
    found = [{"metadata": {"name": name}} for name in ("b", "a")]
    server.answer = 200, {"kind": "NodeList", "items": found}
    assert [node["metadata"]["name"] for node in nodes.matching({"zone": "a", "kind": ""})] == ["a", "b"]
    [asked] = server.asked
    assert (asked.method, asked.path) == ("GET", "/api/v1/nodes")
    assert asked.query == {"labelSelector": "kind=,zone=a"}


def test_labels_are_applied_without_force(server, nodes):
    server.answer = 200, {"kind": "Node"}
    patch = {"metadata": {"name": "n1", "annotations": {"gone": None}}}
    nodes.apply(patch, "me")
    [asked] = server.asked
    assert (asked.method, asked.path) == ("PATCH", "/api/v1/nodes/n1")
    assert asked.content_type == "application/apply-patch+yaml"
    assert asked.query == {"fieldManager": "me"}
    assert asked.body == patch


def test_taints_are_merged(server, nodes):
    server.answer = 200, {"kind": "Node"}
    nodes.merge("n1", {"spec": {"taints": []}}, "me")
    [asked] = server.asked
    assert asked.content_type == "application/merge-patch+json"
    assert asked.body == {"spec": {"taints": []}}


def test_a_conflict_is_a_reason_to_read_again(server, nodes):
    server.answer = 409, status("the object has been modified")
    with pytest.raises(ChangedError, match="the object has been modified"):
        nodes.merge("n1", {}, "me")


@pytest.mark.parametrize("code", [401, 403])
@pytest.mark.parametrize("body", [status("because"), "because"], ids=["Status", "text"])
def test_refused_access_names_the_rights_that_are_needed(server, nodes, code, body):
    server.answer = code, body
    with pytest.raises(UnreachableError) as caught:
        nodes.get("n1")
    assert str(caught.value) == (
        f"pool gpu: node n1 cannot be read: the API server {server.address} refuses access: because; "
        "use credentials that may get, list and patch nodes"
    )


def test_any_other_refusal_is_told_in_the_servers_words(server, nodes):
    server.answer = 500, status("etcdserver: no leader")
    with pytest.raises(NodeError) as caught:
        nodes.merge("n1", {}, "me")
    assert not isinstance(caught.value, UnreachableError)
    assert str(caught.value) == (
        f"pool gpu: node n1 cannot be marked: the API server {server.address} says: "
        "etcdserver: no leader; mend that and run again"
    )


@pytest.mark.parametrize("code", [200, 404, 502])
@pytest.mark.parametrize("body", ["<html>", "", "[]", '{"error": "log in"}'])
def test_what_is_no_api_server_is_not_taken_for_one_that_has_no_such_node(server, nodes, code, body):
    server.answer = code, body
    said = rf"answers, but not as Kubernetes does \(HTTP {code}\); check KUBECONFIG"
    with pytest.raises(UnreachableError, match=f"^pool gpu: node n1 cannot be read: .* {said}"):
        nodes.get("n1")
    with pytest.raises(UnreachableError, match=f"^pool gpu: nodes with zone=a cannot be read: .* {said}"):
        nodes.matching({"zone": "a"})


def test_a_list_that_is_not_found_is_not_an_empty_one(server, nodes):
    server.answer = 404, status("the server could not find the requested resource")
    with pytest.raises(NodeError, match=r"nodes with zone=a cannot be read: .* says: the server could not"):
        nodes.matching({"zone": "a"})


@pytest.mark.parametrize("address", ["https://127.0.0.1:1", "https://me:secret@127.0.0.1:none"])
def test_a_server_that_is_not_there_points_at_the_kubeconfig(point_to, address):
    with pytest.raises(UnreachableError, match=r"^pool gpu: node n1 cannot be read: .*KUBECONFIG") as caught:
        point_to(address).get("n1")
    assert "secret" not in str(caught.value)
    assert "object at 0x" not in str(caught.value)


def test_a_silent_server_is_given_up(point_to, monkeypatch):
    monkeypatch.setattr(cluster_nodes, "_TIMEOUT_SECONDS", (0.1, 0.1))
    with socket.create_server(("127.0.0.1", 0)) as silent:
        nodes = point_to(f"http://127.0.0.1:{silent.getsockname()[1]}")
        with pytest.raises(UnreachableError, match=r"does not answer \(nothing came within 0.1 s\); check"):
            nodes.merge("n1", {}, "me")


def test_a_context_that_is_not_there_says_what_to_set(point_to):
    with pytest.raises(UnreachableError, match=r"leads to no cluster \(.*name elsewhere.*set KUBECONFIG"):
        point_to("https://127.0.0.1:1", context="elsewhere").get("n1")


def test_no_kubeconfig_at_all_says_what_to_set(point_to, monkeypatch, tmp_path):
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "none"))
    with pytest.raises(UnreachableError, match="set KUBECONFIG"):
        ClusterNodes("pool gpu").get("n1")


def test_an_empty_kubeconfig_variable_is_an_unset_one(monkeypatch, tmp_path):
    (tmp_path / ".kube").mkdir()
    (tmp_path / ".kube" / "config").write_text(kubeconfig("https://127.0.0.1:1"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("KUBECONFIG", "")
    assert cluster_access.connect().configuration.host == "https://127.0.0.1:1"
