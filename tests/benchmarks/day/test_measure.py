"""Sums over pods, by pods whose sums are known."""

from __future__ import annotations

import pytest

from benchmarks.day import measure
from benchmarks.day.watch import Pod
from benchmarks.day.workload import Amount, Service

CAPACITY = Amount(10, 100, 4)
DAY = (100.0, 200.0)


def pod(name, online=True, **moments):
    given = {"owner": "web" if online else "train", "request": Amount(5, 20, 2), "created": 90.0, **moments}
    return Pod(uid=name, name=name, online=online, **given)


def test_a_pod_counts_while_it_has_its_place_within_the_day():
    half = pod("a", bound=50.0, running=51.0, ended=150.0)
    found = measure.requested([half, pod("waits")], DAY, CAPACITY)
    assert (found.cpu, found.memory, found.gpus) == (0.25, 0.1, 0.25)


def test_a_pod_that_is_still_there_counts_to_the_end():
    assert measure.requested([pod("a", bound=180.0)], DAY, CAPACITY).cpu == pytest.approx(0.1)


def gang():
    first = pod("a", online=False, bound=100.0, running=100.0, ended=200.0)
    second = pod("b", online=False, bound=140.0, running=140.0, leaving=180.0, ended=185.0)
    return [first, second]


def test_workers_work_only_while_all_of_them_run():
    assert measure.working(gang(), {"train": 2}, DAY) == {"train": [(140.0, 180.0)]}


def test_what_waits_for_its_peers_is_held_and_not_used():
    found = measure.stalled(gang(), {"train": 2}, DAY, CAPACITY)
    # 60 s of the first, and 5 s of the second after it was told to end.
    assert found.cpu == pytest.approx((60 + 5) * 5 / (100 * 10))
    used = measure.used(gang(), {"train": 2}, DAY, CAPACITY, seed=1)
    low, high = measure.USE[False, "cpu"]
    assert low * 0.4 <= used.cpu <= high * 0.4


def test_use_is_drawn_alike_at_every_run():
    pods = [pod("a", bound=100.0, running=100.0)]
    one, two = (measure.used(pods, {}, DAY, CAPACITY, seed=3) for _ in range(2))
    assert one == two != measure.used(pods, {}, DAY, CAPACITY, seed=4)


def test_a_pod_without_a_place_counts_with_what_it_waited():
    pods = [
        pod("a", created=110.0, bound=111.0),
        pod("b", created=110.0, leaving=140.0, ended=140.0),
        pod("early", created=90.0, bound=190.0),
    ]
    found = measure.waits(pods, DAY)
    assert (found.pods, found.p50, found.worst, found.never_ran) == (2, 1.0, 30.0, 1)


def test_percentiles_are_by_the_nearest_rank():
    values = [float(n) for n in range(1, 101)]
    assert [measure.percentile(values, share) for share in (0.5, 0.99, 1)] == [50, 99, 100]
    assert measure.percentile([], 0.5) == 0


def test_what_services_wanted_is_compared_with_what_ran():
    web = Service("web", Amount(5, 20), (2,) * 72)
    one = pod("a", bound=100.0, running=100.0)
    assert measure.served([one], [web], DAY, hours=24) == pytest.approx(0.5)
