"""A TFJob as a whole: roles, success, and how it runs and ends."""

import subprocess
import sys

import pytest

from components.rendering.tfjob import tfjob_manifest
from infra.models import JobSpec
from tests.components.jobs import MNIST, rendered, role


def manifest(**change):
    return tfjob_manifest(JobSpec.model_validate(MNIST | change), "vision", priority_class="offline-low")


def test_the_manifest_is_a_whole_object_with_the_specs_rendering():
    found = manifest()
    assert (found["apiVersion"], found["kind"]) == ("kubeflow.org/v1", "TFJob")
    assert found["metadata"] == {"name": "mnist", "namespace": "vision"}
    assert found["spec"] == rendered(pool=None)


def test_labels_and_annotations_of_a_job_are_on_the_job_too():
    found = manifest(labels={"team": "ranking"}, annotations={"wiki": "https://wiki.example/mnist"})
    assert found["metadata"]["labels"] == {"team": "ranking"}
    assert found["metadata"]["annotations"] == {"wiki": "https://wiki.example/mnist"}


def test_every_role_is_spelt_as_the_operator_knows_it():
    spec = rendered(chief={}, worker={"replicas": 3}, ps={"replicas": 2}, evaluator={})
    assert {name: found["replicas"] for name, found in spec["tfReplicaSpecs"].items()} == {
        "Chief": 1,
        "Worker": 3,
        "PS": 2,
        "Evaluator": 1,
    }


def test_roles_that_are_not_given_are_not_rendered():
    assert list(rendered()["tfReplicaSpecs"]) == ["Worker"]


def test_restart_policy_stands_where_the_operator_reads_it():
    spec = rendered(worker={"restart_policy": "ExitCode"})
    assert role(spec)["restartPolicy"] == "ExitCode"
    assert "restartPolicy" not in role(spec)["template"]["spec"]


def test_what_counts_as_success_and_who_may_come_and_go_is_said_only_where_asked():
    spec = rendered(success_policy="AllWorkers", enable_dynamic_worker=True)
    assert spec["successPolicy"] == "AllWorkers"
    assert spec["enableDynamicWorker"] is True
    assert set(rendered()) == {"runPolicy", "tfReplicaSpecs"}


@pytest.mark.parametrize(
    ("roles", "said"),
    [
        ({"worker": {}}, True),
        ({"worker": {"restart_policy": "Always"}}, True),
        ({"worker": {"restart_policy": "ExitCode"}}, None),  # exit code 1 would leave it Running for ever
        ({"worker": {"restart_policy": "Never"}}, None),  # then nothing would ever fail it
        ({"worker": {"replicas": 2}}, None),  # it would change their TF_CONFIG
        ({"worker": {}, "ps": {}}, None),
        ({"worker": None, "chief": {}}, None),  # the operator excepts workers alone
    ],
)
def test_a_lone_worker_is_dynamic_so_that_a_preemption_does_not_fail_its_job(roles, said):
    assert rendered(**roles).get("enableDynamicWorker") is said


def test_the_clean_up_is_always_said():
    assert rendered()["runPolicy"] == {"cleanPodPolicy": "Running", "backoffLimit": 3, "suspend": False}


def test_the_whole_run_policy_is_rendered():
    policy = {
        "clean_pod_policy": "None",
        "backoff_limit": 0,
        "active_deadline_seconds": 60,
        "suspend": True,
        "ttl_seconds_after_finished": 0,
        "scheduling_policy": {
            "min_available": 2,
            "queue": "nightly",
            "min_resources": {"cpu": 4, "ephemeral_storage": "1Gi"},
            "priority_class": "offline-low",
            "schedule_timeout_seconds": 300,
        },
    }
    assert rendered(run_policy=policy)["runPolicy"] == {
        "cleanPodPolicy": "None",
        "backoffLimit": 0,
        "activeDeadlineSeconds": 60,
        "suspend": True,
        "ttlSecondsAfterFinished": 0,
        "schedulingPolicy": {
            "minAvailable": 2,
            "queue": "nightly",
            "minResources": {"cpu": "4", "ephemeral-storage": "1Gi"},
            "priorityClass": "offline-low",
            "scheduleTimeoutSeconds": 300,
        },
    }


def test_no_limit_of_restarts_is_not_rendered():
    assert "backoffLimit" not in rendered(run_policy={"backoff_limit": None})["runPolicy"]


def test_a_run_of_a_schedule_is_deleted_after_the_schedules_own_time():
    assert rendered(schedule="0 2 * * *")["runPolicy"]["ttlSecondsAfterFinished"] == 1800
    said = {"cron": "0 2 * * *", "ttl_seconds_after_finished": 60}
    assert rendered(schedule=said)["runPolicy"]["ttlSecondsAfterFinished"] == 60


def test_rendering_a_job_loads_no_pulumi_so_that_checks_start_fast():
    program = (
        "import sys, components.rendering.tfjob; print([m for m in sys.modules if m.startswith('pulumi')])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
