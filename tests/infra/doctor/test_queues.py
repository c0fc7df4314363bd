"""Jobs that wait in a queue."""

import pytest

from infra.cluster.overview import overview
from tests.infra.doctor.conftest import ago, named, tfjob

LABELS = {"kueue.x-k8s.io/queue-name": "training"}
MESSAGE = "couldn't assign flavors to pod set worker: insufficient unused quota for cpu, 5 more needed"


def workload(reason="Pending", message=MESSAGE, *, uid="mnist-uid", evicted=None, cpu="8"):
    conditions = [{"type": "QuotaReserved", "status": "False", "reason": reason, "message": message}]
    if evicted:
        conditions.append({"type": "Evicted", "status": "True", "message": evicted})
    found = named("tfjob-mnist", status={"conditions": conditions})
    found["metadata"]["ownerReferences"] = [{"uid": uid}]
    roles = [{"name": "worker", "resources": {"cpu": cpu, "memory": "1Gi"}}]
    found["status"]["resourceRequests"] = roles
    return found


def cluster_queue(used="3"):
    resources = [{"name": "cpu", "nominalQuota": "6"}, {"name": "memory", "nominalQuota": "1P"}]
    return named(
        "vision",
        None,
        spec={"resourceGroups": [{"flavors": [{"name": "f", "resources": resources}]}]},
        status={
            "flavorsReservation": [
                {
                    "name": "f",
                    "resources": [{"name": "cpu", "total": used}, {"name": "memory", "total": "1Gi"}],
                }
            ]
        },
    )


@pytest.fixture
def waiting(clinic_of, data):
    """A job that is suspended in the queue of its tenant."""
    data["tenants"][0]["quota"] = {"requests.cpu": "6", "requests.nvidia.com/gpu": "4"}
    data["jobs"][0]["worker"]["resources"] |= {"requests": {"cpu": "1"}}
    data["queueing"] = {"install": False}
    clinic = clinic_of(data)
    clinic.jobs, clinic.pods = [tfjob(state="Suspended", policy={"suspend": True}, labels=LABELS)], []
    clinic.kinds |= {
        "resourcequotas": [named("quota")],
        "workloads": [workload()],
        "clusterqueues": [cluster_queue()],
        "localqueues": [named("training", spec={"clusterQueue": "vision"})],
    }
    return clinic


def test_what_a_job_needs_and_what_is_free_is_told(waiting):
    found = waiting.only("queued")
    assert found.severity == "warning"
    assert found.cause == "the job waits in the queue of tenant vision: needs 8 cpu, 3 free"
    assert any(MESSAGE in text for _, text in found.shown())


def test_a_job_with_room_waits_for_those_before_it(waiting):
    waiting.kinds["workloads"] = [workload(cpu="2")]
    assert waiting.only("queued").cause.endswith("others are before it")


def test_a_job_that_was_put_back_says_why(waiting):
    waiting.kinds["workloads"] = [workload(evicted="Exceeded the PodsReady timeout")]
    assert any("Exceeded the PodsReady timeout" in text for _, text in waiting.only("queued").shown())


def test_a_queue_that_takes_nothing_is_a_fault(waiting):
    waiting.kinds["workloads"] = [workload("Inadmissible", "LocalQueue training doesn't exist")]
    found = waiting.only("queue-closed")
    assert found.severity == "fault"
    assert any("doesn't exist" in text for _, text in found.shown())


def test_a_job_of_which_kueue_knows_nothing_is_a_fault_after_the_first_moments(waiting):
    waiting.kinds["workloads"] = [workload(uid="of-a-run-before")]
    assert waiting.only("queue-unattended").severity == "fault"
    waiting.jobs[0]["metadata"]["creationTimestamp"] = ago(2)
    assert waiting.found() == ()


def test_a_job_that_was_let_start_is_told_no_more(waiting):
    waiting.jobs = [tfjob(state="Succeeded", labels=LABELS)]
    assert waiting.found() == ()


def test_a_job_suspended_outside_of_any_queue_is_still_told(waiting):
    waiting.jobs = [tfjob(state="Suspended", policy={"suspend": True})]
    assert waiting.only("suspended-by-others")


def test_queues_that_may_not_be_read_say_nothing(waiting):
    waiting.kinds |= dict.fromkeys(("workloads", "clusterqueues", "localqueues"))
    assert waiting.found() == ()


def test_status_shows_that_a_job_is_queued_and_what_it_lacks(waiting):
    case = waiting.case()
    lines = overview(case.stack, case.state, None).splitlines()
    assert lines[2].split()[:2] == ["mnist", "Queued"]
    assert lines[3] == "  mnist waits in the queue: needs 8 cpu, 3 free"
