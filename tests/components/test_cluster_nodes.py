"""How requests about nodes fail: one sentence each, with a remedy."""

import json

import pytest
from kubernetes.client import ApiException
from urllib3.exceptions import MaxRetryError

from components import cluster_nodes
from components.cluster_nodes import ChangedError, ClusterNodes, NodeError, UnreachableError


class Answer:
    def __init__(self, body):
        self.data = json.dumps(body).encode()


class Api:
    """Answers every request in the same way, and keeps what was asked."""

    def __init__(self, answer):
        self.answer, self.asked = answer, []

    def __getattr__(self, operation):
        def ask(*args, **options):
            self.asked.append((operation, args, options))
            if isinstance(self.answer, Exception):
                raise self.answer
            return self.answer

        return ask


@pytest.fixture
def nodes(monkeypatch):
    def answering(answer):
        monkeypatch.setattr(cluster_nodes, "_connect", lambda: api)
        api = Api(answer)
        return ClusterNodes(), api

    return answering


def refusal(status, message="because"):
    fault = ApiException(status=status, reason="Reason")
    fault.body = json.dumps({"kind": "Status", "message": message})
    return fault


def test_a_node_that_is_not_there_is_no_error(nodes):
    cluster, _ = nodes(refusal(404))
    assert cluster.get("n1") is None
    assert cluster.merge("n1", {}, "me") is None


def test_nodes_are_matched_by_all_labels_and_come_by_name(nodes):
    found = [{"metadata": {"name": name}} for name in ("b", "a")]
    cluster, api = nodes(Answer({"items": found}))
    assert [node["metadata"]["name"] for node in cluster.matching({"zone": "a", "kind": ""})] == ["a", "b"]
    [(_, _, options)] = api.asked
    assert options["label_selector"] == "kind=,zone=a"


def test_labels_are_applied_without_force(nodes):
    cluster, api = nodes(Answer({}))
    cluster.apply({"metadata": {"name": "n1"}}, "me")
    [(operation, _, options)] = api.asked
    assert operation == "patch_node"
    assert options["_content_type"] == "application/apply-patch+yaml"
    assert options["field_manager"] == "me"
    assert not options.get("force")


def test_a_conflict_is_a_reason_to_read_again(nodes):
    cluster, _ = nodes(refusal(409, "the object has been modified"))
    with pytest.raises(ChangedError, match="the object has been modified"):
        cluster.merge("n1", {}, "me")


@pytest.mark.parametrize("status", [401, 403])
def test_refused_access_names_the_rights_that_are_needed(nodes, status):
    cluster, _ = nodes(refusal(status))
    with pytest.raises(UnreachableError, match="because; use credentials that may get, list and patch nodes"):
        cluster.get("n1")


def test_a_silent_server_points_at_the_kubeconfig(nodes):
    cluster, _ = nodes(MaxRetryError(None, "/api/v1/nodes", "refused"))
    with pytest.raises(UnreachableError, match="check KUBECONFIG"):
        cluster.get("n1")


@pytest.mark.parametrize("body", [None, "<html>", "[]"])
def test_any_other_refusal_names_the_node_whatever_the_answer_looks_like(nodes, body):
    fault = refusal(500)
    fault.body = body
    cluster, _ = nodes(fault)
    with pytest.raises(NodeError, match="node n1: the API server says: Reason"):
        cluster.get("n1")


def test_no_kubeconfig_at_all_says_what_to_set(monkeypatch, tmp_path):
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "none"))
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    with pytest.raises(UnreachableError, match="set KUBECONFIG"):
        ClusterNodes().get("n1")


def test_an_empty_kubeconfig_variable_is_an_unset_one(monkeypatch, tmp_path):
    (tmp_path / ".kube").mkdir()
    (tmp_path / ".kube" / "config").write_text(
        "{clusters: [{name: c, cluster: {server: 'https://127.0.0.1:1'}}], users: [{name: u, user: {}}],"
        " contexts: [{name: x, context: {cluster: c, user: u}}], current-context: x}"
    )
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("KUBECONFIG", "")
    assert cluster_nodes._connect().api_client.configuration.host == "https://127.0.0.1:1"
