"""What Queueing and TenantQueue declare, and how Kueue is set up."""

import re

import pytest
import yaml

from components.queueing import Queueing, QueueingArgs
from components.rendering.queueing import chart_values, cluster_queue_spec, flavor_name
from components.tenant_queue import TenantQueue, TenantQueueArgs
from infra.models import QueueingSpec
from infra.versions import KUEUE

RELEASE = "kubernetes:helm.sh/v3:Release"
NAMESPACE = "kubernetes:core/v1:Namespace"
API = "kubernetes:kueue.x-k8s.io/v1beta2"


def queueing(**spec):
    model = QueueingSpec.model_validate(spec)
    return Queueing("queueing", QueueingArgs(spec=model, stack_name="dev"))


def settings(**spec):
    values = chart_values(QueueingSpec.model_validate(spec))
    return yaml.safe_load(values["managerConfig"]["controllerManagerConfigYaml"])


def test_kueue_is_installed_from_its_oci_chart_under_its_own_name(declare):
    release = declare(queueing).only(RELEASE).inputs
    assert (release["name"], release["namespace"]) == ("kueue", "kueue-system")
    assert (release["chart"], release["version"]) == ("oci://registry.k8s.io/kueue/charts/kueue", KUEUE)
    assert not release.get("skipAwait")


def test_a_chart_beside_the_stack_has_the_same_path_on_every_machine(declare):
    release = declare(lambda: queueing(chart={"source": "charts/kueue"})).only(RELEASE).inputs
    assert not release["chart"].startswith("/")
    assert release["chart"].endswith("charts/kueue")


def test_the_namespace_restrains_what_runs_in_it(declare):
    labels = declare(queueing).only(NAMESPACE).inputs["metadata"]["labels"]
    assert labels["pod-security.kubernetes.io/enforce"] == "restricted"


def test_a_kueue_that_is_there_already_is_left_alone(declare):
    found = declare(lambda: queueing(install=False))
    assert found.names() == ["queueing", "queueing-flavor"]


def test_the_flavor_is_the_stacks_and_waits_for_its_kind(declare):
    found = declare(queueing)
    assert found.only(f"{API}:ResourceFlavor").inputs["metadata"]["name"] == "colocation-dev"
    assert "queueing-release" in found.waits_for["queueing-flavor"]


@pytest.mark.parametrize("stack", ["dev", "Prod_EU.1", "a..b-", "x_"])
def test_the_flavor_of_any_stack_has_a_name_that_kubernetes_takes(stack):
    assert re.fullmatch(r"colocation-[a-z0-9]([a-z0-9-]*[a-z0-9])?", flavor_name(stack))


def test_kueue_looks_at_tfjobs_of_tenants_with_a_queue_and_at_nothing_else():
    found = settings()
    assert found["integrations"]["frameworks"] == ["kubeflow.org/tfjob"]
    assert found["managedJobsNamespaceSelector"] == {"matchLabels": {"colocation.io/queued": "true"}}
    assert found["manageJobsWithoutQueueName"] is False


def test_kueue_works_as_fast_as_its_makers_ship_it():
    assert settings()["clientConnection"] == {"qps": 50, "burst": 100}
    at_once = {"TFJob.kubeflow.org": 5, "Workload.kueue.x-k8s.io": 5}
    assert settings()["controller"] == {"groupKindConcurrency": at_once}


def test_a_job_whose_leader_finds_no_node_is_put_back():
    assert settings()["waitForPodsReady"] == {"timeout": "15m", "recoveryTimeout": "15m"}


@pytest.mark.parametrize(
    ("spec", "image"),
    [
        ({}, ("registry.k8s.io/kueue/kueue", f"v{KUEUE}")),
        ({"image_registry": "mirror.example"}, ("mirror.example/kueue/kueue", f"v{KUEUE}")),
        ({"chart": {"version": "0.17.1"}}, ("registry.k8s.io/kueue/kueue", "v0.17.1")),
        # It says itself which image it is for.
        ({"chart": {"source": "./charts/kueue.tgz"}}, ("registry.k8s.io/kueue/kueue", None)),
    ],
    ids=["public", "mirror", "other-version", "beside"],
)
def test_the_image_is_the_charts_version_from_the_registry_of_the_stack(spec, image):
    found = chart_values(QueueingSpec.model_validate(spec))["controllerManager"]["manager"]["image"]
    assert (found["repository"], found.get("tag")) == image


def tenant_queue():
    args = TenantQueueArgs(tenant="vision", namespace="vision", flavor="f", quotas={"cpu": "6"})
    return TenantQueue("vision-queue", args)


def test_a_tenant_has_a_queue_in_its_namespace_that_leads_to_one_of_its_name(declare):
    found = declare(tenant_queue)
    shared, local = (
        found.only(f"{API}:ClusterQueue").inputs,
        found.only(f"{API}:LocalQueue").inputs,
    )
    assert shared["metadata"]["name"] == "vision"
    assert local["metadata"] == {"name": "training", "namespace": "vision"}
    assert local["spec"] == {"clusterQueue": "vision"}


def test_a_queue_takes_jobs_of_its_tenant_alone_and_ends_none_for_another():
    spec = cluster_queue_spec("f", "vision", {"cpu": "6", "nvidia.com/gpu": "2"})
    assert spec["namespaceSelector"] == {"matchLabels": {"kubernetes.io/metadata.name": "vision"}}
    assert "preemption" not in spec  # Kueue's own default is to end nothing
    [group] = spec["resourceGroups"]
    assert group["coveredResources"] == ["cpu", "nvidia.com/gpu"]
    [flavor] = group["flavors"]
    assert flavor == {
        "name": "f",
        "resources": [
            {"name": "cpu", "nominalQuota": "6"},
            {"name": "nvidia.com/gpu", "nominalQuota": "2"},
        ],
    }
