"""Kueue as the stack says it is, against what runs in the cluster."""

from dataclasses import replace

import pytest

from infra.live import interpret
from infra.live.snapshot import FoundController, FoundQueueCrd, FoundQueueObject
from infra.vocabulary import QUEUE_CRDS

OWN = FoundController(
    namespace="kueue-system", name="kueue-controller-manager", ready=1, release="kueue-system/kueue"
)
THEIRS = FoundController(namespace="queues", name="kueue-controller-manager", ready=1, release=None)
STOPPED = FoundController(namespace="queues", name="kueue-controller-manager", ready=0, release=None)
THEIR_QUEUE = FoundQueueObject(name="vision", others=("kubectl-create",))
THEIR_FLAVOR = FoundQueueObject(name="colocation-dev", others=("kubectl-create",))
CRDS = tuple(FoundQueueCrd(name=name, served=("v1beta1", "v1beta2")) for name in QUEUE_CRDS)


@pytest.fixture
def installing(data):
    data["queueing"] = {}


@pytest.fixture
def attaching(data):
    data["queueing"] = {"install": False}


@pytest.mark.parametrize(("kueues", "crds"), [((), ()), ((OWN,), CRDS), (None, None)], ids=str)
@pytest.mark.usefixtures("installing")
def test_an_empty_cluster_and_the_stacks_own_are_fine(found, kueues, crds):
    assert found(kueues=kueues, queue_crds=crds) == ()


@pytest.mark.usefixtures("installing")
def test_a_second_kueue_is_a_fault_that_says_where_the_first_is(only):
    assert only(kueues=(THEIRS,), queue_crds=CRDS)[:2] == ("fault", "queueing-of-others")
    assert "Deployment queues/kueue-controller-manager" in only.text


@pytest.mark.usefixtures("attaching")
def test_a_stack_attaches_to_whatever_kueue_runs(found):
    assert found(kueues=(THEIRS,), queue_crds=CRDS) == ()


@pytest.mark.parametrize("kueues", [(), (STOPPED,)], ids=["none", "stopped"])
@pytest.mark.usefixtures("attaching")
def test_without_a_kueue_no_job_would_start(only, kueues):
    assert only(kueues=kueues, queue_crds=CRDS)[:2] == ("fault", "queueing-absent")


@pytest.mark.parametrize(
    "crds", [CRDS[:-1], (*CRDS[:-1], FoundQueueCrd(name=QUEUE_CRDS[-1], served=("v1beta1",)))], ids=str
)
@pytest.mark.usefixtures("attaching")
def test_a_kind_that_is_missing_or_too_old_is_named(only, crds):
    assert only(kueues=(THEIRS,), queue_crds=crds)[:2] == ("fault", "queueing-crd-absent")
    assert "workloads.kueue.x-k8s.io" in only.text


@pytest.mark.usefixtures("attaching")
def test_a_cluster_queue_of_others_that_has_a_tenants_name_is_a_fault(data, found, only):
    data["tenants"][0]["quota"] = {"requests.cpu": "4"}
    place = ("tenants", 0, "name")
    assert only(cluster_queues=(THEIR_QUEUE,)) == ("fault", "queue-of-others", place)
    assert "the ClusterQueue vision is there already, and is managed by kubectl-create" in only.text
    data["tenants"][0]["quota"] = {}  # and so without a queue
    assert found(cluster_queues=(THEIR_QUEUE,)) == ()


@pytest.mark.usefixtures("attaching")
def test_a_flavor_of_others_that_has_the_name_of_the_stacks_is_a_fault(only):
    assert only(resource_flavors=(THEIR_FLAVOR,)) == ("fault", "queue-of-others", ("queueing",))
    assert "the ResourceFlavor colocation-dev" in only.text


@pytest.mark.usefixtures("attaching")
def test_queues_and_flavors_of_the_stack_and_those_of_other_names_are_fine(data, found):
    data["tenants"][0]["quota"] = {"requests.cpu": "4"}
    own, other = FoundQueueObject(name="vision", others=()), replace(THEIR_QUEUE, name="speech")
    flavors = (replace(THEIR_FLAVOR, others=()), replace(THEIR_FLAVOR, name="default"))
    assert found(cluster_queues=(own, other), resource_flavors=flavors) == ()


def test_nothing_is_said_of_kueue_in_a_stack_without_queues(found):
    theirs = {"cluster_queues": (THEIR_QUEUE,), "resource_flavors": (THEIR_FLAVOR,)}
    assert found(kueues=(THEIRS,), queue_crds=(), **theirs) == ()


def test_kueue_is_known_by_its_image_and_its_release():
    def deployment(image, **annotations):
        return {
            "metadata": {"namespace": "q", "name": "manager", "annotations": annotations},
            "spec": {"template": {"spec": {"containers": [{"image": image}]}}},
            "status": {"readyReplicas": 1},
        }

    [found] = interpret.kueues(
        [
            deployment("registry.example/other:1"),
            deployment("mirror.example/kueue/kueue:v0.17.0", **{"meta.helm.sh/release-name": "kueue"}),
        ]
    )
    assert found == FoundController(namespace="q", name="manager", ready=1, release="q/kueue")


def test_of_a_definition_the_served_versions_count():
    versions = [{"name": "v1beta1", "served": False}, {"name": "v1beta2", "served": True}]
    item = {"metadata": {"name": "workloads.kueue.x-k8s.io"}, "spec": {"versions": versions}}
    assert interpret.queue_crd(item).served == ("v1beta2",)


def test_of_a_queue_its_name_and_its_managers_count():
    managed = [{"manager": "kubectl-create"}, {"manager": "kueue", "subresource": "status"}]
    assert interpret.queue_object({"metadata": {"name": "vision", "managedFields": managed}}) == THEIR_QUEUE
