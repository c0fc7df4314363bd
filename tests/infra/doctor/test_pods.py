"""Pods that do not come to run, or do not run well."""

import pytest

from infra.cluster.logs import Log, Source
from tests.infra.doctor.conftest import (
    ago,
    container,
    ended,
    event,
    named,
    node,
    pod,
    tfjob,
    unscheduled,
    waiting,
)


def test_a_healthy_cluster_gives_no_finding(clinic):
    assert clinic.found() == ()


# --- scheduling

ASKS = {"resources": {"requests": {"cpu": "1"}, "limits": {"nvidia.com/gpu": "1"}}}


def test_gpus_that_no_node_offers_are_told_once(clinic):
    clinic.kinds["nodes"] = [node("n1", gpus=None), node("n2", gpus=None)]
    clinic.pods = [unscheduled("0/2 nodes are available: 2 Insufficient nvidia.com/gpu.")]
    found = clinic.only("gpus-not-allocatable")
    assert found.breaks_at == "events"
    assert (
        "events",
        "FailedScheduling: 0/2 nodes are available: 2 Insufficient nvidia.com/gpu.",
    ) in found.shown()
    assert "device-plugin" in found.fix


@pytest.mark.parametrize(
    ("nodes", "change", "code", "word"),
    [
        (
            [node("n1")],
            {"resources": {"requests": {"memory": "64Gi"}}},
            "larger-than-any-node",
            "64Gi of memory",
        ),
        ([node("n1")], {"spec": {"nodeSelector": {"rack": "4"}}}, "no-node-matches", "rack=4"),
        (
            [node("n1", taints=[{"key": "gpu", "value": "reserved", "effect": "NoSchedule"}])],
            {},
            "taint-not-tolerated",
            "gpu=reserved:NoSchedule",
        ),
        (
            [node("n1", taints=[{"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}])],
            {},
            "nodes-closed",
            "n1",
        ),
    ],
)
def test_what_all_nodes_lack_is_told(clinic, nodes, change, code, word):
    clinic.kinds["nodes"] = nodes
    clinic.pods = [unscheduled(**change)]
    found = clinic.only(code)
    assert (found.severity, word in found.cause) == ("fault", True), found


def test_full_nodes_are_a_wait_and_no_fault(clinic):
    clinic.pods = [unscheduled("0/3 nodes are available: 3 Insufficient cpu", **ASKS)]
    found = clinic.only("no-room")
    assert found.severity == "warning"


def test_a_taint_that_only_prefers_keeps_nobody_away(clinic):
    clinic.kinds["nodes"] = [node("n1", taints=[{"key": "a", "effect": "PreferNoSchedule"}])]
    clinic.pods = [unscheduled()]
    assert clinic.only().code == "no-room"


def test_a_tolerated_taint_is_not_told(clinic):
    clinic.kinds["nodes"] = [node("n1", taints=[{"key": "gpu", "value": "x", "effect": "NoSchedule"}])]
    clinic.pods = [unscheduled(spec={"tolerations": [{"key": "gpu", "operator": "Exists"}]})]
    assert clinic.only().code == "no-room"


MOUNTS = {"spec": {"volumes": [{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}]}}


def test_a_claim_without_a_volume_is_told_with_what_its_controller_says(clinic):
    clinic.kinds["persistentvolumeclaims"] = [
        named("data", spec={"storageClassName": "shared"}, status={"phase": "Pending"})
    ]
    clinic.pods = [unscheduled("pod has unbound immediate PersistentVolumeClaims", **MOUNTS)]
    clinic.events = [event("ProvisioningFailed", "class not found", "data", "PersistentVolumeClaim")]
    assert (
        clinic.only("claim-unbound").cause == "the claim data is Pending, without a volume: class not found"
    )


def test_a_claim_that_is_not_there_is_told(clinic):
    clinic.kinds["persistentvolumeclaims"] = []
    clinic.pods = [unscheduled('persistentvolumeclaim "data" not found', **MOUNTS)]
    assert {found.code for found in clinic.found()} == {"claim-absent", "not-in-cluster"}


def test_a_pod_that_nobody_has_looked_at_is_told_after_moments(clinic):
    clinic.pods = [pod(phase="Pending", node=None, statuses=[], age=5)]
    assert clinic.found() == ()
    clinic.pods = [pod(phase="Pending", node=None, statuses=[], age=60)]
    assert clinic.only("not-scheduled")


def test_a_pod_that_a_queue_holds_back_is_a_warning(clinic):
    gated = [{"type": "PodScheduled", "status": "False", "reason": "SchedulingGated"}]
    clinic.pods = [pod(phase="Pending", node=None, statuses=[], conditions=gated)]
    assert clinic.only("scheduling-gated").severity == "warning"


def test_where_nodes_may_not_be_read_the_scheduler_has_the_word(clinic):
    clinic.kinds["nodes"] = None
    clinic.pods = [unscheduled("0/3 nodes are available")]
    assert clinic.only("unschedulable")


# --- images and what else a container waits for


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ("dial tcp: lookup registry.example: no such host", "registry-unreachable"),
        ("net/http: TLS handshake timeout", "registry-unreachable"),
        ("unexpected status: 401 Unauthorized", "registry-refuses"),
        ("pull access denied, repository does not exist or may require authorization", "registry-refuses"),
        ("registry.example/mnist:1.4: not found", "image-not-found"),
        ("manifest unknown", "image-not-found"),
    ],
)
def test_an_image_that_cannot_be_had_is_told_by_what_the_registry_said(clinic, said, code):
    clinic.pods = [pod(phase="Pending", statuses=[container(state=waiting("ImagePullBackOff", "Back-off"))])]
    clinic.events = [event("Failed", f"Failed to pull image: {said}"), event("BackOff", "Back-off pulling")]
    found = clinic.only(code)
    assert "registry.example/mnist:1.4" in found.cause
    assert said in dict(found.shown())["events"]


def test_a_missing_pull_secret_is_the_cause_of_a_refusal(clinic):
    clinic.pods = [pod(phase="Pending", statuses=[container(state=waiting("ErrImagePull", "not found"))])]
    clinic.events = [event("FailedToRetrieveImagePullSecret", "Unable to retrieve some image pull secrets")]
    assert "a Secret of image_pull_secrets is not there" in clinic.only("registry-refuses").cause


def test_a_variable_from_a_secret_that_is_not_there_is_told(clinic):
    state = waiting("CreateContainerConfigError", 'secret "token" not found')
    clinic.pods = [pod(phase="Pending", statuses=[container(state=state)])]
    assert 'secret "token" not found' in clinic.only("config-absent").cause


def test_a_volume_that_cannot_be_mounted_is_told(clinic):
    clinic.pods = [pod(phase="Pending", statuses=[container(state=waiting("ContainerCreating"))])]
    clinic.events = [event("FailedMount", 'configmap "x" not found')]
    assert clinic.only("volume-not-mounted").breaks_at == "events"


def test_a_container_that_is_being_made_is_no_finding(clinic):
    clinic.pods = [pod(phase="Pending", statuses=[container(state=waiting("ContainerCreating"))])]
    assert clinic.found() == ()


# --- ends


def crashing(last, restarts=3):
    return pod(statuses=[container(restarts=restarts, state=waiting("CrashLoopBackOff"), last=last)])


TRACEBACK = """step 1
Traceback (most recent call last):
  File "/opt/colocation/script/train.py", line 7, in <module>
    fit()
  File "/usr/lib/python3/dist-packages/keras/engine.py", line 900, in fit
    raise ValueError("no data")
ValueError: no data
"""


def test_a_failing_script_is_told_with_its_own_line(clinic):
    clinic.pods = [crashing(ended(1))]
    clinic.log(TRACEBACK, before=True)
    found = clinic.only("script-error")
    assert found.cause == (
        "the training script failed: ValueError: no data (/opt/colocation/script/train.py, line 7)"
    )
    assert found.breaks_at == "logs"
    assert "exit code 1, 3 restarts" in "\n".join(text for _, text in found.shown())


@pytest.mark.parametrize(
    ("last", "log", "code", "word"),
    [
        (ended(137, "OOMKilled"), "", "oom-killed", "it may use 1Gi"),
        (
            ended(128, "StartError", 'exec: "train": executable file not found'),
            "",
            "command-not-found",
            "train",
        ),
        (ended(127), "sh: 1: train: not found", "command-not-found", "train"),
        (ended(2), "python3: can't open file '/x.py': [Errno 2] No such file", "command-not-found", "train"),
        (ended(1), "socket.gaierror: [Errno -2] Name or service not known", "peer-not-resolved", "resolve"),
        (ended(1), "UNAVAILABLE: failed to connect to all addresses", "peer-unreachable", "did not answer"),
        (ended(139), "", "exited", "by SIGSEGV"),
        (ended(3), "no more disk", "exited", "exit code 3"),
    ],
)
def test_what_an_end_says_of_its_cause(clinic, last, log, code, word):
    clinic.pods = [crashing(last)]
    clinic.log(log, before=True)
    assert word in clinic.only(code).cause


def test_a_log_that_cannot_be_read_says_so_and_the_rest_goes_on(clinic):
    clinic.pods = [crashing(ended(1))]
    clinic.logs[Source("vision", "mnist-worker-0", "tensorflow", True)] = Log(refusal="no route to host")
    assert dict(clinic.only("exited").shown())["logs"] == "could not be read: no route to host"


def test_a_pod_that_came_up_again_is_a_warning(clinic):
    clinic.pods = [pod(statuses=[container(restarts=1, last=ended(137, "OOMKilled"))])]
    found = clinic.only("oom-killed")
    assert (found.severity, found.cause.endswith("and was started again")) == ("warning", True)


def test_a_job_that_has_succeeded_may_have_had_a_restart(clinic):
    last = container(restarts=1, state={"terminated": ended(0)}, last=ended(1))
    clinic.jobs, clinic.pods = [tfjob(state="Succeeded")], [pod(phase="Succeeded", statuses=[last])]
    assert clinic.found() == ()


def test_an_evicted_pod_is_told(clinic):
    clinic.jobs = [tfjob(state="Failed")]
    clinic.pods = [pod(phase="Failed", statuses=[], reason="Evicted", message="low on memory")]
    assert clinic.only("evicted").affects == ("mnist",)


def test_a_pod_that_is_being_deleted_is_no_finding(clinic):
    clinic.pods = [crashing(ended(1))]
    clinic.pods[0]["metadata"]["deletionTimestamp"] = ago(1)
    assert clinic.found() == ()


def test_many_pods_with_one_cause_are_one_diagnosis(clinic):
    clinic.jobs = [tfjob(replicas={"Worker": 300})]
    clinic.pods = [unscheduled() for _ in range(300)]
    for i, one in enumerate(clinic.pods):
        one["metadata"]["name"] = f"mnist-worker-{i}"
    [found] = [one for one in clinic.found() if one.code == "no-room"]
    assert any("so are 299 more" in text for _, text in found.shown())
