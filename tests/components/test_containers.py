"""The training container, and those beside it."""

import pytest

from tests.components.jobs import container, env, pod, rendered

BESIDE = {
    "name": "ship",
    "image": "tools:2",
    "command": ["ship"],
    "args": ["--all"],
    "env": {"TO": "s3"},
    "env_value_from": {"KEY": {"secret": "s3", "key": "token"}},
    "ports": [{"name": "health", "port": 8080}],
    "resources": {"requests": {"cpu": "50m"}, "limits": {"memory": "64Mi"}},
}


def beside(**change):
    [found] = pod(rendered(**change))["initContainers"]
    return found


def test_the_container_has_the_name_that_the_operator_looks_for():
    assert container(rendered())["name"] == "tensorflow"
    assert container(rendered())["image"] == "registry.example/mnist:1.4"


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


def test_gpus_are_hidden_from_containers_that_ask_none():
    spec = rendered(ps={}, sidecars=[BESIDE, {**BESIDE, "name": "gpu", "resources": {"gpus": 1}}])
    assert env(container(spec, "PS"))["NVIDIA_VISIBLE_DEVICES"] == "none"
    assert "NVIDIA_VISIBLE_DEVICES" not in env(container(spec, "Worker"))
    ship, gpu = pod(spec)["initContainers"]
    assert env(ship)["NVIDIA_VISIBLE_DEVICES"] == "none"
    assert "NVIDIA_VISIBLE_DEVICES" not in env(gpu)


def test_threads_follow_the_cpu_limit():
    cores = {"resourceFieldRef": {"resource": "limits.cpu"}}
    variables = env(container(rendered()))
    assert variables["OMP_NUM_THREADS"] == cores
    assert variables["TF_NUM_INTRAOP_THREADS"] == cores
    # With one of these, TensorFlow servers wait for each other for ever.
    assert "TF_NUM_INTEROP_THREADS" not in variables


def test_the_job_may_set_its_environment_over_ours_but_once():
    variables = env(container(rendered(env={"HOME": "/data", "EPOCHS": "3"})))
    assert variables["HOME"] == "/data"
    assert variables["EPOCHS"] == "3"
    assert env(container(rendered()))["HOME"] == "/tmp"


def test_a_roles_environment_is_beside_the_jobs_and_wins():
    job = {"env": {"A": "job", "B": "job"}, "env_value_from": {"C": {"field": "spec.nodeName"}}}
    spec = rendered(**job, worker={"env": {"A": "role", "C": "role"}}, ps={})
    assert {name: env(container(spec))[name] for name in "ABC"} == {"A": "role", "B": "job", "C": "role"}
    assert env(container(spec, "PS"))["A"] == "job"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ({"secret": "s", "key": "k"}, {"secretKeyRef": {"name": "s", "key": "k"}}),
        (
            {"config_map": "c", "key": "k", "optional": True},
            {"configMapKeyRef": {"name": "c", "key": "k", "optional": True}},
        ),
        ({"field": "status.hostIP"}, {"fieldRef": {"fieldPath": "status.hostIP"}}),
        ({"resource": "limits.memory"}, {"resourceFieldRef": {"resource": "limits.memory"}}),
    ],
)
def test_a_value_may_stand_elsewhere(source, expected):
    assert env(container(rendered(env_value_from={"X": source})))["X"] == expected


def test_whole_secrets_and_config_maps_become_variables():
    sources = [{"secret": "s"}, {"config_map": "c", "prefix": "C_", "optional": True}]
    assert container(rendered(env_from=sources))["envFrom"] == [
        {"secretRef": {"name": "s"}},
        {"prefix": "C_", "configMapRef": {"name": "c", "optional": True}},
    ]
    assert "envFrom" not in container(rendered())


def test_every_container_knows_where_the_checkpoints_are():
    spec = rendered(checkpoint_path="/data/mnist", sidecars=[BESIDE])
    for found in (container(spec), *pod(spec)["initContainers"]):
        assert env(found)["COLOCATION_CHECKPOINT_PATH"] == "/data/mnist"
    assert "COLOCATION_CHECKPOINT_PATH" not in env(container(rendered()))


