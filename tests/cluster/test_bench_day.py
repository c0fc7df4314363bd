"""A short day on few nodes: sharing them uses more of them than separate pools, and services do not wait."""

from __future__ import annotations

import json
import threading

import pytest

from benchmarks.day import bench, nodes
from benchmarks.day.api import Api
from benchmarks.day.cluster import clean, simulated_cluster
from benchmarks.day.settings import SETTINGS
from benchmarks.day.workload import draw, small_mix
from sandbox.node import NODE_NAME

pytestmark = pytest.mark.cluster

NODES, HOURS, HOUR_SECONDS, SEED = 9, 3, 6.0, 7
LEAST_GAIN = 1.25
"""Of the CPU; 1.8 beside the unit tests. Of GPUs so short a day has too few jobs to say anything."""
LONGEST_WAIT_SECONDS = 20


@pytest.fixture(scope="module")
def days(sandbox, deployed_once, tmp_path_factory):
    with simulated_cluster(NODES, threading.Event()) as ready:
        work = draw(small_mix(), ready.part("online"), ready.part("offline"), SEED, HOURS)
        yield {
            name: bench.play(
                ready,
                SETTINGS[name](work, ready.capacity, tmp_path_factory.mktemp("day")),
                work,
                hour_seconds=HOUR_SECONDS,
                hours=HOURS,
                seed=SEED,
                warm_up_seconds=20,
            )
            for name in "ad"
        }


def test_a_shared_cluster_is_used_more_than_separate_pools(days):
    assert days["d"].requested.cpu / days["a"].requested.cpu > LEAST_GAIN


def test_services_do_not_wait_for_training(days):
    day = days["d"]
    assert day.waits.never_ran == 0
    assert day.waits.worst < LONGEST_WAIT_SECONDS
    assert day.online_served > 0.9


def test_the_real_node_takes_no_pod_of_the_day(days, sandbox):
    found = sandbox.items("pods", "-A", "--field-selector", f"spec.nodeName={NODE_NAME}")
    assert not [pod for pod in found if pod["metadata"]["namespace"].startswith("bench-day")]


def test_nothing_of_a_day_that_is_over_is_left(sandbox):
    """Of this module it is the last."""
    clean(Api())
    for kind in ("nodes", "namespaces", "priorityclasses", "persistentvolumes"):
        assert not json.loads(sandbox.kubectl("get", kind, "-l", nodes.LABEL, "-o", "json"))["items"]
