"""Kueue as the stack says it is, against what runs in the cluster."""

import pytest

from infra.live import interpret
from infra.live.snapshot import FoundController, FoundQueueCrd
from infra.vocabulary import QUEUE_CRDS

OWN = FoundController(
    namespace="kueue-system", name="kueue-controller-manager", ready=1, release="kueue-system/kueue"
)
THEIRS = FoundController(namespace="queues", name="kueue-controller-manager", ready=1, release=None)
STOPPED = FoundController(namespace="queues", name="kueue-controller-manager", ready=0, release=None)
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


def test_nothing_is_said_of_kueue_in_a_stack_without_queues(found):
    assert found(kueues=(THEIRS,), queue_crds=()) == ()


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
