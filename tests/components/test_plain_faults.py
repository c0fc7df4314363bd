"""What Pulumi's own server of dynamic providers answers, and so what a user reads, where a method fails."""

import os
import subprocess
import sys

import grpc
import pytest
from google.protobuf.struct_pb2 import Struct
from pulumi.dynamic.dynamic import serialize_provider
from pulumi.runtime.proto import provider_pb2, provider_pb2_grpc

from components.node_marks import NodeMarksProvider
from infra.places import ROOT
from tests.components.api_server import ApiServer, kubeconfig, status
from tests.components.marks import GPU

REQUESTS = ("Create", "Read", "Update", "Delete")
REFUSED = 403, status('nodes "n1" is forbidden')
REMEDIES = {
    "closed": "Connection refused); check KUBECONFIG and the cluster",
    "refused": 'refuses access: nodes "n1" is forbidden; use credentials that may get, list and patch nodes',
    "broken": "says: no leader; mend that and run again",
    "no JSON": "answers, but not as Kubernetes does (HTTP 200); check KUBECONFIG and the cluster",
    "no file": "set KUBECONFIG to a file that does",
    "no context": "set KUBECONFIG to a file that does",
}


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """The kubeconfig, which is read anew at each request."""
    return tmp_path_factory.mktemp("pulumi") / "kubeconfig"


@pytest.fixture(scope="module")
def pulumi(file):
    """The program that Pulumi starts for a stack with dynamic providers, as it starts it."""
    environment = {name: text for name, text in os.environ.items() if name != "KUBERNETES_SERVICE_HOST"}
    with subprocess.Popen(
        [sys.executable, "-u", "-m", "pulumi.dynamic"],
        cwd=ROOT,
        env=environment | {"KUBECONFIG": str(file), "PULUMI_PROJECT": "colocation"},
        stdout=subprocess.PIPE,
    ) as program:
        try:
            with grpc.insecure_channel(f"127.0.0.1:{int(program.stdout.readline())}") as channel:
                yield provider_pb2_grpc.ResourceProviderStub(channel)
        finally:
            program.kill()


@pytest.fixture
def away(request, file):
    """A way in which there is no cluster to be had."""
    server = ApiServer()
    server.answer = {"refused": REFUSED, "broken": (500, status("no\nleader"))}.get(
        request.param, (200, "<p>")
    )
    address = "https://127.0.0.1:1" if request.param == "closed" else f"http://{server.address}"
    file.write_text(kubeconfig(address, context="y" if request.param == "no context" else "x"))
    if request.param == "no file":
        file.unlink()
    yield REMEDIES[request.param]
    server.close()


def told(pulumi, method, props=GPU):
    """What a failing request is answered with."""
    bag = Struct()
    bag.update({**props, "marked": {}, "__provider": serialize_provider(NodeMarksProvider())})
    fields = {"Create": {"properties": bag}, "Update": {"olds": bag, "news": bag}}
    request = getattr(provider_pb2, f"{method}Request")(**fields.get(method, {"properties": bag}))
    if method != "Create":
        request.id = "gpu"
    with pytest.raises(grpc.RpcError) as caught:
        getattr(pulumi, method)(request)
    return caught.value.details()


@pytest.mark.parametrize("away", REMEDIES, indirect=True)
@pytest.mark.parametrize("method", REQUESTS)
def test_a_cluster_that_is_not_to_be_had_is_one_sentence(pulumi, away, method):
    said = told(pulumi, method)
    which = "nodes with colocation.io/pool=gpu" if method == "Delete" else "node n1"
    assert said.startswith(f"pool gpu: {which} cannot be read: ")
    assert said.endswith(away)
    assert "\n" not in said


@pytest.mark.parametrize("away", ["closed"], indirect=True)
def test_a_defect_of_ours_keeps_its_traceback(pulumi, away):
    said = told(pulumi, "Read", {"pool": "gpu"})
    assert said.startswith("Traceback")
    assert "components/node_marks.py" in said
    assert said.endswith("KeyError: 'taints'\n")
