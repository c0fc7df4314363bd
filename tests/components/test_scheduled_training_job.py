"""What a ScheduledTrainingJob declares, decided without a cluster."""

import json

import pulumi
import pytest
from pulumi_kubernetes.core.v1 import Namespace
from pulumi_kubernetes.meta.v1 import OwnerReferenceArgs

from components.job_args import TrainingJobArgs
from components.scheduled_training_job import ScheduledTrainingJob
from infra.models import JobSpec

CRON_JOB = "kubernetes:batch/v1:CronJob"
ROLE = "kubernetes:rbac.authorization.k8s.io/v1:Role"
BINDING = "kubernetes:rbac.authorization.k8s.io/v1:RoleBinding"
ACCOUNT = "kubernetes:core/v1:ServiceAccount"
NIGHTLY = {
    "name": "nightly",
    "tenant": "vision",
    "priority": "offline-low",
    "image": "registry.example/mnist:1.4",
    "worker": {},
    "schedule": "0 2 * * *",
}


def nightly(text=None, **change):
    return TrainingJobArgs(
        owner=OwnerReferenceArgs(api_version="v1", kind="ConfigMap", name="jobs", uid="u1"),
        spec=JobSpec.model_validate(NIGHTLY | change),
        namespace="vision",
        priority_class="offline-low",
        files={} if text is None else {"train.py": text},
    )


@pytest.fixture
def cron_job(declare):
    """The spec of the CronJob of a job with changes."""

    def build(**change):
        declared = declare(lambda: ScheduledTrainingJob("nightly", nightly(**change)))
        return declared.only(CRON_JOB).inputs["spec"]

    return build


@pytest.fixture
def pod(cron_job):
    return lambda **change: cron_job(**change)["jobTemplate"]["spec"]["template"]


def manifest(declared):
    return json.loads(declared.named("nightly-start").inputs["data"]["tfjob.json"])


def test_no_training_is_declared_that_would_run_at_once(declare):
    declared = declare(lambda: ScheduledTrainingJob("nightly", nightly()))
    assert declared.all("kubernetes:kubeflow.org/v1:TFJob") == []
    assert declared.only(CRON_JOB).inputs["metadata"]["name"] == "nightly"


def test_the_cron_job_says_what_the_schedule_says(cron_job):
    schedule = {
        "cron": "0 3 * * *",
        "time_zone": "Asia/Shanghai",
        "concurrency_policy": "Replace",
        "successful_runs_history": 0,
        "failed_runs_history": 2,
        "starting_deadline_seconds": 60,
        "suspend": True,
    }
    spec = cron_job(schedule=schedule)
    del spec["jobTemplate"]
    assert spec == {
        "schedule": "0 3 * * *",
        "timeZone": "Asia/Shanghai",
        "concurrencyPolicy": "Replace",
        "successfulJobsHistoryLimit": 0,
        "failedJobsHistoryLimit": 2,
        "startingDeadlineSeconds": 60,
        "suspend": True,
    }


def test_the_account_may_make_tfjobs_and_look_at_them_and_nothing_else(declare):
    declared = declare(lambda: ScheduledTrainingJob("nightly", nightly()))
    [rule] = declared.only(ROLE).inputs["rules"]
    assert rule == {"apiGroups": ["kubeflow.org"], "resources": ["tfjobs"], "verbs": ["create", "get"]}
    binding, account = declared.only(BINDING).inputs, declared.only(ACCOUNT).inputs
    assert binding["roleRef"]["name"] == declared.only(ROLE).inputs["metadata"]["name"]
    assert binding["subjects"] == [
        {"kind": "ServiceAccount", "name": account["metadata"]["name"], "namespace": "vision"}
    ]
    assert account["automountServiceAccountToken"] is False
    assert {r.inputs["metadata"]["namespace"] for r in declared.resources if "kubernetes:" in r.typ} == {
        "vision"
    }


def test_each_run_is_the_tfjob_of_the_job_with_the_schedules_ttl(declare):
    job = nightly(schedule={"cron": "@daily", "ttl_seconds_after_finished": 60})
    run = manifest(declare(lambda: ScheduledTrainingJob("nightly", job)))
    assert (run["apiVersion"], run["kind"]) == ("kubeflow.org/v1", "TFJob")
    assert run["metadata"]["namespace"] == "vision"
    assert run["metadata"]["labels"] == {"colocation.io/job": "nightly"}
    assert run["spec"]["runPolicy"]["ttlSecondsAfterFinished"] == 60
    assert list(run["spec"]["tfReplicaSpecs"]) == ["Worker"]


