"""What a training that imports the helper serves. Without TensorFlow: the callback is driven by hand."""

import importlib.util
import math
import socket
import urllib.request
from types import SimpleNamespace

import pytest

from infra.checks.series import TRAINING
from infra.places import ROOT
from infra.vocabulary import METRICS_PORT_ENV

HELPER = ROOT / "examples" / "training_metrics.py"
PROGRESS = "training_last_progress_timestamp_seconds"
CHECKPOINT = "training_checkpoint_timestamp_seconds"
SPEED = "training_examples_per_second"


@pytest.fixture
def helper(monkeypatch):
    """The module as a script imports it."""
    monkeypatch.delenv(METRICS_PORT_ENV, raising=False)
    spec = importlib.util.spec_from_file_location("training_metrics", HELPER)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def port():
    """A port that is free."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def served(port, host="127.0.0.1"):
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(f"http://{host}:{port}/metrics", timeout=5) as answer:
        lines = answer.read().decode().splitlines()
    return {name: float(value) for name, value in (line.split() for line in lines if line[0] != "#")}


def test_numbers_are_served_as_the_training_gives_them(helper, port):
    metrics = helper.TrainingMetrics(port)
    metrics.progress(epoch=3, step=120, loss=0.25, accuracy="0.5")
    found = served(port)
    assert (found["training_epoch"], found["training_step"]) == (3, 120)
    assert (found["training_loss"], found["training_accuracy"]) == (0.25, 0.5)


def test_what_nobody_has_given_is_not_served_as_0(helper, port):
    metrics = helper.TrainingMetrics(port)
    assert served(port).keys() == {PROGRESS}
    metrics.progress(loss=1)
    metrics.progress(step=1)
    assert served(port).keys() == {PROGRESS, "training_loss", "training_step"}


def test_a_loss_that_is_no_number_any_more_is_served_as_such(helper, port):
    metrics = helper.TrainingMetrics(port)
    metrics.progress(loss=math.nan, accuracy=math.inf)
    assert math.isnan(served(port)["training_loss"])
    assert math.isinf(served(port)["training_accuracy"])


def test_the_last_progress_is_a_time_that_begins_with_the_training(helper, port, monkeypatch):
    monkeypatch.setattr(helper.time, "time", lambda: 1000.0)
    metrics = helper.TrainingMetrics(port)
    assert served(port)[PROGRESS] == 1000
    monkeypatch.setattr(helper.time, "time", lambda: 1030.0)
    metrics.progress(step=1)
    assert served(port)[PROGRESS] == 1030


def test_a_checkpoint_is_safe_since_it_was_written(helper, port, monkeypatch):
    metrics = helper.TrainingMetrics(port)
    monkeypatch.setattr(helper.time, "time", lambda: 2000.0)
    metrics.checkpoint_written()
    assert served(port)[CHECKPOINT] == 2000


def test_the_speed_is_that_of_the_last_seconds(helper, port, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(helper.time, "monotonic", lambda: now[0])
    metrics = helper.TrainingMetrics(port)
    now[0] = 1.0
    metrics.progress(examples=64)
    assert SPEED not in served(port)
    now[0] = 8.0
    metrics.progress(examples=64)
    assert served(port)[SPEED] == 128 / 8
    now[0] = 18.0
    metrics.progress(examples=20)
    assert served(port)[SPEED] == 2


def test_the_port_is_that_of_the_job(helper, port, monkeypatch):
    monkeypatch.setenv(METRICS_PORT_ENV, str(port))
    helper.TrainingMetrics()
    assert PROGRESS in served(port)


def test_without_a_port_nothing_is_served_and_the_training_goes_on(helper, capsys):
    helper.TrainingMetrics().progress(loss=1)
    assert capsys.readouterr().err == ""


def test_a_port_that_is_taken_does_not_end_the_training(helper, capsys):
    with socket.socket() as taken:
        taken.bind(("0.0.0.0", 0))
        taken.listen()
        helper.TrainingMetrics(taken.getsockname()[1]).progress(loss=1)
    assert "nobody can read how this training goes" in capsys.readouterr().err


@pytest.mark.parametrize("said", ["http", "70000", "-1"])
def test_a_port_that_is_none_does_not_end_the_training(helper, capsys, monkeypatch, said):
    monkeypatch.setenv(METRICS_PORT_ENV, said)
    helper.TrainingMetrics().progress(loss=1)
    assert f"port {said}" in capsys.readouterr().err


def test_a_value_that_is_no_number_does_not_end_the_training(helper, port, capsys):
    metrics = helper.TrainingMetrics(port)
    metrics.progress(loss=[1, 2], accuracy="good", step=1)
    assert served(port).keys() == {PROGRESS, "training_step"}
    assert "training_loss is no number" in capsys.readouterr().err


def test_keras_reports_batches_and_epochs_and_goes_on_counting(helper, port):
    callback = helper.KerasMetrics(helper.TrainingMetrics(port), batch_size=64)
    callback.model = SimpleNamespace(optimizer=SimpleNamespace(iterations=100))
    callback.on_train_begin()
    callback.on_train_batch_end(0, {"loss": 0.5, "accuracy": 0.75})
    found = served(port)
    assert (found["training_step"], found["training_loss"], found["training_accuracy"]) == (101, 0.5, 0.75)
    callback.on_epoch_end(4, {"loss": 0.25})
    assert (served(port)["training_epoch"], served(port)["training_loss"]) == (5, 0.25)


def test_keras_may_report_nothing(helper, port):
    callback = helper.KerasMetrics(helper.TrainingMetrics(port))
    callback.on_train_batch_end(0)
    assert served(port)["training_step"] == 1


def test_there_is_one_helper_and_scripts_find_it_beside_them():
    assert (ROOT / "stacks" / "scripts" / "training_metrics.py").resolve() == HELPER


def test_what_it_serves_is_what_checks_know_of_trainings(helper):
    assert set(TRAINING) == set(helper._HELP)


def test_they_are_served_at_whichever_address_a_cluster_gives_the_pod(helper, port, loopbacks):
    helper.TrainingMetrics(port)
    assert all(served(port, host).keys() == {PROGRESS} for host in loopbacks)
