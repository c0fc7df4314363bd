"""Jobs through a day, against a cluster that only notes what is asked of it."""

from __future__ import annotations

import threading
import time

import pytest

from benchmarks.day.driver import PATIENCE_HOURS, Day, Run, keeps_checkpoints
from benchmarks.day.settings import separate_pools
from benchmarks.day.watch import Observer, Pod
from benchmarks.day.workload import Amount, Job, Work

JOB = Job("train", Amount(4, 8, 1), workers=2, hours=3.0, arrives=0.0)
WORK = Work("test", (), (JOB,))


class Cluster:
    """Notes requests."""

    def __init__(self):
        self.asked = []

    def create(self, manifest):
        self.asked.append(("create", manifest["metadata"]["name"]))

    def call(self, method, path, body=None, **_):
        self.asked.append((method, path.rpartition("/pods/")[2]))

    def delete(self, path, **_):
        self.asked.append(("delete", path.rpartition("/")[2]))


@pytest.fixture
def day(tmp_path):
    setting = separate_pools(WORK, Amount(320, 1280, 16), tmp_path)
    api = Cluster()
    played = Day(api, Observer(api, "online", "offline"), setting, WORK, 1.0, threading.Event())
    played.runs.append(Run(JOB, setting.tfjobs["train"], keeps=False))
    yield played
    played.shut()


def step(day, hour, passed=0.0):
    day._train(hour, passed)
    day._drain()


def worker(day, name, owner="train", running=True):
    day.observer.pods[name] = Pod(
        uid=name,
        name=name,
        online=False,
        owner=owner,
        request=JOB.request,
        created=0.0,
        bound=1.0 if running else None,
        running=1.0 if running else None,
    )


def test_a_job_ends_when_all_its_workers_together_have_run_for_its_time(day):
    step(day, 0)
    worker(day, "a")
    step(day, 0, passed=5.0)
    assert day.runs[0].progress == 0, "one of two makes no progress"
    worker(day, "b")
    step(day, 1, passed=2.9)
    assert day.api.asked == [("create", "train")]
    step(day, 3, passed=0.2)
    assert sorted(day.api.asked[1:]) == [("PATCH", "a/status"), ("PATCH", "b/status")]
    day.observer.jobs["train"] = {"Succeeded": ""}
    step(day, 4)
    assert day.runs[0].done
    assert day.api.asked[-1] == ("delete", "train")


@pytest.mark.parametrize(("keeps", "kept"), [(True, 1.0), (False, 0.0)])
def test_an_interrupted_training_begins_where_its_checkpoint_was(day, keeps, kept):
    [run] = day.runs
    run.keeps = keeps
    step(day, 0)
    worker(day, "a")
    worker(day, "b")
    step(day, 1, passed=1.2)
    day.observer.pods["b"].leaving = time.monotonic()
    step(day, 2, passed=0.1)
    assert run.progress == kept
    assert run.lost_pod_hours == pytest.approx((1.2 - kept) * 2)


def test_a_job_whose_workers_wait_for_each_other_is_given_up_and_submitted_anew(day):
    [run] = day.runs
    step(day, 0)
    worker(day, "a")
    worker(day, "b", running=False)
    step(day, 1)
    step(day, 1.1 + PATIENCE_HOURS)
    assert run.deadlocks == 1
    step(day, 1.2 + PATIENCE_HOURS)
    assert day.api.asked == [("create", "train"), ("delete", "train"), ("create", "train-1")]


def test_a_job_that_only_waits_is_left_alone(day):
    step(day, 0)
    worker(day, "a", running=False)
    worker(day, "b", running=False)
    step(day, 1)
    step(day, 20)
    assert day.runs[0].deadlocks == 0


def test_a_failed_job_is_submitted_anew(day):
    step(day, 0)
    day.observer.jobs["train"] = {"Failed": ""}
    step(day, 1)
    step(day, 1.1)
    assert day.runs[0].failures == 1
    assert day.api.asked[-1] == ("create", "train-1")


def test_a_job_of_the_article_keeps_no_checkpoints(day):
    assert not keeps_checkpoints(day.setting.tfjobs["train"])
