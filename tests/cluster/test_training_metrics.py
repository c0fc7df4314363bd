"""Metrics of trainings and of GPUs, as a real Prometheus finds and keeps them."""

from __future__ import annotations

import subprocess
import sys

import pytest

from sandbox import paths, scratch
from tests.cluster import prometheus
from tests.cluster.conftest import Deployment, eventually, until_the_operator_answers

pytestmark = pytest.mark.cluster

NAMESPACE = "kubeflow"
LOOP = """
import time
from training_metrics import TrainingMetrics

metrics = TrainingMetrics(port=8000)
for step in range(10000):
    metrics.progress(epoch=step // 10, step=step, loss=1 / (step + 1), accuracy=0.5, examples=32)
    if step % 10 == 0:
        metrics.checkpoint_written()
    time.sleep(0.5)
"""
ANNOTATIONS = {"prometheus.io/scrape": "true", "prometheus.io/port": "8000"}
SMALL = {"requests": {"cpu": "50m", "memory": "256Mi"}, "limits": {"cpu": "1", "memory": "1Gi"}}
SERVED = (
    "training_loss",
    "training_accuracy",
    "training_epoch",
    "training_step",
    "training_examples_per_second",
    "training_last_progress_timestamp_seconds",
)
SOON = 300


def job(deployment, name, **change):
    """A job of one worker, with the image of the stack's other jobs."""
    return {
        "name": name,
        "tenant": NAMESPACE,
        "priority": "offline-low",
        "image": deployment.stack["jobs"][0]["image"],
        "worker": {"replicas": 1, "resources": SMALL},
        **change,
    }


@pytest.fixture(scope="module")
def watched(sandbox, tmp_path_factory):
    """The stack with jobs that train until they are stopped; without them again after the last test."""
    project = tmp_path_factory.mktemp("watched") / "project"
    deployment = Deployment(sandbox, scratch.copied(sandbox.workspace, project))
    committed, stack = deployment.stack_file.read_text(), deployment.stack
    deployment.script("loop.py").write_text(LOOP)
    keras = {"script": "mnist.py", "metrics_port": 8080, "env": {"EPOCHS": "100000"}}
    annotated = {"script": "loop.py", "annotations": ANNOTATIONS}
    stack["jobs"] += [
        # A second worker, whose numbers would be the first one's again.
        job(deployment, "by-port", **keras, worker={"replicas": 2, "resources": SMALL}),
        job(deployment, "by-annotation", **annotated),
        job(deployment, "by-schedule", **annotated, schedule="* * * * *"),
    ]
    stack["monitoring"] = {"install": False}
    deployment.write(stack)
    until_the_operator_answers(sandbox)  # the whole sandbox may have been restarted just now
    deployment.up()
    yield deployment
    deployment.stack_file.write_text(committed)
    deployment.up()


def series(name, tfjob):
    [found] = prometheus.until(f'{name}{{tfjob="{tfjob}"}}', timeout_seconds=SOON)
    return found


@pytest.mark.parametrize("tfjob", ["by-port", "by-annotation"])
@pytest.mark.parametrize("name", SERVED)
def test_how_a_training_goes_is_known_while_it_trains(watched, tfjob, name):
    series(name, tfjob)
    if name != "training_epoch":  # the first step is 0 as well
        prometheus.until(f'{name}{{tfjob="{tfjob}"}} > 0', timeout_seconds=SOON)


def test_the_last_progress_is_of_now_and_goes_on(watched):
    first = series("training_last_progress_timestamp_seconds", "by-port")["value"]
    prometheus.until(
        f'training_last_progress_timestamp_seconds{{tfjob="by-port"}} > {first}', timeout_seconds=SOON
    )
    prometheus.until('time() - training_last_progress_timestamp_seconds{tfjob="by-port"} < 60')


def test_f3_port_and_annotation_lead_to_the_same_labels(watched):
    by_port, by_annotation = (
        series("training_loss", name)["metric"] for name in ("by-port", "by-annotation")
    )
    assert by_port.keys() == by_annotation.keys()
    for found in (by_port, by_annotation):
        told = {key: found[key] for key in ("job", "namespace", "replica_type", "replica_index")}
        assert told == {
            "job": "training-pods",
            "namespace": NAMESPACE,
            "replica_type": "worker",
            "replica_index": "0",
        }
        assert found["pod"] == f"{found['tfjob']}-worker-0"
        assert found["training_job"] == found["tfjob"]
        assert found["node"]


def test_runs_of_a_schedule_are_found_by_the_name_of_their_job(watched):
    [*found] = prometheus.until('training_loss{training_job="by-schedule"}', timeout_seconds=SOON)
    assert all(one["metric"]["tfjob"].startswith("by-schedule-") for one in found)


def test_each_job_is_scraped_once_and_every_target_answers(watched):
    def settled():
        found = [t for t in prometheus.targets() if t["labels"]["job"] == "training-pods"]
        ours = [t for t in found if t["labels"]["tfjob"] in ("by-port", "by-annotation")]
        return {t["health"] for t in ours} == {"up"} and sorted(t["labels"]["pod"] for t in ours)

    assert eventually(settled, timeout_seconds=SOON) == ["by-annotation-worker-0", "by-port-worker-0"]


def test_status_shows_progress_and_loss_as_prometheus_has_them(watched):
    """LOOP makes ten steps an epoch, and its loss is 1 / (step + 1)."""
    before = series("training_epoch", "by-annotation")["value"]
    done = subprocess.run(
        [sys.executable, "-m", "infra.cli", "status", "--file", str(watched.stack_file)],
        cwd=paths.CHECKOUT,
        env=watched.workspace.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    after = series("training_epoch", "by-annotation")["value"]
    assert (done.returncode, done.stderr) == (0, "")
    # A long name is cut in its middle where its line would be too long.
    rows = {line.split()[0][:4]: line.split() for line in done.stdout.splitlines() if line.strip()}
    *_, word, epoch, loss = rows["by-a"]
    assert (word, before <= int(epoch) <= after) == ("epoch", True)
    least, most = 1 / (10 * (after + 1)), 1 / (10 * before + 1)
    assert 0.999 * least <= float(loss) <= 1.001 * most
    assert rows["by-p"][-3] == "epoch"


def test_the_training_operator_is_scraped(watched):
    prometheus.until('up{job="training-operator"} == 1', timeout_seconds=SOON)
    prometheus.until("training_operator_jobs_created_total", timeout_seconds=SOON)


def test_g2_the_exporter_of_gpu_metrics_runs_on_the_nodes_of_the_gpu_pool_alone(watched):
    def pods():
        found = watched.sandbox.items(
            "pods", "-n", "gpu-monitoring", "-l", "app.kubernetes.io/name=dcgm-exporter"
        )
        nodes = sorted(pod["spec"].get("nodeName", "") for pod in found)
        return len(nodes) >= 4 and nodes

    assert eventually(pods) == [f"node-gpu-0{i}" for i in range(1, 5)]


def test_a_second_preview_is_empty(watched):
    assert watched.plan() == {}
