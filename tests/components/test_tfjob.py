"""How a job is rendered: pure, no engine and no cluster."""

import pytest

from components.rendering.tfjob import tfjob_spec
from infra.models import JobSpec, PoolSpec

POOL = PoolSpec.model_validate(
    {
        "name": "gpu",
        "nodes": ["n1"],
        "labels": {"node-type": "gpu"},
        "taints": [{"key": "gpu", "value": "reserved", "effect": "NoSchedule"}],
        "foreign_taints": [{"key": "other", "value": "x", "effect": "NoExecute"}],
    }
)
MNIST = {
    "name": "mnist",
    "tenant": "vision",
    "priority": "offline-low",
    "image": "registry.example/mnist:1.4",
    "worker": {"replicas": 2, "resources": {"gpus": 1}},
}


def rendered(pool=POOL, script_name=None, claims=None, **change):
    return tfjob_spec(
        JobSpec.model_validate(MNIST | change),
        priority_class="offline-low",
        pool=pool,
        script_name=script_name,
        claims=claims,
    )


def role(spec, name="Worker"):
    return spec["tfReplicaSpecs"][name]


def pod(spec, name="Worker"):
    return role(spec, name)["template"]["spec"]


def container(spec, name="Worker"):
    [found] = pod(spec, name)["containers"]
    return found


def env(spec, name="Worker"):
    return {
        entry["name"]: entry.get("value", entry.get("valueFrom")) for entry in container(spec, name)["env"]
    }


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


def test_the_container_has_the_name_that_the_operator_looks_for():
    assert container(rendered())["name"] == "tensorflow"
    assert container(rendered())["image"] == "registry.example/mnist:1.4"


def test_pods_of_every_role_have_the_priority():
    spec = rendered(chief={}, ps={})
    assert {pod(spec, name)["priorityClassName"] for name in spec["tfReplicaSpecs"]} == {"offline-low"}


def test_gpus_are_limits_since_the_api_server_adds_the_request():
    assert container(rendered())["resources"] == {"limits": {"nvidia.com/gpu": "1"}}


def test_requests_and_limits_are_those_of_the_file():
    worker = {
        "resources": {
            "requests": {"cpu": 0.5, "memory": "1Gi"},
            "limits": {"cpu": 2, "memory": "2Gi"},
            "gpus": 4,
        }
    }
    assert container(rendered(worker=worker))["resources"] == {
        "requests": {"cpu": "500m", "memory": "1Gi"},
        "limits": {"cpu": "2", "memory": "2Gi", "nvidia.com/gpu": "4"},
    }


def test_a_pod_goes_to_its_pool_and_tolerates_its_taints_and_those_of_others():
    assert pod(rendered())["nodeSelector"] == {"colocation.io/pool": "gpu", "node-type": "gpu"}
    assert pod(rendered())["tolerations"] == [
        {"key": "gpu", "operator": "Equal", "value": "reserved", "effect": "NoSchedule"},
        {"key": "other", "operator": "Equal", "value": "x", "effect": "NoExecute"},
    ]


def test_a_job_without_a_pool_goes_anywhere_and_tolerates_nothing():
    spec = pod(rendered(pool=None))
    assert "nodeSelector" not in spec
    assert "tolerations" not in spec


def test_a_pool_without_taints_needs_no_toleration():
    bare = PoolSpec.model_validate({"name": "cpu", "nodes": ["n1"]})
    spec = pod(rendered(pool=bare))
    assert spec["nodeSelector"] == {"colocation.io/pool": "cpu"}
    assert "tolerations" not in spec


def test_roles_without_gpus_stay_off_the_pool_whose_gpus_the_others_use():
    spec = rendered(ps={})
    assert "nodeSelector" in pod(spec, "Worker")
    assert "nodeSelector" not in pod(spec, "PS")
    assert "tolerations" not in pod(spec, "PS")


def test_all_roles_of_a_job_without_gpus_go_to_its_pool():
    spec = rendered(worker={}, ps={})
    assert "nodeSelector" in pod(spec, "Worker")
    assert "nodeSelector" in pod(spec, "PS")


def test_gpus_are_hidden_from_pods_that_ask_none():
    spec = rendered(ps={})
    assert env(spec, "PS")["NVIDIA_VISIBLE_DEVICES"] == "none"
    assert "NVIDIA_VISIBLE_DEVICES" not in env(spec, "Worker")


def test_threads_follow_the_cpu_limit():
    cores = {"resourceFieldRef": {"resource": "limits.cpu"}}
    assert env(rendered())["OMP_NUM_THREADS"] == cores
    assert env(rendered())["TF_NUM_INTRAOP_THREADS"] == cores
    # With one of these, TensorFlow servers wait for each other for ever.
    assert "TF_NUM_INTEROP_THREADS" not in env(rendered())


