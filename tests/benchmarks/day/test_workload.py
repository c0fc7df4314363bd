"""The work of a day: drawn alike at every run, and such that separate pools could do it."""

from __future__ import annotations

import pytest

from benchmarks.day import nodes
from benchmarks.day.workload import (
    DAY_HOURS,
    LIFETIME_HOURS,
    PEAK_SHARE,
    STEP_HOURS,
    TRACE_FILE,
    Amount,
    draw,
    load,
    small_mix,
    trace_mix,
)


def parts(count=9):
    found = {"online": [], "offline": []}
    for node in nodes.topology(count):
        if part := node.labels.get(nodes.PART_LABEL):
            found[part].append(nodes.amount(node))
    return found["online"], found["offline"]


def work(seed=7, count=9):
    return draw(small_mix(), *parts(count), seed)


def total(amounts):
    return sum(amounts, Amount(0, 0))


def test_the_same_seed_gives_the_same_day_and_another_seed_another():
    assert work() == work()
    assert work() != work(seed=8)


@pytest.mark.parametrize("count", [9, 50])
def test_services_at_their_peak_leave_a_third_of_their_own_nodes_free(count):
    online, _ = parts(count)
    peak = total(service.request * max(service.replicas) for service in work(count=count).services)
    assert 0.8 * PEAK_SHARE < peak.cpu / total(online).cpu <= PEAK_SHARE
    assert peak.gpus <= total(online).gpus * PEAK_SHARE


def test_a_service_has_about_a_quarter_of_its_load_at_night():
    assert load(0) == 1
    assert load(12) == pytest.approx(0.25)
    assert load(6) < 0.5 < load(3)


def test_no_job_is_larger_than_what_separate_pools_give_to_jobs():
    _, offline = parts()
    assert all((job.request * job.workers).fits(total(offline)) for job in work().jobs)


def test_there_is_more_work_than_room():
    online, offline = parts()
    day = work()
    asked = total((job.request * job.workers).times(job.hours) for job in day.jobs)
    services = total(service.request.times(sum(service.replicas) * STEP_HOURS) for service in day.services)
    room = total((*online, *offline)).times(DAY_HOURS)
    assert asked.cpu + services.cpu > room.cpu
    assert asked.gpus + services.gpus > room.gpus


def test_a_short_run_has_the_jobs_of_its_hours():
    day = draw(small_mix(), *parts(), 7, hours=4)
    assert 0 < len(day.jobs) < len(work().jobs)
    assert all(job.arrives <= 4 for job in day.jobs)


def test_of_a_trace_the_latency_sensitive_pods_give_services_and_long_best_effort_ones_jobs(tmp_path):
    rows = [
        "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time",
        "a,12000,16384,1,460,,LS,Running,0,900,0",
        "b,4000,8192,1,1000,,BE,Succeeded,0,7300,100",
        "c,4000,8192,1,1000,,BE,Succeeded,0,400,100",
        "d,4000,8192,0,0,,BE,Succeeded,0,900000,0",
        "e,4000,8192,0,0,,BE,Pending,0,,",
    ]
    (tmp_path / TRACE_FILE).write_text("\n".join(rows) + "\n")
    mix = trace_mix(tmp_path)
    assert [shape.request for shape in mix.online] == [Amount(12, 16, 1)]
    assert [shape.hours for shape in mix.offline] == [2, LIFETIME_HOURS[1]]


def test_the_article_has_three_masters_and_four_of_six_workers_with_gpus():
    found = list(nodes.topology(9))
    assert sum(node.gpus == 4 for node in found) == 4
    assert [nodes.PART_LABEL in node.labels for node in found].count(False) == 3
    assert [node.labels.get(nodes.PART_LABEL) for node in found].count("offline") == 1


def test_every_node_is_kept_from_pods_that_are_not_of_the_benchmark():
    assert all(nodes.TAINT_OURS in node.taints for node in nodes.topology(9))
