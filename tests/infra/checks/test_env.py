"""Variables of a job's containers."""

import pytest

from tests.infra.checks.jobs import MANY, SECRET, found

SIDECAR = {"name": "logs", "image": "registry.example/logs:2"}
CONFIG = {"TF_CONFIG": "{}"}


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"env": CONFIG}, ("env", "TF_CONFIG")),
        ({"env_value_from": {"TF_CONFIG": SECRET}}, ("env_value_from", "TF_CONFIG")),
        ({"chief": {"env": CONFIG, "resources": {"gpus": 1}}}, ("chief", "env", "TF_CONFIG")),
        (
            {"pod_overrides": {"containers": [{"name": "tensorflow", "env": [{"name": "TF_CONFIG"}]}]}},
            ("pod_overrides", "containers", 0, "env", 0, "name"),
        ),
    ],
)
def test_a14_a_distributed_job_does_not_set_the_operators_variable(change, place):
    assert found(**MANY, **change) == [("fault", "tf-config-set", place)]


def test_a14_on_a_single_replica_it_is_a_warning():
    assert found(env=CONFIG) == [("warning", "tf-config-of-one-pod", ("env", "TF_CONFIG"))]


def test_a_sidecar_may_have_a_tf_config_of_its_own():
    assert found(**MANY, sidecars=[SIDECAR | {"env": CONFIG}]) == []


def test_variables_of_this_project_are_left_alone():
    env = {"COLOCATION_JOB": "other"}
    assert found(env=env) == [("warning", "variable-reserved", ("env", "COLOCATION_JOB"))]


def test_a_variable_has_one_source():
    both = {"env": {"A": "1"}, "env_value_from": {"A": SECRET}}
    assert found(**both) == [("fault", "variable-twice", ("env_value_from", "A"))]
    place = ("sidecars", 0, "env_value_from", "A")
    assert found(sidecars=[SIDECAR | both]) == [("fault", "variable-twice", place)]


@pytest.mark.parametrize("value", ["all", "0,1"])
def test_a_role_without_gpus_does_not_take_the_nodes(value):
    show = {"NVIDIA_VISIBLE_DEVICES": value}
    roles = {"worker": {"resources": {"gpus": 1}}, "ps": {}, "env": show}
    place = ("env", "NVIDIA_VISIBLE_DEVICES")
    assert found(**roles) == [("warning", "gpus-taken-uncounted", place)]
    roles = {"worker": {"resources": {"gpus": 1}}, "ps": {"env": show}}
    assert found(**roles) == [("warning", "gpus-taken-uncounted", ("ps", *place))]
    assert found(env=show) == []
