"""Gang scheduling: a policy that something acts on, and that the job can meet."""

import pytest


@pytest.fixture
def stack(data, cpu_job):
    def build(**policy):
        data["training_operator"] = {"install": False, "namespace": "vision"}
        roles = {"worker": {"replicas": 3}, "ps": {}}
        data["jobs"] = [cpu_job(run_policy={"scheduling_policy": policy}, **roles)]
        return data

    return build


def test_b2_a_gang_is_not_larger_than_its_job(stack, one):
    finding = one(stack(min_available=5))
    assert (finding.severity, finding.code) == ("fault", "min-available-above-replicas")
    assert finding.place == ("jobs", 0, "run_policy", "scheduling_policy", "min_available")
    assert finding.remedy == "write at most 4"


def test_b2_a_gang_may_be_the_whole_job(stack, found):
    assert found(stack(min_available=4)) == []


def test_b2_a_policy_that_the_operator_ignores_is_a_warning(stack, one, data):
    data = stack(min_available=4)
    data["training_operator"] = {"namespace": "vision"}
    finding = one(data)
    assert (finding.severity, finding.code) == ("warning", "gang-scheduling-ignored")


def test_b9_the_class_of_a_gang_is_declared(stack, found):
    place = ("jobs", 0, "run_policy", "scheduling_policy", "priority_class")
    assert found(stack(priority_class="offline-lo")) == [("unknown-priority", place)]
    assert found(stack(priority_class="offline-low")) == []