def test_a_changed_script_keeps_its_name_so_that_a_run_under_way_keeps_its_script(declare):
    names = set()
    for text in ("print(1)", "print(2)"):
        job = nightly(text, script="train.py")
        declared = declare(lambda job=job: ScheduledTrainingJob("nightly", job))
        script = declared.named("nightly-script").inputs
        assert script["data"] == {"train.py": text}
        assert "immutable" not in script
        worker = manifest(declared)["spec"]["tfReplicaSpecs"]["Worker"]["template"]["spec"]
        assert worker["volumes"][0]["configMap"]["name"] == script["metadata"]["name"]
        names.add(script["metadata"]["name"])
    assert names == {"nightly-script"}


def test_the_program_goes_into_the_pod_with_the_manifest(declare, pod):
    data = declare(lambda: ScheduledTrainingJob("nightly", nightly())).named("nightly-start").inputs["data"]
    compile(data["start_run.py"], "start_run.py", "exec")
    spec = pod()["spec"]
    [container], [volume] = spec["containers"], spec["volumes"]
    assert volume["configMap"]["name"] == "nightly-start"
    assert container["command"][-1] == "/opt/colocation/start/start_run.py"
    assert container["volumeMounts"] == [
        {"name": volume["name"], "mountPath": "/opt/colocation/start", "readOnly": True}
    ]


def test_the_pod_knows_the_run_by_the_job_that_it_belongs_to(pod):
    [container] = pod()["spec"]["containers"]
    fields = {
        v["name"]: v["valueFrom"]["fieldRef"]["fieldPath"] for v in container["env"] if "valueFrom" in v
    }
    assert fields == {
        "RUN_NAME": "metadata.labels['batch.kubernetes.io/job-name']",
        "RUN_UID": "metadata.labels['batch.kubernetes.io/controller-uid']",
    }


def test_the_pod_fits_the_restricted_level_and_a_quota(pod):
    spec = pod()["spec"]
    [container] = spec["containers"]
    assert spec["securityContext"]["runAsNonRoot"] is True
    assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
        "readOnlyRootFilesystem": True,
    }
    for kind in ("requests", "limits"):
        assert set(container["resources"][kind]) == {"cpu", "memory"}


def test_the_pod_has_no_sidecar_and_reaches_the_api_server(pod):
    metadata = pod()["metadata"]
    assert metadata["labels"]["sidecar.istio.io/inject"] == "false"
    assert metadata["annotations"]["sidecar.istio.io/inject"] == "false"
    assert metadata["labels"]["colocation.io/starts-training"] == "true"


def test_the_pod_uses_the_jobs_image_class_and_pull_secrets(pod):
    spec = pod(image_pull_secrets=["registry"], image_pull_policy="Always")["spec"]
    [container] = spec["containers"]
    assert (container["image"], container["imagePullPolicy"]) == (NIGHTLY["image"], "Always")
    assert spec["priorityClassName"] == "offline-low"
    assert spec["imagePullSecrets"] == [{"name": "registry"}]
    assert "imagePullSecrets" not in pod()["spec"]


def test_a_failed_run_is_not_tried_again_and_a_preempted_pod_is_made_anew(cron_job):
    spec = cron_job()["jobTemplate"]["spec"]
    disrupted, failed = spec["podFailurePolicy"]["rules"]
    assert (disrupted["action"], disrupted["onPodConditions"][0]["type"]) == ("Ignore", "DisruptionTarget")
    assert (failed["action"], failed["onExitCodes"]["values"]) == ("FailJob", [1])
    assert failed["onExitCodes"]["containerName"] == spec["template"]["spec"]["containers"][0]["name"]
    assert spec["template"]["spec"]["restartPolicy"] == "Never"


def test_everything_waits_for_what_the_component_waits_for(declare):
    def program():
        opts = pulumi.ResourceOptions(depends_on=[Namespace("operator")])
        ScheduledTrainingJob("nightly", nightly("print()", script="train.py"), opts)

    declared = declare(program)
    children = [r.name for r in declared.resources if r.name.startswith("nightly-")]
    assert all("operator" in declared.waits_for[child] for child in children)
    assert {"nightly-binding", "nightly-account", "nightly-start"} <= declared.waits_for["nightly-cronjob"]
    assert "nightly-script" in declared.waits_for["nightly-start"]


def test_the_name_comes_out_for_others(declare):
    names = []
    declare(lambda: ScheduledTrainingJob("nightly", nightly()).cron_job_name.apply(names.append))
    assert names == ["nightly"]


def test_a_job_without_a_schedule_is_a_defect_of_the_caller(declare):
    with pytest.raises(ValueError, match="has no schedule"):
        declare(lambda: ScheduledTrainingJob("nightly", nightly(schedule=None)))