def test_the_job_may_set_its_environment_over_ours_but_once():
    spec = rendered(env={"HOME": "/data", "EPOCHS": "3"})
    names = [entry["name"] for entry in container(spec)["env"]]
    assert len(names) == len(set(names))
    assert env(spec)["HOME"] == "/data"
    assert env(spec)["EPOCHS"] == "3"
    assert env(rendered())["HOME"] == "/tmp"


@pytest.mark.parametrize("name", ["Chief", "Worker", "PS", "Evaluator"])
def test_every_pod_meets_the_restricted_level(name):
    spec = rendered(chief={}, ps={}, evaluator={})
    outer, inner = pod(spec, name)["securityContext"], container(spec, name)["securityContext"]
    assert outer["runAsNonRoot"] is True
    assert outer["runAsUser"] == outer["runAsGroup"] == outer["fsGroup"] == 1000
    assert outer["seccompProfile"] == {"type": "RuntimeDefault"}
    assert inner == {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}


@pytest.mark.parametrize("name", ["Chief", "PS"])
def test_no_sidecar_enters_any_pod(name):
    metadata = role(rendered(chief={}, ps={}), name)["template"]["metadata"]
    assert metadata["labels"] == {"sidecar.istio.io/inject": "false"}
    assert metadata["annotations"] == {"sidecar.istio.io/inject": "false"}


def test_training_gets_no_access_to_the_api_server():
    assert pod(rendered())["automountServiceAccountToken"] is False


@pytest.mark.parametrize("name", ["Worker", "PS"])
def test_training_is_never_process_1_which_would_not_hear_sigterm(name):
    assert pod(rendered(ps={}), name)["shareProcessNamespace"] is True


def test_restart_policy_stands_where_the_operator_reads_it():
    spec = rendered(worker={"restart_policy": "ExitCode"})
    assert role(spec)["restartPolicy"] == "ExitCode"
    assert "restartPolicy" not in pod(spec)


def test_the_clean_up_is_always_said():
    assert rendered()["runPolicy"] == {"cleanPodPolicy": "Running", "backoffLimit": 3, "suspend": False}


def test_the_whole_run_policy_is_rendered():
    policy = {
        "clean_pod_policy": "None",
        "backoff_limit": 0,
        "active_deadline_seconds": 60,
        "suspend": True,
    }
    assert rendered(run_policy=policy)["runPolicy"] == {
        "cleanPodPolicy": "None",
        "backoffLimit": 0,
        "activeDeadlineSeconds": 60,
        "suspend": True,
    }


def test_no_limit_of_restarts_is_not_rendered():
    assert "backoffLimit" not in rendered(run_policy={"backoff_limit": None})["runPolicy"]


def test_a_script_is_mounted_and_run_by_python():
    spec = rendered(script="train.py", args=["--fast"], script_name="mnist-script-1")
    assert container(spec)["command"] == ["python3", "-u", "/opt/colocation/script/train.py"]
    assert container(spec)["args"] == ["--fast"]
    [volume], [mount] = pod(spec)["volumes"], container(spec)["volumeMounts"]
    assert volume["configMap"] == {"name": "mnist-script-1"}
    assert mount == {"name": volume["name"], "mountPath": "/opt/colocation/script", "readOnly": True}


def test_a_command_is_run_as_given():
    assert container(rendered(command=["a", "b"]))["command"] == ["a", "b"]


def test_without_script_and_command_the_image_decides():
    assert "command" not in container(rendered())
    assert "args" not in container(rendered())
    assert "volumes" not in pod(rendered())
    assert "volumeMounts" not in container(rendered())


def test_volumes_are_mounted_under_the_claim_that_storage_made():
    volumes = [
        {"claim": "data", "mount_path": "/data"},
        {"claim": "data", "mount_path": "/models", "read_only": True},
    ]
    spec = rendered(volumes=volumes, claims={"data": "data-made"})
    assert pod(spec)["volumes"] == [{"name": "data", "persistentVolumeClaim": {"claimName": "data-made"}}]
    assert container(spec)["volumeMounts"] == [
        {"name": "data", "mountPath": "/data", "readOnly": False},
        {"name": "data", "mountPath": "/models", "readOnly": True},
    ]


def test_secrets_of_registries_are_named():
    assert pod(rendered(image_pull_secrets=["a", "b"]))["imagePullSecrets"] == [{"name": "a"}, {"name": "b"}]
    assert "imagePullSecrets" not in pod(rendered())
