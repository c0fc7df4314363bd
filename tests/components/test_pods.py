"""The pods of a job: who they are, what they may do, and what runs beside the training."""

import pytest

from tests.components.jobs import container, metadata, pod, rendered

ISTIO = "sidecar.istio.io/inject"
FETCH = {"name": "fetch", "image": "tools:1"}
SHIP = {"name": "ship", "image": "tools:2"}


def test_pods_of_every_role_have_the_priority():
    spec = rendered(chief={}, ps={})
    assert {pod(spec, name)["priorityClassName"] for name in spec["tfReplicaSpecs"]} == {"offline-low"}


@pytest.mark.parametrize("name", ["Chief", "Worker", "PS", "Evaluator"])
def test_every_pod_meets_the_restricted_level(name):
    spec = rendered(chief={}, ps={}, evaluator={}, init_containers=[FETCH], sidecars=[SHIP])
    outer = pod(spec, name)["securityContext"]
    assert outer["runAsNonRoot"] is True
    assert outer["runAsUser"] == outer["runAsGroup"] == outer["fsGroup"] == 1000
    assert outer["seccompProfile"] == {"type": "RuntimeDefault"}
    for inner in pod(spec, name)["containers"] + pod(spec, name)["initContainers"]:
        assert inner["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
        }


def test_a_job_may_run_as_its_image_says_but_keeps_no_capability():
    security = {"run_as_non_root": False, "run_as_user": None, "run_as_group": None, "fs_group": None}
    spec = rendered(security=security)
    assert pod(spec)["securityContext"] == {
        "runAsNonRoot": False,
        "seccompProfile": {"type": "RuntimeDefault"},
    }
    assert container(spec)["securityContext"]["capabilities"] == {"drop": ["ALL"]}


def test_a_job_may_run_as_root():
    spec = rendered(security={"run_as_non_root": False, "run_as_user": 0})
    assert pod(spec)["securityContext"]["runAsUser"] == 0


def test_no_container_writes_to_its_root_where_that_is_read_only():
    spec = rendered(security={"read_only_root_filesystem": True}, sidecars=[SHIP])
    for found in (container(spec), *pod(spec)["initContainers"]):
        assert found["securityContext"]["readOnlyRootFilesystem"] is True


@pytest.mark.parametrize("name", ["Chief", "PS"])
def test_no_sidecar_of_istio_enters_any_pod(name):
    assert metadata(rendered(chief={}, ps={}), name) == {
        "labels": {ISTIO: "false"},
        "annotations": {ISTIO: "false"},
    }


def test_a_job_cannot_let_istios_sidecar_in():
    found = metadata(rendered(labels={ISTIO: "true"}, annotations={ISTIO: "true"}))
    assert found["labels"][ISTIO] == found["annotations"][ISTIO] == "false"


def test_labels_and_annotations_of_a_job_are_on_its_pods():
    found = metadata(rendered(labels={"team": "ranking"}, annotations={"wiki": "x"}, ps={}), "PS")
    assert found["labels"]["team"] == "ranking"
    assert found["annotations"]["wiki"] == "x"


def test_pods_of_a_schedule_say_which_job_they_are_of_whatever_their_run_is_called():
    assert metadata(rendered(schedule="@daily"))["labels"]["colocation.io/job"] == "mnist"
    assert "colocation.io/job" not in metadata(rendered())["labels"]


def test_training_gets_no_access_to_the_api_server_unless_it_has_an_account():
    assert pod(rendered())["automountServiceAccountToken"] is False
    assert "serviceAccountName" not in pod(rendered())
    trusted = pod(rendered(service_account="trainer"))
    assert trusted["serviceAccountName"] == "trainer"
    assert trusted["automountServiceAccountToken"] is True


@pytest.mark.parametrize("name", ["Worker", "PS"])
def test_training_is_never_process_1_which_would_not_hear_sigterm(name):
    assert pod(rendered(ps={}), name)["shareProcessNamespace"] is True


def test_the_grace_period_is_said_where_it_is_not_kubernetes_own():
    assert "terminationGracePeriodSeconds" not in pod(rendered())
    assert pod(rendered(termination_grace_period_seconds=0))["terminationGracePeriodSeconds"] == 0
    assert pod(rendered(termination_grace_period_seconds=120))["terminationGracePeriodSeconds"] == 120


def test_secrets_of_registries_are_named():
    assert pod(rendered(image_pull_secrets=["a", "b"]))["imagePullSecrets"] == [{"name": "a"}, {"name": "b"}]
    assert "imagePullSecrets" not in pod(rendered())


def test_what_runs_first_ends_before_the_sidecars_start():
    containers = pod(rendered(sidecars=[SHIP], init_containers=[FETCH]))["initContainers"]
    assert [(found["name"], found.get("restartPolicy")) for found in containers] == [
        ("fetch", None),
        ("ship", "Always"),
    ]


def test_the_containers_of_a_pod_are_the_training_alone():
    spec = rendered(sidecars=[SHIP], init_containers=[FETCH])
    assert [found["name"] for found in pod(spec)["containers"]] == ["tensorflow"]
    assert "initContainers" not in pod(rendered())


def test_the_last_word_on_a_pod_is_the_jobs_own():
    overrides = {"dnsPolicy": "Default", "containers": [{"name": "tensorflow", "tty": True}]}
    for name in ("Worker", "PS"):
        spec = rendered(ps={}, pod_overrides=overrides)
        assert pod(spec, name)["dnsPolicy"] == "Default"
        assert container(spec, name)["tty"] is True
        assert container(spec, name)["image"] == "registry.example/mnist:1.4"
