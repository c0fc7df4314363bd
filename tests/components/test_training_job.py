"""What a TrainingJob declares, decided without a cluster."""

from dataclasses import replace

import pulumi
import pytest
from pulumi_kubernetes.core.v1 import Namespace
from pulumi_kubernetes.meta.v1 import OwnerReferenceArgs

from components.job_args import TrainingJobArgs
from components.training_job import TrainingJob, script_config_map
from infra.models import JobSpec

TFJOB = "kubernetes:kubeflow.org/v1:TFJob"
CONFIG_MAP = "kubernetes:core/v1:ConfigMap"
MNIST = {
    "name": "mnist",
    "tenant": "vision",
    "priority": "offline-low",
    "image": "registry.example/mnist:1.4",
    "worker": {},
}


def mnist(text=None, **change):
    return TrainingJobArgs(
        owner=OwnerReferenceArgs(api_version="v1", kind="ConfigMap", name="jobs", uid="u1"),
        spec=JobSpec.model_validate(MNIST | change),
        namespace="vision",
        priority_class="offline-low",
        files={} if text is None else {"train.py": text},
    )


def test_a_job_is_a_tfjob_of_its_name_in_its_namespace(declare):
    tfjob = declare(lambda: TrainingJob("mnist", mnist())).only(TFJOB)
    assert tfjob.inputs["apiVersion"] == "kubeflow.org/v1"
    owned = {"ownerReferences": [{"apiVersion": "v1", "kind": "ConfigMap", "name": "jobs", "uid": "u1"}]}
    assert tfjob.inputs["metadata"] == {"name": "mnist", "namespace": "vision", **owned}
    assert list(tfjob.inputs["spec"]["tfReplicaSpecs"]) == ["Worker"]


def test_labels_of_a_job_are_on_its_tfjob(declare):
    tfjob = declare(lambda: TrainingJob("mnist", mnist(labels={"team": "ranking"}))).only(TFJOB)
    assert tfjob.inputs["metadata"]["labels"] == {"team": "ranking"}


def test_a_queued_job_names_its_queue_and_says_nothing_of_suspend(declare):
    tfjob = declare(lambda: TrainingJob("mnist", replace(mnist(), queue_name="training"))).only(TFJOB)
    assert tfjob.inputs["metadata"]["labels"] == {"kueue.x-k8s.io/queue-name": "training"}
    assert "suspend" not in tfjob.inputs["spec"]["runPolicy"]
    pod = tfjob.inputs["spec"]["tfReplicaSpecs"]["Worker"]["template"]
    assert "kueue.x-k8s.io/queue-name" not in pod["metadata"]["labels"]


def test_raw_fields_are_laid_over_values_that_only_the_engine_knows(declare):
    overrides = {"containers": [{"name": "tensorflow", "tty": True}], "volumes": [{"name": "extra"}]}
    job = mnist("print()", script="train.py", pod_overrides=overrides)

    def program():
        TrainingJob("mnist", replace(job, priority_class=pulumi.Output.from_input("made")))

    pod = declare(program).only(TFJOB).inputs["spec"]["tfReplicaSpecs"]["Worker"]["template"]["spec"]
    assert pod["priorityClassName"] == "made"
    assert [volume["name"] for volume in pod["volumes"]] == ["colocation-script", "extra"]
    assert pod["volumes"][0]["configMap"]["name"].startswith("mnist-script-")
    assert pod["containers"][0]["tty"] is True


def test_a_changed_job_is_a_new_run_after_the_old_one_is_gone(declare):
    request = declare(lambda: TrainingJob("mnist", mnist())).requests["mnist-tfjob"]
    assert list(request.replaceOnChanges) == ["spec", 'metadata.labels["kueue.x-k8s.io/queue-name"]']
    assert request.deleteBeforeReplace is True


def test_a_job_waits_for_what_its_component_waits_for(declare):
    def program():
        operator = Namespace("operator")
        opts = pulumi.ResourceOptions(depends_on=[operator])
        TrainingJob("mnist", mnist("print()", script="train.py"), opts)

    declared = declare(program)
    assert {"operator", "mnist-script"} <= declared.waits_for["mnist-tfjob"]
    assert "operator" in declared.waits_for["mnist-script"]


def test_a_script_is_kept_in_a_config_map_named_by_its_content(declare):
    declared = declare(lambda: TrainingJob("mnist", mnist("print(1)", script="train.py")))
    config_map = declared.only(CONFIG_MAP)
    name = config_map.inputs["metadata"]["name"]
    assert config_map.inputs["data"] == {"train.py": "print(1)"}
    assert config_map.inputs["immutable"] is True
    assert config_map.inputs["metadata"]["namespace"] == "vision"
    worker = declared.only(TFJOB).inputs["spec"]["tfReplicaSpecs"]["Worker"]
    assert worker["template"]["spec"]["volumes"][0]["configMap"]["name"] == name


def test_what_a_script_imports_lies_beside_it(declare):
    files = {"train.py": "import nets", "nets.py": "LAYERS = 2"}
    job = replace(mnist("import nets", script="train.py"), files=files)
    assert declare(lambda: TrainingJob("mnist", job)).only(CONFIG_MAP).inputs["data"] == files


@pytest.mark.parametrize("changed", ["train.py", "nets.py"])
def test_a_changed_script_or_import_has_another_name_and_so_makes_a_new_run(changed):
    files = {"train.py": "import nets", "nets.py": "LAYERS = 2"}
    assert script_config_map("mnist", files) == script_config_map("mnist", dict(files))
    assert script_config_map("mnist", files) != script_config_map("mnist", files | {changed: "other"})
    assert script_config_map("mnist", files).startswith("mnist-script-")


def test_a_job_without_a_script_has_no_config_map(declare):
    assert declare(lambda: TrainingJob("mnist", mnist())).all(CONFIG_MAP) == []


def test_a_script_without_its_text_is_a_defect_of_the_caller(declare):
    with pytest.raises(ValueError, match="its text was not given"):
        declare(lambda: TrainingJob("mnist", mnist(script="train.py")))


def test_the_name_comes_out_for_others(declare):
    names = []
    declare(lambda: TrainingJob("mnist", mnist()).job_name.apply(names.append))
    assert names == ["mnist"]
