"""Trains on real handwritten digits across pods: a chief, workers, parameter servers, an evaluator.

The training operator says in TF_CONFIG who is who. Parameter servers hold the weights and workers
compute; both only serve. The chief hands out the steps, keeps checkpoints on the shared volume, goes
on from the last one when it is restarted, and ends with the line `accuracy=<share of unseen digits
read correctly>`. The evaluator measures each checkpoint that appears until the training is done.
"""

import json
import os
import shutil
import socket
import time
from pathlib import Path

import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from training_metrics import TrainingMetrics

EPOCHS = int(os.environ.get("EPOCHS", "12"))
BATCH, RATE, MOMENTUM, SEED = 32, 0.05, 0.9, 7
FOLDER = Path(os.environ["COLOCATION_CHECKPOINT_PATH"])
DONE, MEASURED = FOLDER / "done", FOLDER / "measured"
GOODBYE_SECONDS = 30


def digits() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Flat images with values from 0 to 1 and their labels: for training, and unseen."""
    images, labels = load_digits(return_X_y=True)
    known, unseen, known_labels, unseen_labels = train_test_split(
        images.astype("float32") / 16.0,
        labels.astype("int64"),
        test_size=0.2,
        random_state=SEED,
        stratify=labels,
    )
    return known, known_labels, unseen, unseen_labels


class Network(tf.Module):
    """One hidden layer. Plain variables, since Keras 3 does not train with parameter servers."""

    def __init__(self) -> None:
        super().__init__()
        start = np.random.default_rng(SEED)
        shapes = {"hidden": (64, 64), "hidden_bias": (64,), "out": (64, 10), "out_bias": (10,)}
        for name, shape in shapes.items():
            scale = (2.0 / shape[0]) ** 0.5 if len(shape) == 2 else 0.0
            value = (start.standard_normal(shape) * scale).astype("float32")
            setattr(self, name, tf.Variable(value))
            setattr(self, f"{name}_speed", tf.Variable(tf.zeros(shape), trainable=False))
        self.epoch = tf.Variable(0, dtype=tf.int64, trainable=False)

    def logits(self, images: tf.Tensor) -> tf.Tensor:
        hidden = tf.nn.relu(tf.matmul(images, self.hidden) + self.hidden_bias)
        return tf.matmul(hidden, self.out) + self.out_bias

    def step(self, images: tf.Tensor, labels: tf.Tensor) -> tf.Tensor:
        """One step of gradient descent with momentum."""
        weights = [self.hidden, self.hidden_bias, self.out, self.out_bias]
        speeds = [
            self.hidden_speed,
            self.hidden_bias_speed,
            self.out_speed,
            self.out_bias_speed,
        ]
        with tf.GradientTape() as tape:
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, self.logits(images))
            loss = tf.reduce_mean(losses)
        gradients = tape.gradient(loss, weights)
        for weight, speed, gradient in zip(weights, speeds, gradients, strict=True):
            speed.assign(MOMENTUM * speed - RATE * gradient)
            weight.assign_add(speed)
        return loss

    def accuracy(self, images: np.ndarray, labels: np.ndarray) -> float:
        answers = tf.argmax(self.logits(tf.constant(images)), axis=1)
        return float(np.mean(answers.numpy() == labels))


def serve(cluster: tf.train.ClusterSpec, role: str, index: int) -> None:
    """What parameter servers and workers do, until the finished job removes them."""
    print(f"{role} {index} serves on {cluster.task_address(role, index)}", flush=True)
    tf.distribute.Server(cluster, job_name=role, task_index=index, protocol="grpc").join()


def lead(cluster: tf.train.ClusterSpec) -> None:
    """What the chief does."""
    forget_finished_run()  # before others can reach the chief: what they see then is this run's
    metrics = TrainingMetrics()
    resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(
        cluster, task_type="chief", task_id=0, rpc_layer="grpc"
    )
    strategy = tf.distribute.ParameterServerStrategy(resolver)
    coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
    with strategy.scope():
        network = Network()
    manager = checkpoints(network)
    # Weights live on the parameter servers; the chief alone reads and writes the files.
    through_chief = tf.train.CheckpointOptions(experimental_io_device="/job:chief")
    if manager.latest_checkpoint:
        manager.checkpoint.restore(manager.latest_checkpoint, through_chief)
        print(f"goes on after epoch {int(network.epoch)}", flush=True)

    known, known_labels, unseen, unseen_labels = digits()

    def data() -> tf.data.Dataset:
        whole = tf.data.Dataset.from_tensor_slices((known, known_labels))
        return whole.shuffle(len(known), seed=SEED).repeat().batch(BATCH)

    @tf.function
    def step(iterator: tf.data.Iterator) -> tf.Tensor:
        images, labels = next(iterator)
        return strategy.run(network.step, args=(images, labels))

    steps = len(known) // BATCH
    iterator = iter(coordinator.create_per_worker_dataset(data))
    for epoch in range(int(network.epoch) + 1, EPOCHS + 1):
        losses = [coordinator.schedule(step, args=(iterator,)) for _ in range(steps)]
        coordinator.join()
        network.epoch.assign(epoch)
        manager.save(epoch, options=through_chief)
        metrics.checkpoint_written()
        loss = np.mean([loss.fetch() for loss in losses])
        accuracy = network.accuracy(known, known_labels)
        metrics.progress(
            epoch=epoch, step=epoch * steps, loss=loss, accuracy=accuracy, examples=steps * BATCH
        )
        print(f"epoch={epoch}/{EPOCHS} loss={loss:.4f} accuracy={accuracy:.4f}", flush=True)

    accuracy = network.accuracy(unseen, unseen_labels)
    DONE.write_text(f"{accuracy:.4f}\n")
    wait_for_evaluator()
    print(f"accuracy={accuracy:.4f}", flush=True)


def evaluate(cluster: tf.train.ClusterSpec) -> None:
    """What the evaluator does: it is not part of the cluster, and only reads checkpoints."""
    wait_for_chief(cluster.task_address("chief", 0))
    _, _, unseen, unseen_labels = digits()
    network = Network()
    manager = checkpoints(network)
    seen = None
    while True:
        done = DONE.exists()  # before looking for the last checkpoint, which is written first
        latest = tf.train.latest_checkpoint(str(FOLDER))
        if latest and latest != seen and measured(network, manager, latest, unseen, unseen_labels):
            seen = latest
        elif done:
            break
        time.sleep(0.5)
    MEASURED.touch()
    print("the training is done", flush=True)


def measured(
    network: Network,
    manager: tf.train.CheckpointManager,
    checkpoint: str,
    unseen: np.ndarray,
    unseen_labels: np.ndarray,
) -> bool:
    """Print how good a checkpoint is; not if the chief has just removed it for a newer one."""
    try:
        manager.checkpoint.restore(checkpoint).expect_partial()
    except (tf.errors.NotFoundError, tf.errors.DataLossError):
        return False
    accuracy = network.accuracy(unseen, unseen_labels)
    print(f"checkpoint={Path(checkpoint).name} accuracy={accuracy:.4f}", flush=True)
    return True


def checkpoints(network: Network) -> tf.train.CheckpointManager:
    FOLDER.mkdir(parents=True, exist_ok=True)
    checkpoint = tf.train.Checkpoint(network=network)
    return tf.train.CheckpointManager(checkpoint, str(FOLDER), max_to_keep=3)


def forget_finished_run() -> None:
    """An earlier run that ended is over; one that was interrupted is gone on with."""
    if DONE.exists():
        shutil.rmtree(FOLDER)


def wait_for_chief(address: str) -> None:
    host, port = address.rsplit(":", 1)
    while True:
        try:
            with socket.create_connection((host, int(port)), timeout=5):
                return
        except OSError:
            time.sleep(1)


def wait_for_evaluator() -> None:
    """The job ends with its chief: give the evaluator the time for the last checkpoint."""
    deadline = time.monotonic() + GOODBYE_SECONDS
    while "evaluator" in roles() and not MEASURED.exists() and time.monotonic() < deadline:
        time.sleep(0.2)


def roles() -> dict[str, list[str]]:
    return json.loads(os.environ["TF_CONFIG"])["cluster"]


def main() -> None:
    tf.get_logger().setLevel("ERROR")  # it warns of each new checkpoint's name
    # TensorFlow knows no evaluators: they are left out of what it is told.
    members = {role: peers for role, peers in roles().items() if role != "evaluator"}
    cluster = tf.train.ClusterSpec(members)
    task = json.loads(os.environ["TF_CONFIG"])["task"]
    if task["type"] == "chief":
        lead(cluster)
    elif task["type"] == "evaluator":
        evaluate(cluster)
    else:
        serve(cluster, task["type"], int(task["index"]))


if __name__ == "__main__":
    main()