def test_tf_config_is_left_to_the_operator():
    assert "TF_CONFIG" not in env(container(rendered(ps={})))


def test_ports_are_those_of_the_job_and_the_metrics():
    spec = rendered(ports=[{"name": "debug", "port": 5678}], metrics_port=9100)
    assert container(spec)["ports"] == [
        {"name": "debug", "containerPort": 5678, "protocol": "TCP"},
        {"name": "metrics", "containerPort": 9100, "protocol": "TCP"},
    ]


def test_the_training_alone_is_told_where_to_serve_its_metrics():
    spec = rendered(metrics_port=9100, sidecars=[BESIDE])
    assert env(container(spec))["COLOCATION_METRICS_PORT"] == "9100"
    assert "COLOCATION_METRICS_PORT" not in env(pod(spec)["initContainers"][0])
    assert "COLOCATION_METRICS_PORT" not in env(container(rendered()))


def test_the_operators_own_port_is_left_to_the_operator():
    assert "ports" not in container(rendered())


def test_a_script_is_run_by_python():
    spec = rendered(script="train.py", args=["--fast"], script_name="mnist-script-1")
    assert container(spec)["command"] == ["python3", "-u", "/opt/colocation/script/train.py"]
    assert container(spec)["args"] == ["--fast"]


def test_a_command_is_run_as_given():
    assert container(rendered(command=["a", "b"]))["command"] == ["a", "b"]


def test_without_script_and_command_the_image_decides():
    assert "command" not in container(rendered())
    assert "args" not in container(rendered())


def test_a_roles_command_does_not_get_the_jobs_arguments():
    spec = rendered(script="train.py", args=["--fast"], ps={"command": ["serve"]})
    assert container(spec, "PS")["command"] == ["serve"]
    assert "args" not in container(spec, "PS")
    assert container(spec)["args"] == ["--fast"]


def test_a_roles_arguments_go_to_the_jobs_script():
    spec = rendered(script="train.py", args=["--fast"], ps={"args": ["--serve"]})
    assert container(spec, "PS")["command"] == container(spec)["command"]
    assert container(spec, "PS")["args"] == ["--serve"]


def test_a_role_may_have_an_image_of_its_own():
    spec = rendered(ps={"image": "ps:1"})
    assert container(spec, "PS")["image"] == "ps:1"
    assert container(spec)["image"] == "registry.example/mnist:1.4"


def test_images_of_all_containers_are_pulled_as_the_job_says():
    spec = rendered(image_pull_policy="Always", sidecars=[BESIDE])
    assert [c["imagePullPolicy"] for c in (container(spec), *pod(spec)["initContainers"])] == ["Always"] * 2
    assert "imagePullPolicy" not in container(rendered())


@pytest.mark.parametrize("kind", ["init_containers", "sidecars"])
def test_a_container_beside_is_rendered_whole(kind):
    found = beside(**{kind: [BESIDE]})
    assert (found["name"], found["image"]) == ("ship", "tools:2")
    assert (found["command"], found["args"]) == (["ship"], ["--all"])
    assert found["ports"] == [{"name": "health", "containerPort": 8080, "protocol": "TCP"}]
    assert found["resources"] == {"requests": {"cpu": "50m"}, "limits": {"memory": "64Mi"}}
    assert env(found)["TO"] == "s3"
    assert env(found)["KEY"] == {"secretKeyRef": {"name": "s3", "key": "token"}}


@pytest.mark.parametrize("kind", ["init_containers", "sidecars"])
def test_a_container_beside_has_the_jobs_volumes_but_not_its_script(kind):
    spec = rendered(volumes=[{"claim": "data", "mount_path": "/data"}], script="train.py", **{kind: [BESIDE]})
    [found] = pod(spec)["initContainers"]
    assert found["volumeMounts"] == [{"name": "data", "mountPath": "/data", "readOnly": False}]
    assert len(container(spec)["volumeMounts"]) == 2
