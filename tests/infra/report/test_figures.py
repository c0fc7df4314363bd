"""What a real Prometheus makes of the questions, against figures worked out by hand (see world.py)."""

import json

import pytest

from infra.cli import main
from tests.infra.report.world import GIB, WINDOW, samples


@pytest.fixture(scope="module")
def cluster(prometheus):
    return prometheus(samples())


@pytest.fixture
def report(cluster, server, stack_file, data, capsys):
    """The report of the two hours, as programs get it."""
    cluster.behind(server)
    data["monitoring"] = {"install": False}

    def ask(*options):
        code = main(["report", "--file", str(stack_file(data)), "--format", "json", *(options or WINDOW)])
        out, err = capsys.readouterr()
        assert (code, err) == (0, "")
        return json.loads(out)

    return ask


def near(value):
    return pytest.approx(value, rel=0.02)


def use(found, resource, basis):
    [one] = [u for u in found["utilisation"] if (u["resource"], u["basis"]) == (resource, basis)]
    return one


def test_a_cluster_of_which_everything_is_known(report):
    found = report()

    # Requested: of 20 cores, and of 30 in the second hour. Who waits or has ended holds nothing.
    cpu = use(found, "cpu", "requested")
    assert (cpu["allocatable"], cpu["nodes"]) == (near(25), near(2.5))
    assert cpu["amounts"] == {"online": near(4.5), "offline": near(3), "system": near(1)}
    assert (cpu["r1_percent"], cpu["r2_percent"]) == (near(100 * 5.5 / 25), near(100 * 8.5 / 25))
    assert cpu["machines_saved"] == near(2.5 * 3 / 8.5)
    assert cpu["idle"] == near(16.5)

    # Used: of the one node that kubelets tell about, across a counter that began anew.
    cpu = use(found, "cpu", "used")
    assert (cpu["allocatable"], cpu["nodes"]) == (10, 1)
    assert cpu["amounts"] == {"online": near(1.25), "offline": near(3), "system": near(0.5)}
    assert cpu["machines_saved"] == near(1 * (47.5 - 17.5) / 47.5)

    memory = use(found, "memory", "used")
    assert memory["amounts"] == {"online": near(6 * GIB), "offline": near(10 * GIB), "system": near(GIB)}
    assert memory["percent"]["offline"] == near(10)
    assert use(found, "memory", "requested")["amounts"]["offline"] == near(25 * GIB)

    gpu = use(found, "gpu", "requested")
    assert (gpu["allocatable"], gpu["nodes"]) == (4, 1)
    assert gpu["percent"] == {"online": 0, "offline": 50, "system": 0}
    assert use(found, "gpu", "used")["percent"]["offline"] == near(30)
    assert gpu["machines_saved"] is None

    # The GPU job's core is on a node of which nobody says how much it uses.
    demand = {(one["resource"], one["of"]): one for one in found["demand"]}
    assert demand["cpu", "online"]["used_percent"] == near(100 * 1.25 / 4.5)
    assert (demand["cpu", "offline"]["requested"], demand["cpu", "offline"]["used"]) == (near(2), near(3))
    assert demand["gpu", "offline"]["used_percent"] == near(60)

    online, offline = found["harm"]
    assert (online["throttled_percent"], offline["throttled_percent"]) == (near(10), near(50))
    assert (online["preempted_pods"], offline["preempted_pods"]) == (0, 2)
    assert (online["evicted_pods"], offline["evicted_pods"]) == (1, 0)
    assert found["scheduler_victims"] == near(2)

    jobs = found["jobs"]
    assert (jobs["started"], jobs["succeeded"], jobs["failed"]) == (3, 1, 1)
    assert (jobs["running"], jobs["deleted"]) == (1, 1)
    assert (jobs["finished_job_hours"], jobs["lost_job_hours"]) == (0.5, 0.25)
    # Of each run that vanishes, the minute that Prometheus takes it to be there still.
    assert jobs["running_job_hours"] == pytest.approx(2 + 0.5 + 0.25 + 0.5, abs=0.05)

    assert (found["missing"], found["covered_percent"]) == ([], 100)


def test_means_of_a_long_window_are_those_of_a_short_one(report):
    """At 300 s a step instead of 30: here of the hours before the window, when nothing changed."""
    before = ("--from", "2026-01-01T05:00:00Z", "--to", "2026-01-01T07:00:00Z")
    long = ("--from", "2025-12-31T09:00:00Z", "--to", "2026-01-01T07:00:00Z")
    short_use, long_use = (use(report(*options), "cpu", "used") for options in (before, long))
    assert long_use["amounts"] == {kind: near(v) for kind, v in short_use["amounts"].items()}


def test_a_window_that_is_longer_than_the_data_says_so(report):
    found = report("--from", "2025-12-31T09:00:00Z", "--to", "2026-01-01T07:00:00Z")
    assert found["step_seconds"] == 300
    assert found["covered_percent"] == pytest.approx(100 * 141 / 1320, abs=1)


def test_gpu_metrics_of_some_nodes_are_not_taken_for_all(report):
    """Of n3 alone; a GPU node without the exporter would otherwise count as idle."""
    assert use(report(), "gpu", "used")["nodes"] == 1
