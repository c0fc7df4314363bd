"""The whole stack is declared in order, and everything waits for what it needs."""

import runpy

import pulumi
import pytest

from infra.assembly import assemble, follow, follow_runs
from infra.models import JobSpec
from infra.places import ROOT
from infra.plan import plan

TFJOB = "kubernetes:kubeflow.org/v1:TFJob"
PROVIDER = "pulumi:providers:kubernetes"


@pytest.fixture
def assembled(declare, stack_file):
    """Declares a stack given as data; returns what was declared and what came out."""

    def run(data, **secrets):
        out = {}
        ready = plan(stack_file(data))

        def program():
            outputs = {name: pulumi.Output.secret(value) for name, value in secrets.items()}
            out.update(assemble(ready, "test", outputs))

        declared = declare(program)
        return declared, out

    return run


def kinds(declared):
    return {resource.typ for resource in declared.resources}


def test_a_stack_declares_each_of_its_parts(assembled, data):
    declared, _ = assembled(data)
    assert {
        "kubernetes:core/v1:Namespace",
        "kubernetes:scheduling.k8s.io/v1:PriorityClass",
        "kubernetes:core/v1:PersistentVolumeClaim",
        "kubernetes:kustomize/v2:Directory",
        TFJOB,
    } <= kinds(declared)


def test_an_empty_stack_declares_no_more_than_its_operator(assembled):
    declared, out = assembled({"training_operator": {"install": False}})
    assert {kind for kind in kinds(declared) if kind.startswith("kubernetes:")} == set()
    assert [provider.name for provider in declared.all(PROVIDER)] == ["cluster"]
    assert out["jobs"] == {}
    assert "training_operator" not in out


