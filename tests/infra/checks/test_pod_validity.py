"""Pods that the API server refuses, wherever the overrides stand."""

import pytest

from tests.infra.checks.jobs import found

LOGS = {"name": "logs", "image": "registry.example/logs:1"}


def training(**fields):
    return {"containers": [{"name": "tensorflow", **fields}]}


@pytest.mark.parametrize(
    ("overrides", "code"),
    [
        (training(image=None), "pod-refused"),
        (training(image="Registry/X Y"), "pod-refused"),
        (training(volumeMounts=[{"name": "none", "mountPath": "/x"}]), "pod-refused"),
        (training(env=[{"name": "A", "value": "1", "valueFrom": {"fieldRef": {}}}]), "pod-refused"),
        (training(ports=[{"name": "a_b", "containerPort": 1}]), "pod-refused"),
        (
            training(ports=[{"name": "a", "containerPort": 1}, {"name": "a", "containerPort": 2}]),
            "pod-refused",
        ),
        (training(livenessProbe={"periodSeconds": 3}), "pod-refused"),
        ({"initContainers": [{"name": "fetch"}]}, "pod-refused"),
        ({"initContainers": [LOGS | {"name": "tensorflow"}]}, "pod-refused"),
        ({"activeDeadlineSeconds": 0}, "pod-refused"),
        ({"volumes": [{"name": "v", "emptyDir": {}, "hostPath": {"path": "/x"}}]}, "pod-refused"),
        (
            {
                "affinity": {
                    "nodeAffinity": {
                        "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": []}
                    }
                }
            },
            "pod-refused",
        ),
        (training(imagePullPolicy="always"), "override-of-unknown-value"),
        ({"dnsPolicy": "Foo"}, "override-of-unknown-value"),
        ({"tolerations": [{"key": "a", "operator": "Exist"}]}, "override-of-unknown-value"),
        (training(ports=[{"containerPort": 80}]), "port-without-name"),
        (training(ports=[{"name": "mine", "containerPort": 2222}]), "port-of-the-operator"),
        (training(resources={"limits": {"gpu": 1}}), "bad-amount"),
        (training(resources={"limits": {"hugepages-2Mi": "3Mi"}}), "bad-amount"),
        (training(env=[{"name": "DB_PASSWORD", "value": "x"}]), "secret-in-plain-text"),
        (training(env=[{"name": "COLOCATION_X", "value": "x"}]), "variable-reserved"),
        (training(image="evil.example/x:latest"), "image-without-version"),
        ({"containers": [LOGS]}, "container-keeps-pod-alive"),
        ({"containers": [LOGS, LOGS]}, "container-name-twice"),
        ({"containers": None}, "training-container-lost"),
        ({"tolerations": [{"operator": "Exists", "value": "x"}]}, "exists-with-value"),
        ({"nodeSelector": {"no-such": "x"}}, "unknown-node-label"),
        ({"terminationGracePeriodSeconds": 0}, "no-time-for-a-checkpoint"),
    ],
)
def test_overrides_of_a_job_and_of_a_role_are_looked_at_alike(overrides, code):
    at_job = {c: place for _, c, place in found(pod_overrides=overrides)}
    at_role = {
        c: place for _, c, place in found(worker={"resources": {"gpus": 1}, "pod_overrides": overrides})
    }
    assert code in at_job
    assert code in at_role
    assert at_role[code] == ("worker", *at_job[code])


def test_a_gpu_by_a_name_of_its_own_is_told_its_right_one():
    from tests.infra.checks.jobs import examined

    overrides = training(resources={"limits": {"gpu": 1}})
    [sentence] = [
        f"{f.message}; {f.remedy}" for f in examined(pod_overrides=overrides) if f.code == "bad-amount"
    ]
    assert sentence == "gpu is no resource of Kubernetes; write nvidia.com/gpu"


@pytest.mark.parametrize(
    "overrides",
    [
        training(env=[{"name": "OMP_NUM_THREADS", "value": "4"}]),
        training(env=[{"name": "HOME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}]),
        training(resources={"requests": {"hugepages-2Mi": "4Mi"}, "limits": {"hugepages-2Mi": "4Mi"}}),
        training(livenessProbe={"exec": {"command": ["true"]}}),
    ],
)
def test_what_the_api_server_takes_passes(overrides):
    assert found(pod_overrides=overrides) == []


def test_a_deadline_that_every_role_keeps_by_itself_is_watched():
    kept = {"pod_overrides": {"activeDeadlineSeconds": 60}}
    policy = {"active_deadline_seconds": 60}
    codes = [code for _, code, _ in found(worker=kept, ps={}, run_policy=policy)]
    assert "deadline-not-watched" in codes
    codes = [code for _, code, _ in found(worker=kept, ps=kept, run_policy=policy)]
    assert "deadline-not-watched" not in codes
