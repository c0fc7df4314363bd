"""What a training job may say."""

import pytest
from pydantic import ValidationError


def test_a_job_of_one_worker_needs_little(job):
    small = job(worker={})
    assert [role for role, _ in small.roles()] == ["worker"]
    assert small.worker.replicas == 1
    assert small.run_policy.clean_pod_policy == "Running"
    assert not small.distributed


def test_more_than_one_pod_is_distributed(job):
    assert job(worker={"replicas": 2}).distributed
    assert job(chief={}, worker={}).distributed


def test_a_preempted_pod_starts_again_unless_said_otherwise(job):
    assert job().worker.restart_policy == "OnFailure"
    assert job().run_policy.backoff_limit == 3
    assert job(run_policy={"backoff_limit": None}).run_policy.backoff_limit is None


def test_a_job_runs_unless_it_is_said_to_wait(job):
    assert job().run_policy.suspend is False


def test_a_script_or_a_command_alone_is_fine(job):
    assert job(script="train.py", args=["--fast"]).script == "train.py"
    assert job(command=["python3"]).command == ("python3",)


def test_a_job_does_not_change(job):
    with pytest.raises(ValidationError, match="frozen"):
        job().image = "other:1"


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"worker": None, "ps": {}}, "would never end; give one of them"),
        ({"chief": {"replicas": 2}}, "2 chiefs, and only one leads"),
        ({"script": "a.py", "command": ["b"]}, "both script and command"),
        ({"env": {"1A": "x"}}, "not a valid name"),
        ({"env": {"A": 1}}, "valid string"),
        ({"script": "../a.py"}, "is not a script"),
        ({"script": "a.sh"}, "is not a script"),
        ({"script": ".py"}, "is not a script"),
        ({"script": "my train.py"}, "is not a script"),
        ({"worker": {"replicas": 0}}, "greater than or equal to 1"),
        ({"worker": {"replicas": "2"}}, "valid integer"),
        ({"worker": {"replicas": True}}, "valid integer"),
        ({"worker": {"restart_policy": "onFailure"}}, "'OnFailure'"),
        ({"run_policy": {"clean_pod_policy": "running"}}, "'Running'"),
        ({"run_policy": {"backoff_limit": -1}}, "greater than or equal to 0"),
        ({"run_policy": {"suspend": "yes"}}, "valid boolean"),
        ({"workers": {}}, "workers"),
        ({"priority": None}, "priority"),
    ],
)
def test_a_bad_job_is_refused_with_the_reason(job, change, complaint):
    with pytest.raises(ValidationError, match=complaint):
        job(**change)


def test_two_volumes_do_not_share_a_path(job):
    apart = [{"claim": "a", "mount_path": "/a"}, {"claim": "a", "mount_path": "/b"}]
    assert len(job(volumes=apart).volumes) == 2
    with pytest.raises(ValidationError, match="/a is mounted already"):
        job(volumes=[apart[0], {"claim": "b", "mount_path": "/a/"}])


def test_a_secret_of_a_registry_is_listed_once(job):
    assert job(image_pull_secrets=["a", "b"]).image_pull_secrets == ("a", "b")
    with pytest.raises(ValidationError, match="a is listed already; list it once"):
        job(image_pull_secrets=["a", "a"])


def test_pods_are_spread_over_one_thing_in_one_way_once(job):
    wish, must = {}, {"when_unsatisfiable": "DoNotSchedule"}
    assert len(job(topology_spread=[wish, must]).topology_spread) == 2
    with pytest.raises(ValidationError, match="hostname is spread over already"):
        job(topology_spread=[wish, must, wish])


@pytest.mark.parametrize(
    ("operator", "values", "complaint"),
    [
        ("In", [], "compares with values, and none is given"),
        ("NotIn", [], "compares with values, and none is given"),
        ("Exists", ["a"], "looks at the key alone"),
        ("DoesNotExist", ["a"], "looks at the key alone"),
        ("Gt", [], "compares with one whole number"),
        ("Lt", ["1", "2"], "compares with one whole number"),
        ("Gt", ["ssd"], "compares with one whole number"),
    ],
)
def test_a_node_label_is_compared_with_what_the_operator_can_compare(job, operator, values, complaint):
    term = {"key": "disk", "operator": operator, "values": values}
    with pytest.raises(ValidationError, match=complaint):
        job(affinity={"node_affinity": [term]})


@pytest.mark.parametrize("field", ["metadata.uid", "metadata.labels['example.com/team']", "status.podIPs"])
def test_a_variable_may_be_a_field_of_the_pod(job, field):
    assert job(env_value_from={"X": {"field": field}}).env_value_from["X"].field == field


@pytest.mark.parametrize(
    "source",
    [
        {"field": "metadata.nam"},
        {"field": "metadata.labels"},
        {"field": "metadata.labels['-x']"},
        {"field": "status"},
        {"resource": "limits.gpus"},
        {"resource": "cpu"},
        {"secret": "s3", "key": "..token"},
        {"config_map": "modes", "key": "."},
    ],
)
def test_a_variable_of_nothing_that_pods_are_told_is_refused(job, source):
    with pytest.raises(ValidationError, match=r"not a valid name here|Input should be 'limits"):
        job(env_value_from={"X": source})


def test_every_fault_of_a_job_is_named_at_once(job):
    with pytest.raises(ValidationError) as caught:
        job(worker=None, script="a.py", command=["b"], chief={"replicas": 2})
    assert len(caught.value.errors()[0]["ctx"]["faults"]) == 2


def test_annotations_have_room_for_255_kibibytes_in_all(job):
    job(annotations={"a": "x" * 100_000, "b": "x" * 100_000})
    with pytest.raises(ValidationError, match="bytes in all, and an object has room for"):
        job(annotations={"a": "x" * 150_000, "b": "é" * 75_000})