def test_jobs_of_a_tenant_with_a_quota_wait_in_its_queue(assembled, data):
    data["tenants"][0]["quota"] = {"requests.nvidia.com/gpu": 4}
    data["queueing"] = {"install": False}
    declared, _ = assembled(data)
    [job] = declared.all(TFJOB)
    assert job.inputs["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] == "training"
    assert {"vision-queue-local", "vision-queue-cluster"} <= declared.waits_for["mnist-tfjob"]
    assert "queueing-flavor" in declared.waits_for["vision-queue-cluster"]


def test_a_tenant_without_a_quota_has_no_queue(assembled, data):
    data["queueing"] = {"install": False}
    declared, _ = assembled(data)
    assert not [name for name in declared.names() if "queue-" in name]
    assert "labels" not in declared.only(TFJOB).inputs["metadata"]


def test_a_job_waits_for_everything_that_it_refers_to(assembled, data):
    declared, _ = assembled(data)
    waits_for = declared.waits_for["mnist-tfjob"]
    by_type = {r.name: r.typ for r in declared.resources}
    types = {by_type.get(name) for name in waits_for}
    assert "kubernetes:kustomize/v2:Directory" in types
    assert "kubernetes:core/v1:Namespace" in types
    assert "kubernetes:scheduling.k8s.io/v1:PriorityClass" in types
    assert "kubernetes:core/v1:PersistentVolumeClaim" in types
    assert "gpu-marks" in waits_for


def test_a_job_waits_for_no_other_tenant_pool_or_storage(assembled, data):
    data["tenants"].append({"name": "speech"})
    data["pools"].append({"name": "cpu", "nodes": ["n9"]})
    other = {"name": "other", "tenant": "speech", "size": "1Gi", "storage_class": "shared"}
    data["storage"].append(other)
    declared, _ = assembled(data)
    waits_for = declared.waits_for["mnist-tfjob"]
    assert not {n for n in waits_for if n.startswith(("speech", "cpu", "other"))}


def test_a_job_gets_the_claim_pool_and_script_that_it_names(assembled, data):
    declared, _ = assembled(data)
    worker = declared.only(TFJOB).inputs["spec"]["tfReplicaSpecs"]["Worker"]["template"]["spec"]
    assert worker["nodeSelector"]["colocation.io/pool"] == "gpu"
    sources = [v.get("persistentVolumeClaim", v.get("configMap")) for v in worker["volumes"]]
    assert sources[0] == {"claimName": "data"}
    assert sources[1]["name"].startswith("mnist-script-")


def test_everything_goes_to_the_one_cluster(assembled, data):
    declared, _ = assembled(data)
    providers = {r.name: r for r in declared.all(PROVIDER)}
    assert providers["cluster"].inputs["enableServerSideApply"] == "true"
    used = {r.provider.split("::")[2] + r.provider for r in declared.resources if r.typ == TFJOB}
    assert all("cluster" in name for name in used)
    assert used


@pytest.mark.parametrize(("said", "taken_over"), [(None, None), ("true", "true")])
def test_objects_that_exist_are_taken_over_only_when_the_environment_says_so(
    assembled, data, monkeypatch, said, taken_over
):
    monkeypatch.delenv("PULUMI_K8S_UPSERT_EXISTING_OBJECTS", raising=False)
    if said:
        monkeypatch.setenv("PULUMI_K8S_UPSERT_EXISTING_OBJECTS", said)
    declared, _ = assembled(data)
    [cluster] = [r for r in declared.all(PROVIDER) if r.name == "cluster"]
    assert cluster.inputs.get("upsertExistingObjects") == taken_over


def test_the_operator_lives_in_the_tenants_namespace_where_there_is_one(assembled, data):
    declared, _ = assembled(data)
    names = [r.inputs["metadata"]["name"] for r in declared.all("kubernetes:core/v1:Namespace")]
    assert names == ["vision"]
    [directory] = [r.name for r in declared.all("kubernetes:kustomize/v2:Directory")]
    assert any(name.startswith("vision") for name in declared.waits_for[directory])


def test_the_operator_makes_a_namespace_that_no_tenant_owns(assembled, data):
    data["training_operator"]["namespace"] = "operators"
    declared, _ = assembled(data)
    names = {r.inputs["metadata"]["name"] for r in declared.all("kubernetes:core/v1:Namespace")}
    assert names == {"vision", "operators"}


def test_what_comes_out_is_what_a_person_types_next(assembled, data, monkeypatch):
    monkeypatch.delenv("KUBECONFIG", raising=False)
    _, out = assembled(data)
    assert out["jobs"] == {
        "mnist": {
            "state": "kubectl get tfjob -n vision mnist",
            "logs": "kubectl logs -n vision -f mnist-worker-0",
        }
    }
    assert "kubeconfig" not in out


def test_what_comes_out_says_where_the_operator_and_the_pools_are(assembled, data):
    declared, out = assembled(data)
    assert out["training_operator"] == {"namespace": "vision"}
    assert list(out["pools"]) == ["gpu"]
    assert declared.named("gpu-marks").inputs["stack"] == "test"


def test_the_kubeconfig_of_the_sandbox_is_told(assembled, data, monkeypatch):
    monkeypatch.setenv("KUBECONFIG", "/somewhere/kubeconfig")
    assert assembled(data)[1]["kubeconfig"] == "/somewhere/kubeconfig"


def test_the_chief_is_followed_where_there_is_one():
    job = {"name": "d", "tenant": "t", "priority": "p", "image": "i:1", "worker": {}, "chief": {}}
    assert follow(JobSpec.model_validate(job))["logs"] == "kubectl logs -n t -f d-chief-0"


def test_a_scheduled_job_is_a_cron_job_that_waits_for_the_same_and_no_tfjob(assembled, data):
    data["jobs"][0]["schedule"] = "0 2 * * *"
    declared, out = assembled(data)
    assert TFJOB not in kinds(declared)
    assert declared.only("kubernetes:batch/v1:CronJob").name == "mnist-cronjob"
    assert "gpu-marks" in declared.waits_for["mnist-cronjob"]
    assert out["jobs"] == {}
    assert out["schedules"]["mnist"]["state"] == (
        "kubectl get cronjobs,tfjobs -n vision -l colocation.io/job=mnist"
    )


def test_a_run_is_started_by_hand_under_a_name_no_longer_than_the_schedules():
    job = {"name": "d", "tenant": "t", "priority": "p", "image": "i:1", "worker": {}, "schedule": "@daily"}
    commands = follow_runs(JobSpec.model_validate(job))
    assert commands["start"] == "kubectl create job -n t --from=cronjob/d d-$(date +%H%M%S)"
    assert commands["logs"] == "kubectl logs -n t -f <run>-worker-0"


def test_warnings_reach_the_person_who_updates(assembled, data, monkeypatch):
    said = []
    monkeypatch.setattr(pulumi.log, "warn", said.append)
    del data["jobs"][0]["pool"]
    assembled(data)
    assert len(said) == 1
    assert "gpus" in said[0]


def test_the_program_stops_before_any_resource_if_something_is_wrong(declare, stack_file, data, monkeypatch):
    data["jobs"][0]["pool"] = "gpus"
    monkeypatch.setattr("infra.places.STACKS", stack_file(data).parent)
    declared = []
    with pytest.raises(pulumi.RunError, match=r"jobs\[0\]\.pool: no pool of the stack is called gpus"):
        declared.append(declare(lambda: runpy.run_path(str(ROOT / "infra/__main__.py"))))
    assert declared == []


def test_the_program_declares_the_stack_and_exports_what_people_read(declare, stack_file, data, monkeypatch):
    exported = {}
    monkeypatch.setattr("infra.places.STACKS", stack_file(data).parent)
    monkeypatch.setattr(pulumi, "export", exported.__setitem__)
    monkeypatch.setattr("infra.preconditions.require_kubeconfig", lambda: None)
    declared = declare(lambda: runpy.run_path(str(ROOT / "infra/__main__.py")))
    assert TFJOB in kinds(declared)
    assert {"namespaces", "jobs"} <= set(exported)


def test_node_protection_is_there_where_the_stack_says_so_alone(assembled, data):
    declared, _ = assembled(data)
    assert "kubernetes:apps/v1:DaemonSet" not in kinds(declared)
    data["node_protection"] = {}
    data["monitoring"] = {"install": False, "namespace": "obs", "gpu_metrics": {"install": False}}
    declared, _ = assembled(data)
    [daemon_set] = declared.all("kubernetes:apps/v1:DaemonSet")
    assert daemon_set.inputs["metadata"]["name"] == "node-protection"
    monitors = declared.all("kubernetes:monitoring.coreos.com/v1:PodMonitor")
    assert "node-protection" in {monitor.inputs["metadata"]["name"] for monitor in monitors}


def test_the_program_is_short():
    assert len((ROOT / "infra/__main__.py").read_text("utf-8").splitlines()) <= 20


def test_monitoring_says_where_it_is_and_with_what_it_is_opened(assembled, data):
    data["monitoring"] = {"namespace": "obs"}
    declared, out = assembled(data)
    assert "kubernetes:helm.sh/v3:Release" in kinds(declared)
    assert "svc/kube-prometheus-stack-grafana 3000:80" in out["monitoring"]["grafana"]
    assert out["grafana_password"] is not None
    priorities = {r.name for r in declared.all("kubernetes:scheduling.k8s.io/v1:PriorityClass")}
    assert priorities
    assert priorities <= declared.waits_for["monitoring-release"]


def test_monitoring_that_is_there_already_is_only_named(assembled, data):
    data["monitoring"] = {"install": False, "namespace": "obs"}
    declared, out = assembled(data)
    assert "kubernetes:helm.sh/v3:Release" not in kinds(declared)
    assert set(out["monitoring"]) == {"namespace"}
    assert "grafana_password" not in out


def test_without_monitoring_there_is_nothing_of_it(assembled, data):
    declared, out = assembled(data)
    assert not any("monitoring" in resource.name for resource in declared.resources)
    assert "monitoring" not in out


RELAY = "kubernetes:apps/v1:Deployment"
HOOK = {"name": "ops", "webhook": {"url_secret": "hook"}}
ROBOT = {"name": "ops", "wecom_robot": {"url_secret": "hook"}}


@pytest.mark.parametrize(("receivers", "relays"), [([], 0), ([HOOK], 0), ([ROBOT], 1)])
def test_there_is_a_relay_where_there_are_robots(assembled, data, receivers, relays):
    data["alerts"] = {"receivers": receivers, **({"default_receiver": "ops"} if receivers else {})}
    data["monitoring"] = {"install": False}
    declared, _ = assembled(data, hook="http://h.example")
    assert [r.name for r in declared.all(RELAY)] == ["alert-relay-deployment"] * relays
    assert declared.named("alert-delivery-alertmanager").inputs["metadata"]["namespace"] == "monitoring"


def test_without_monitoring_no_alert_is_delivered(assembled, data):
    data["alerts"] = {"receivers": [ROBOT], "default_receiver": "ops"}
    declared, _ = assembled(data)
    assert "alert-delivery-alertmanager" not in declared.names()


def test_a_secret_that_pulumi_lacks_stops_the_program_with_the_command(
    declare, stack_file, data, monkeypatch
):
    data |= {"monitoring": {"install": False}, "alerts": {"receivers": [ROBOT], "default_receiver": "ops"}}
    monkeypatch.setattr("infra.places.STACKS", stack_file(data).parent)
    with pytest.raises(pulumi.RunError, match="run `pulumi config set --secret hook --stack test`"):
        declare(lambda: runpy.run_path(str(ROOT / "infra/__main__.py")))
