"""A key in the wrong place or of another vocabulary is met with what to write instead."""

import pytest

from infra.models import Stack
from infra.unknown_keys import unknown_key

JOB = ("jobs", 0)


def says(*loc):
    """What to write instead."""
    return unknown_key(Stack, loc).removeprefix("is not a known key").removeprefix(" here").removeprefix("; ")


@pytest.mark.parametrize(
    ("key", "instead"),
    [
        ("jobz", "write jobs"),
        ("tenant", "write tenants"),
    ],
)
def test_a_misspelt_section_is_met_with_the_nearest(key, instead):
    assert says(key) == instead


@pytest.mark.parametrize(
    ("key", "instead"),
    [
        ("imagePullPolicy", "write image_pull_policy"),
        ("runPolicy", "write run_policy"),
        ("PS", "write ps"),
        ("wrokers", "write worker"),
        ("topologySpreadConstraints", "write topology_spread"),
        ("serviceAccountName", "write service_account"),
    ],
)
def test_the_spelling_of_kubernetes_is_met_with_ours(key, instead):
    assert says(*JOB, key) == instead


@pytest.mark.parametrize(
    ("key", "place"),
    [
        ("gpus", "worker.resources.gpus"),
        ("gpu", "worker.resources.gpus"),
        ("replicas", "worker.replicas"),
        ("resources", "worker.resources"),
        ("limits", "worker.resources.limits"),
        ("restartPolicy", "worker.restart_policy"),
        ("cleanPodPolicy", "run_policy.clean_pod_policy"),
        ("activeDeadlineSeconds", "run_policy.active_deadline_seconds"),
        ("backoffLimit", "run_policy.backoff_limit"),
        (
            "ttlSecondsAfterFinished",
            "run_policy.ttl_seconds_after_finished or schedule.ttl_seconds_after_finished",
        ),
        ("mountPath", "volumes[].mount_path"),
    ],
)
def test_a_key_that_belongs_deeper_says_where(key, place):
    assert says(*JOB, key) == f"write it as {place}"


@pytest.mark.parametrize(
    ("loc", "place"),
    [
        ((*JOB, "worker", "pool"), "pool of the job"),
        ((*JOB, "worker", "backoffLimit"), "run_policy.backoff_limit of the job"),
        ((*JOB, "worker", "resources", "requests", "gpus"), "worker.resources.gpus of the job"),
        ((*JOB, "worker", "gpus"), "resources.gpus"),
        (("pools", 0, "taints", 0, "labels"), "labels of the pool"),
        (("training_operator", "resources", "limits", "source"), "training_operator.source"),
    ],
)
def test_a_key_that_belongs_further_out_says_of_what(loc, place):
    assert says(*loc) == f"write it as {place}"


@pytest.mark.parametrize(
    ("loc", "instead"),
    [
        ((*JOB, "namespace"), "it follows from the tenant; write tenant: <name>"),
        (("tenants", 0, "namespace"), "a tenant's name is its namespace; write name"),
        ((*JOB, "priorityClassName"), "write priority: <name>"),
        ((*JOB, "master"), "the operator's old name of the chief; write chief"),
        (
            (*JOB, "worker", "resources", "requests", "nvidia.com/gpu"),
            "write gpus: <number> beside requests and limits",
        ),
    ],
)
def test_what_has_another_name_here_says_it(loc, instead):
    assert says(*loc) == instead


@pytest.mark.parametrize("loc", [(*JOB, "colour"), ("training_operator", "replicas"), ("name",)])
def test_a_key_like_no_other_gets_all_that_are_known_there(loc):
    assert says(*loc).startswith("known here: ")


def test_the_same_word_in_another_section_is_no_help():
    assert "nodes" not in says(*JOB, "selector")
    assert says("pools", 0, "replicas").startswith("known here: ")
