"""How roles end, and what they know of each other."""

import pytest

from tests.infra.checks.jobs import MANY, examined, found

GPU = {"resources": {"gpus": 1}}


@pytest.mark.parametrize(
    ("roles", "role", "words"),
    [
        ({"worker": GPU | {"restart_policy": "Always"}}, "worker", "the job never succeeds"),
        ({**MANY, "chief": GPU | {"restart_policy": "Always"}}, "chief", "the job never succeeds"),
        (
            {"chief": GPU, "worker": GPU | {"restart_policy": "Always"}},
            "worker",
            "trains until the chief has finished",
        ),
    ],
)
def test_a5_a_role_that_always_restarts_never_ends(roles, role, words):
    [finding] = examined(**roles)
    assert (finding.severity, finding.code) == ("warning", "role-never-ends")
    assert finding.place == ("jobs", 0, role, "restart_policy")
    assert words in finding.message


def test_parameter_servers_may_always_restart():
    assert found(ps={"restart_policy": "Always"}) == []


def test_a11_all_workers_means_nothing_beside_a_chief():
    assert found(**MANY, success_policy="AllWorkers") == []
    assert found(**MANY, chief=GPU, success_policy="AllWorkers") == [
        ("warning", "success-policy-without-effect", ("success_policy",))
    ]


@pytest.mark.parametrize(
    ("resources", "kept"),
    [
        (
            {"requests": {"cpu": "500m", "memory": "1536Mi"}, "limits": {"cpu": "2"}, "gpus": 1},
            "1 CPU, 3Gi of memory, 2 GPUs",
        ),
        ({"limits": {"cpu": "2"}}, "4 CPU"),
        ({}, "the place of 2 pods"),
    ],
)
def test_a3_parameter_servers_that_stay_are_a_warning_with_what_they_keep(resources, kept):
    ps = {"replicas": 2, "resources": resources}
    [finding] = examined(ps=ps, run_policy={"clean_pod_policy": "None"})
    assert (finding.severity, finding.code) == ("warning", "parameter-servers-stay")
    assert finding.place == ("jobs", 0, "run_policy", "clean_pod_policy")
    assert finding.message.endswith(f"keep {kept}")


def test_a3_workers_that_have_ended_may_stay():
    assert found(run_policy={"clean_pod_policy": "None"}) == []


@pytest.mark.parametrize("script", ["os.environ['TF_CONFIG']", "tf.distribute.MultiWorkerMirroredStrategy()"])
def test_a14_a_single_replica_is_accepted_with_the_advice_that_it_gets_no_tf_config(script):
    assert found(text=script) == [("advice", "no-tf-config", ())]
    assert found(text=script, **MANY) == []


def test_a14_a_script_that_asks_for_none_needs_no_advice():
    assert found(text="print('TF')") == []


def test_a14_what_an_image_does_is_not_known():
    assert found(text="", script=None) == [("advice", "no-tf-config", ())]


def test_dynamic_workers_need_parameter_servers():
    place = ("enable_dynamic_worker",)
    assert found(**MANY, enable_dynamic_worker=True) == [("warning", "dynamic-workers-alone", place)]
    assert found(**MANY, ps={}, enable_dynamic_worker=True) == []


@pytest.mark.parametrize("role", ["chief", "evaluator"])
def test_dynamic_workers_leave_other_roles_alone_in_the_dark(role):
    roles = {**MANY, "ps": {}, role: GPU}
    assert found(**roles, enable_dynamic_worker=True) == [("warning", "dynamic-workers-hide-peers", (role,))]


def test_an_evaluator_looks_for_checkpoints():
    assert found(**MANY, evaluator={}) == []
    codes = found(**MANY, evaluator={}, checkpoint_path=None)
    assert ("advice", "evaluator-without-checkpoints", ("evaluator",)) in codes
