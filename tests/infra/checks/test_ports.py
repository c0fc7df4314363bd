"""Ports of a job's containers."""

import pytest

from tests.infra.checks.jobs import found

GRPC = {"name": "grpc", "port": 9000}
SIDECAR = {"name": "logs", "image": "registry.example/logs:2"}


def test_ports_that_differ_are_fine():
    assert found(ports=[GRPC, {"name": "debug", "port": 9001}], metrics_port=9002) == []


def test_the_operators_port_under_another_name_is_refused():
    assert found(ports=[{"name": "grpc", "port": 2222}]) == [
        ("fault", "port-of-the-operator", ("ports", 0, "port"))
    ]
    assert found(metrics_port=2222) == [("fault", "port-of-the-operator", ("metrics_port",))]


def test_the_operators_port_may_have_another_number():
    assert found(ports=[{"name": "tfjob-port", "port": 3333}, {"name": "x", "port": 2222}]) == []


def test_a_number_is_used_once_whatever_the_protocol():
    udp = {"name": "other", "port": 9000, "protocol": "UDP"}
    assert found(ports=[GRPC, udp]) == [("fault", "port-twice", ("ports", 1, "port"))]


def test_a_name_is_used_once():
    again = {"name": "grpc", "port": 9001}
    assert found(ports=[GRPC, again]) == [("fault", "port-name-twice", ("ports", 1, "name"))]


def test_the_metrics_have_a_port_of_their_own():
    assert found(ports=[GRPC], metrics_port=9000) == [("fault", "port-twice", ("metrics_port",))]
    named = {"name": "metrics", "port": 9001}
    assert found(ports=[named], metrics_port=9000) == [("fault", "port-name-twice", ("metrics_port",))]


@pytest.mark.parametrize("port", [9000, 2222])
def test_a_sidecar_does_not_listen_where_the_training_does(port):
    sidecar = SIDECAR | {"ports": [{"name": "logs", "port": port}]}
    place = ("sidecars", 0, "ports", 0, "port")
    assert found(ports=[GRPC], sidecars=[sidecar]) == [("fault", "port-taken-in-pod", place)]


def test_an_init_container_has_ended_when_the_training_listens():
    assert found(ports=[GRPC], init_containers=[SIDECAR | {"ports": [GRPC]}]) == []


@pytest.mark.parametrize(
    ("port", "user", "codes"),
    [(80, 1000, ["port-of-root"]), (1024, 1000, []), (80, 0, [])],
)
def test_a_training_that_is_not_root_serves_its_metrics_above_1023(port, user, codes):
    security = {"run_as_user": user, "run_as_non_root": user != 0}
    said = [code for _, code, _ in found(metrics_port=port, security=security)]
    assert [code for code in said if code.startswith("port-")] == codes
