"""Mistakes that people have made in TFJobs, by the codes of the cases, judged by the manifest alone."""

import pytest

from infra.importing import imported
from infra.importing.environment import _FIRST
from tests.infra.importing.effect import rendered
from tests.infra.importing.manifests import entry, faults, found, manifest, pod, with_container, with_pod


def test_a1_a_job_without_the_container_that_the_operator_looks_for_is_refused():
    [(place, sentence)] = faults(with_container(name="trainer")).items()
    assert place == "spec.tfReplicaSpecs.Worker.template.spec.containers.0"
    assert "found trainer" in sentence


def test_a1_a_second_container_is_a_sidecar_in_any_order():
    job = manifest()
    pod(job)["containers"].insert(0, {"name": "logs", "image": "registry.example/logs:1"})
    assert entry(job)["sidecars"] == [{"name": "logs", "image": "registry.example/logs:1"}]


@pytest.mark.parametrize("version", ["v1alpha1", "v1alpha2", "v1beta1", "v1beta2"])
def test_a2_old_versions_are_refused_with_what_moved(version):
    job = manifest(cleanPodPolicy="All", backoffLimit=3) | {"apiVersion": f"kubeflow.org/{version}"}
    [sentence] = faults(job).values()
    assert version in sentence
    assert "write apiVersion: kubeflow.org/v1" in sentence
    assert "move spec.cleanPodPolicy to spec.runPolicy.cleanPodPolicy" in sentence
    assert "move spec.backoffLimit" in sentence


def test_a2_the_oldest_shape_is_told_where_its_roles_belong():
    roles = [{"tfReplicaType": "MASTER", "template": {"spec": {"restartPolicy": "OnFailure"}}}]
    job = {"apiVersion": "tensorflow.org/v1alpha1", "kind": "TfJob", "spec": {"replicaSpecs": roles}}
    sentences = " ".join(faults(job).values())
    assert "spec.tfReplicaSpecs.<tfReplicaType>" in sentences
    assert "move restartPolicy from the pod template" in sentences


def test_a3_a_policy_in_the_wrong_place_is_refused_and_sent_to_the_right_one():
    sentence = faults(manifest(cleanPodPolicy="All"))["spec.cleanPodPolicy"]
    assert sentence.endswith("move it to spec.runPolicy.cleanPodPolicy")


def test_a3_a_misspelt_policy_would_delete_every_log_and_is_refused():
    sentence = faults(manifest(runPolicy={"cleanPodPolicy": "running"}))["spec.runPolicy.cleanPodPolicy"]
    assert "did you mean Running?" in sentence


@pytest.mark.parametrize(("roles", "severity"), [(("Worker", "PS"), "warning"), (("Worker",), "advice")])
def test_a3_an_unset_policy_is_said_and_loudly_where_servers_would_stay(roles, severity):
    job = manifest(roles, runPolicy={})
    assert "clean-pod-policy-unset" in found(job, severity)
    assert "clean_pod_policy" not in entry(job)["run_policy"]


def test_a3_servers_that_shall_stay_are_warned_of():
    job = manifest(("Worker", "PS"), runPolicy={"cleanPodPolicy": "None"})
    assert found(job, "warning") == ["parameter-servers-stay"]
    assert entry(job)["run_policy"]["clean_pod_policy"] == "None"


def test_a5_a_restart_policy_in_the_template_is_lifted_with_a_warning():
    job = with_pod(restartPolicy="Always")
    del job["spec"]["tfReplicaSpecs"]["Worker"]["restartPolicy"]
    assert "restart-policy-in-template" in found(job, "warning")
    assert entry(job)["worker"]["restart_policy"] == "Always"


def test_a5_the_roles_own_restart_policy_wins_and_the_same_twice_is_no_news():
    assert found(with_pod(restartPolicy="Never"), "warning") == ["restart-policy-in-template"]
    assert "restart_policy" not in entry(with_pod(restartPolicy="Never"))["worker"]
    assert found(with_pod(restartPolicy="OnFailure"), "warning") == []


def test_a5_no_restart_policy_means_never_and_that_is_said_once():
    job = manifest()
    del job["spec"]["tfReplicaSpecs"]["Worker"]["restartPolicy"]
    said = found(job, "advice")
    assert "restart-policy-unset" in said
    assert "no-restart-after-preemption" not in said
    assert entry(job)["worker"]["restart_policy"] == "Never"


def test_a5_a_misspelt_restart_policy_is_refused():
    job = manifest()
    job["spec"]["tfReplicaSpecs"]["Worker"]["restartPolicy"] = "onFailure"
    assert list(faults(job)) == ["spec.tfReplicaSpecs.Worker.restartPolicy"]


def test_a8_a_ttl_is_advice_and_stays():
    job = manifest(runPolicy={"cleanPodPolicy": "All", "ttlSecondsAfterFinished": 300})
    assert "ttl-trains-again" in found(job, "advice")
    assert entry(job)["run_policy"]["ttl_seconds_after_finished"] == 300


def test_a9_an_opt_out_of_istio_on_the_job_alone_does_not_reach_its_pods():
    job = manifest()
    job["metadata"]["annotations"] = {"sidecar.istio.io/inject": "false"}
    assert found(job, "warning") == []
    del job["spec"]["tfReplicaSpecs"]["Worker"]["template"]["metadata"]
    assert found(job, "warning") == ["istio-not-inherited"]
    assert "annotations" not in entry(job)


