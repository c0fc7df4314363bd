"""An entry renders to what its manifest comes to, but for what a stack does by intent."""

import pytest
import yaml

from infra.importing import imported, manifests_of
from tests.infra.importing.effect import effect, rendered
from tests.infra.importing.manifests import entry, faults, found, manifest, pod, with_container, with_pod

CLAIM = {"name": "data", "persistentVolumeClaim": {"claimName": "train-data"}}
MOUNT = {"name": "data", "mountPath": "/data"}
LOGS = {"name": "logs", "image": "registry.example/logs:1", "args": ["-f"]}


def differing_roles():
    """Servers that say less than workers, as most do."""
    job = manifest(("Chief", "Worker", "PS"), runPolicy={"cleanPodPolicy": "All", "backoffLimit": 2})
    worker, server = pod(job, "Worker"), pod(job, "PS")
    worker |= {"nodeSelector": {"node-type": "gpu"}, "tolerations": [{"key": "gpu", "operator": "Exists"}]}
    worker |= {"volumes": [CLAIM]}
    worker["containers"][0] |= {
        "volumeMounts": [MOUNT],
        "image": "registry.example/mnist:1.4-gpu",
        "command": ["python", "train.py"],
        "env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}],
        "resources": {"limits": {"nvidia.com/gpu": 1}},
    }
    pod(job, "Chief")["containers"][0]["env"] = [{"name": "A", "value": "1"}]
    server["containers"][0] |= {"args": ["--ps"], "env": [{"name": "A", "value": "1"}]}
    server["securityContext"] = {"runAsUser": 2000}
    return job


def sidecar_with_less():
    job = with_pod(volumes=[CLAIM])
    pod(job)["containers"][0]["volumeMounts"] = [MOUNT]
    pod(job)["containers"].append(LOGS | {"workingDir": "/x", "imagePullPolicy": "Always"})
    return job


def term(key):
    return {"matchExpressions": [{"key": key, "operator": "In", "values": ["a"]}]}


REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
SECRET = {"name": "TOKEN", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}
POD_IP = {"name": "IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}
CORES = {"valueFrom": {"resourceFieldRef": {"resource": "limits.cpu", "divisor": "1m"}}}
SHAPES = {
    "small": manifest(),
    "roles that differ": differing_roles(),
    "a master": manifest(("Master", "Worker")),
    "a sidecar with less": sidecar_with_less(),
    "a sidecar alike": with_pod(containers=[*pod(manifest())["containers"], LOGS]),
    "an init container": with_pod(initContainers=[LOGS | {"name": "fetch"}]),
    "a sidecar that an init container counts on": with_pod(
        initContainers=[LOGS | {"restartPolicy": "Always"}, LOGS | {"name": "fetch"}]
    ),
    "variables": with_container(
        env=[SECRET, POD_IP, {"name": "E"}, {"name": "a.b", "value": "c"}],
        envFrom=[{"secretRef": {"name": "s"}}, {"prefix": "P_", "configMapRef": {"name": "c"}}],
    ),
    "variables of variables": with_container(env=[POD_IP, {"name": "URL", "value": "http://$(IP)"}]),
    "variables of a stack with other values": with_container(
        env=[POD_IP, {"name": "OMP_NUM_THREADS", "value": "4"}, {"name": "URL", "value": "http://$(IP)"}]
    ),
    "variables of a stack from elsewhere": with_container(
        env=[{"name": "HOME", **CORES}, {"name": "TF_NUM_INTRAOP_THREADS", **CORES}]
    ),
    "volumes": with_pod(
        volumes=[
            CLAIM,
            {"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": "1Gi"}},
            {"name": "conf", "configMap": {"name": "conf"}},
            {"name": "keys", "secret": {"secretName": "keys", "defaultMode": 256}},
            {"name": "host", "hostPath": {"path": "/opt"}},
            {"name": "idle", "emptyDir": {}},
        ],
        containers=[
            pod(manifest())["containers"][0]
            | {
                "volumeMounts": [
                    MOUNT | {"readOnly": True, "subPath": "x"},
                    {"name": "shm", "mountPath": "/dev/shm"},
                    {"name": "conf", "mountPath": "/etc/conf/"},
                    {"name": "keys", "mountPath": "/keys"},
                    {"name": "host", "mountPath": "/opt"},
                ]
            }
        ],
    ),
    "placement": with_pod(
        nodeSelector={"a": "b"},
        tolerations=[{"key": "k", "operator": "Equal", "value": "v", "effect": "NoSchedule"}],
        affinity={
            "nodeAffinity": {
                REQUIRED: {"nodeSelectorTerms": [term("x")]},
                PREFERRED: [{"weight": 5, "preference": term("y")}],
            },
            "podAntiAffinity": {
                REQUIRED: [{"labelSelector": {"matchLabels": {"a": "b"}}, "topologyKey": "zone"}]
            },
        },
        topologySpreadConstraints=[
            {
                "maxSkew": 1,
                "topologyKey": "zone",
                "whenUnsatisfiable": "DoNotSchedule",
                "labelSelector": {"matchLabels": {"training.kubeflow.org/job-name": "mnist"}},
            }
        ],
    ),
    "affinity of alternatives": with_pod(
        affinity={"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [term("x"), term("y")]}}}
    ),
    "users": with_pod(securityContext={"runAsNonRoot": True, "runAsUser": 7, "fsGroup": 8}),
    "privileges": with_container(
        securityContext={"runAsUser": 0, "capabilities": {"add": ["SYS_PTRACE"]}, "privileged": True}
    ),
    "an account": with_pod(serviceAccountName="trainer"),
    "an account without a token": with_pod(serviceAccount="x", automountServiceAccountToken=False),
    "fields without a name": with_pod(
        schedulerName="volcano", hostNetwork=True, dnsPolicy="Default", terminationGracePeriodSeconds=90
    ),
    "processes of the node": with_pod(hostPID=True),
    "a privileged container before": with_pod(
        initContainers=[LOGS | {"securityContext": {"privileged": True}}]
    ),
    "a privileged sidecar": with_pod(
        containers=[*pod(manifest())["containers"], LOGS | {"securityContext": {"privileged": True}}]
    ),
    "a toleration that ends at once": with_pod(
        tolerations=[{"key": "k", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": -1}]
    ),
    "fields of the container": with_container(
        workingDir="/work",
        tty=True,
        imagePullPolicy="Always",
        lifecycle={"preStop": {"sleep": {"seconds": 5}}},
    ),
    "other devices": with_container(
        resources={"limits": {"example.com/fpga": 1, "cpu": "1"}, "requests": {"cpu": "500m"}}
    ),
    "ports": with_container(
        ports=[{"name": "tfjob-port", "containerPort": 2222}, {"name": "tb", "containerPort": 6006}]
    ),
    "policies": manifest(
        runPolicy={
            "cleanPodPolicy": "All",
            "suspend": True,
            "activeDeadlineSeconds": 60,
            "managedBy": "kubeflow.org/training-operator",
            "schedulingPolicy": {"minAvailable": 2, "queue": "q", "minResources": {"cpu": "4"}},
        },
        successPolicy="AllWorkers",
        enableDynamicWorker=True,
    ),
}


@pytest.mark.parametrize("job", SHAPES.values(), ids=SHAPES)
def test_what_is_rendered_has_the_effect_of_the_manifest(job):
    assert effect(rendered(entry(job))) == effect(job)


def test_no_two_shapes_have_the_same_effect():
    effects = [effect(job) for job in SHAPES.values()]
    assert [one for i, one in enumerate(effects) if one in effects[:i]] == []


@pytest.mark.parametrize("job", SHAPES.values(), ids=SHAPES)
def test_what_is_rendered_can_be_imported_again_without_a_change(job):
    once = entry(job)
    again = entry(rendered(once))
    assert effect(rendered(again)) == effect(rendered(once))


def test_what_roles_share_is_said_once_and_what_differs_stays_with_the_role():
    said = entry(differing_roles())
    assert said["env"] == {"A": "1"}
    assert said["worker"]["env"] == {"B": "2"}
    assert said["worker"]["image"] == "registry.example/mnist:1.4-gpu"
    assert said["worker"]["pod_overrides"]["nodeSelector"] == {"node-type": "gpu"}
    assert "pod_overrides" not in said["chief"]
    assert "pod_overrides" not in said


def test_labels_of_all_roles_are_the_jobs_and_those_of_one_are_left_out_with_a_warning():
    job = manifest(("Chief", "Worker"))
    for role in ("Chief", "Worker"):
        job["spec"]["tfReplicaSpecs"][role]["template"]["metadata"] = {"labels": {"team": "a", role: "x"}}
    job["metadata"]["annotations"] = {"kubectl.kubernetes.io/last-applied-configuration": "{}"}
    assert entry(job)["labels"] == {"team": "a"}
    assert "annotations" not in entry(job)
    assert found(job, "warning") == ["mark-left-out", "mark-left-out"]


def test_a_role_without_a_priority_class_beside_one_that_has_one_is_warned_of():
    job = manifest(("Chief", "Worker"))
    assert found(job, "warning") == []
    pod(job, "Chief")["priorityClassName"] = "high"
    del pod(job, "Worker")["priorityClassName"]
    assert entry(job)["priority"] == "high"
    assert found(job, "warning") == ["priority-of-another-role"]


def test_processes_of_the_node_and_of_the_pod_together_stay_refused():
    assert found(with_pod(hostPID=True, shareProcessNamespace=True)) == ["pod-contradicts-itself"]


def test_labels_of_the_job_alone_are_said_to_reach_its_pods():
    job = manifest(("Chief", "Worker"))
    job["metadata"]["labels"] = {"team": "a"}
    assert "mark-on-pods" in found(job, "advice")
    for role in ("Chief", "Worker"):
        job["spec"]["tfReplicaSpecs"][role]["template"]["metadata"]["labels"] = {"team": "a"}
    assert "mark-on-pods" not in found(job, "advice")


@pytest.mark.parametrize(
    ("job", "what"),
    [
        (manifest(), "enableServiceLinks"),
        (manifest(), "seccomp"),
        (manifest(), "NVIDIA_VISIBLE_DEVICES=none"),
        (with_pod(securityContext={"fsGroup": 8}), "fsGroupChangePolicy"),
    ],
)
def test_what_a_stack_does_by_intent_is_said_unless_the_manifest_says_it(job, what):
    def hardened(job):
        [said] = [f.message for f in imported(job).findings if f.code == "hardened"] or [""]
        return said

    assert what in hardened(job)
    assert what not in hardened(rendered(entry(job)))


MNIST_ON_CPU = """
apiVersion: kubeflow.org/v1
kind: TFJob
metadata: {name: tf-mnist-cpu, namespace: kubeflow}
spec:
  runPolicy: {cleanPodPolicy: Running, ttlSecondsAfterFinished: 1800}
  tfReplicaSpecs:
    Worker:
      replicas: 1
      template:
        spec:
          containers:
            - name: tensorflow
              image: tensorflow/tensorflow:2.9.1
              command: [python, -c, "import tensorflow as tf"]
              resources: {requests: {cpu: 1, memory: 2Gi}, limits: {cpu: 2, memory: 4Gi}}
"""


def test_a_plain_job_comes_through_with_the_remarks_that_it_earns():
    job = yaml.safe_load(MNIST_ON_CPU)
    assert found(job, "fault", "warning") == []
    assert sorted(found(job, "advice")) == [
        "hardened",
        "may-be-root",
        "no-checkpoint-path",
        "no-priority",
        "no-tf-config",
        "restart-policy-unset",
        "ttl-trains-again",
    ]
    assert effect(rendered(entry(job))) == effect(job)


def test_every_example_of_the_operator_comes_through(operator_module):
    jobs = [
        (file, found)
        for file in sorted((operator_module / "examples" / "tensorflow").rglob("*.yaml"))
        for found in manifests_of(file).manifests
    ]
    assert len(jobs) >= 4
    for file, example in jobs:
        result = imported(example.data)
        assert result.entry is not None, (file, result.findings)
        assert effect(rendered(result.entry)) == effect(example.data), file


def test_examples_that_hold_no_job_are_refused(operator_module):
    for file in (operator_module / "examples" / "tensorflow").rglob("*pv*.yaml"):
        assert {f.code for f in manifests_of(file).findings} == {"not-a-tfjob"}


def sdk_job(**policy):
    """The shape that the Python SDK sends, with its nulls left in."""
    job = manifest(("Worker", "Chief", "PS"), runPolicy={"cleanPodPolicy": "None", **policy})
    for replica in job["spec"]["tfReplicaSpecs"].values():
        replica["restartPolicy"] = "Never"
        replica["template"]["spec"]["volumes"] = None
    return job | {"status": None}


@pytest.mark.parametrize(
    "job", [sdk_job(), sdk_job(schedulingPolicy={"minAvailable": 5}), sdk_job(schedulingPolicy=None)]
)
def test_jobs_of_the_python_sdk_come_through(job):
    assert effect(rendered(entry(job))) == effect(job)


def test_the_job_by_which_the_sdk_tests_what_can_never_be_scheduled_is_refused():
    job = sdk_job(schedulingPolicy={"minAvailable": 10})
    [(place, sentence)] = faults(job).items()
    assert place == "spec.runPolicy.schedulingPolicy.minAvailable"
    assert "10" in sentence