def test_a11_an_unknown_role_and_a_misspelt_success_policy_are_both_found():
    job = manifest(("Workers",), successPolicy="allWorkers")
    assert set(faults(job)) == {"spec.tfReplicaSpecs.Workers", "spec.successPolicy"}
    assert faults(job)["spec.tfReplicaSpecs.Workers"].endswith("write Worker")


@pytest.mark.parametrize(("key", "role"), [("worker", "worker"), ("WORKER", "worker"), ("Ps", "ps")])
def test_a11_the_case_of_a_role_does_not_matter_to_the_operator(key, role):
    assert role in entry(manifest(tuple({"Worker", key} if role == "ps" else {key})))


def test_a11_a_master_is_a_chief():
    job = manifest(("Master", "Worker"))
    assert "master-is-chief" in found(job, "advice")
    assert "chief" in entry(job)


@pytest.mark.parametrize(
    ("roles", "code"),
    [
        (("Chief", "Master", "Worker"), "role-twice"),
        (("Worker", "worker"), "role-twice"),
        (("PS",), "broken-rule"),
        ((), "missing-key"),
    ],
)
def test_a11_roles_that_cannot_train_together_are_refused(roles, code):
    assert found(manifest(roles)) == [code]


def test_a11_two_chiefs_are_refused():
    job = manifest(("Chief", "Worker"))
    job["spec"]["tfReplicaSpecs"]["Chief"]["replicas"] = 2
    assert list(faults(job)) == ["spec.tfReplicaSpecs.Chief.replicas"]


def test_a11_no_worker_at_all_is_refused_and_a_role_without_pods_is_left_out():
    job = manifest(("Worker", "PS"))
    job["spec"]["tfReplicaSpecs"]["PS"]["replicas"] = 0
    assert "ps" not in entry(job)
    job["spec"]["tfReplicaSpecs"]["Worker"]["replicas"] = 0
    assert found(job) == ["no-pods"]


@pytest.mark.parametrize("name", ["a.b", "2024-mnist", "Mnist", "x" * 60])
def test_a13_names_that_the_operator_cannot_make_services_of_are_refused(name):
    job = manifest()
    job["metadata"]["name"] = name
    assert list(faults(job)) == ["metadata.name"]


def test_a14_a_tf_config_of_ones_own_is_refused_where_the_operator_sets_one():
    job = with_container(env=[{"name": "TF_CONFIG", "value": "{}"}])
    assert found(job) == ["tf-config-set"]
    job["spec"]["tfReplicaSpecs"]["Worker"]["replicas"] = 1
    assert found(job) == []


@pytest.mark.parametrize(
    ("resources", "place"),
    [
        ({"requests": {"nvidia.com/gpu": 1}}, "requests.nvidia.com/gpu"),
        ({"requests": {"nvidia.com/gpu": 1}, "limits": {"nvidia.com/gpu": 2}}, "requests.nvidia.com/gpu"),
        ({"limits": {"nvidia.com/gpu": "500m"}}, "limits.nvidia.com/gpu"),
        ({"limits": {"gpu": 1}}, "limits.gpu"),
        ({"limits": {"nvidia.com/gpu": 99999999999999999999999999999}}, "limits.nvidia.com/gpu"),
        ({"limits": {"example.com/fpga": "9" * 5000}}, "limits.example.com/fpga"),
    ],
)
def test_b3_gpus_come_whole_with_a_limit_that_is_the_request(resources, place):
    [found_at] = faults(with_container(resources=resources))
    assert found_at.endswith(f"resources.{place}")


def test_b3_a_limit_alone_is_enough():
    assert entry(with_container(resources={"limits": {"nvidia.com/gpu": "2"}}))["worker"]["resources"] == {
        "gpus": 2
    }


@pytest.mark.parametrize("amount", ["512m", "1 Gi", "1GB", "-1", "."])
def test_b6_amounts_of_memory_that_are_none_are_refused(amount):
    [place] = faults(with_container(resources={"requests": {"memory": amount}}))
    assert place.endswith("containers.0.resources.requests.memory")


def test_b6_a_request_above_its_limit_is_refused_across_suffixes():
    resources = {"requests": {"memory": "2Gi"}, "limits": {"memory": "2G"}}
    assert found(with_container(resources=resources)) == ["broken-rule"]


def test_b6_a_fraction_without_quotes_is_refused_as_the_crd_does():
    [sentence] = faults(with_container(resources={"requests": {"cpu": 0.5}})).values()
    assert '"0.5"' in sentence
    assert imported(with_container(resources={"requests": {"cpu": "0.5"}})).entry is not None


def test_a_variable_that_comes_first_in_a_stack_and_refers_to_a_later_one_is_warned_of():
    later = {"name": "ROOT", "value": "/data"}
    job = with_container(env=[later, {"name": "HOME", "value": "$(ROOT)/home"}])
    assert found(job, "warning") == ["variable-out-of-order"]
    job = with_container(env=[later, {"name": "HOMES", "value": "$(ROOT)/home"}])
    assert found(job, "warning") == []


def test_variables_are_told_to_pods_in_the_order_that_references_count_on():
    job = rendered(entry(with_container(env=[{"name": "A", "value": "a"}])))
    names = [variable["name"] for variable in pod(job)["containers"][0]["env"]]
    assert names == [*_FIRST, "A"]


def test_ports_that_break_the_pods_service_are_refused():
    assert found(with_container(ports=[{"containerPort": 6006}])) == ["port-without-name"]
    assert found(with_container(ports=[{"name": "mine", "containerPort": 2222}])) == ["port-of-the-operator"]
    named = with_container(ports=[{"name": "tfjob-port", "containerPort": 2222}])
    assert "ports" not in entry(named)
