"""Trains on real handwritten digits, and goes on where it was interrupted.

What a job needs that may lose its place to an online service: it saves its state every few steps, once
more when it is told to stop, and begins with the last one saved. Steps are numbered through all
interruptions: the log says `step=<n>`, and last `accuracy=<share of unseen digits read correctly>`.
"""

import os
import shutil
import signal
import sys
import time
from pathlib import Path

import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from training_metrics import TrainingMetrics

FOLDER = Path(os.environ["COLOCATION_CHECKPOINT_PATH"])
STEPS = int(os.environ.get("STEPS", "600"))
STEP_SECONDS = float(os.environ.get("STEP_SECONDS", "0"))  # at least; these digits train in no time
SAVE_EVERY, BATCH, RATE, SEED = 20, 64, 0.2, 7
DONE = FOLDER / "done"
STOPPED = 128 + signal.SIGTERM
"""Not 0: to the operator that would be a training that has succeeded."""


class Network(tf.Module):
    """One hidden layer."""

    def __init__(self) -> None:
        super().__init__()
        start = np.random.default_rng(SEED)
        for name, shape in {"hidden": (64, 64), "out": (64, 10)}.items():
            weights = start.standard_normal(shape) * (2.0 / shape[0]) ** 0.5
            setattr(self, name, tf.Variable(weights.astype("float32")))
            setattr(self, f"{name}_bias", tf.Variable(tf.zeros(shape[1])))

    def logits(self, images: tf.Tensor) -> tf.Tensor:
        hidden = tf.nn.relu(tf.matmul(images, self.hidden) + self.hidden_bias)
        return tf.matmul(hidden, self.out) + self.out_bias

    @tf.function
    def train(self, images: tf.Tensor, labels: tf.Tensor) -> tf.Tensor:
        """One step of gradient descent; returns the loss."""
        with tf.GradientTape() as tape:
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, self.logits(images))
            loss = tf.reduce_mean(losses)
        for weight, gradient in zip(
            self.trainable_variables, tape.gradient(loss, self.trainable_variables), strict=True
        ):
            weight.assign_sub(RATE * gradient)
        return loss

    def accuracy(self, images: np.ndarray, labels: np.ndarray) -> float:
        answers = tf.argmax(self.logits(tf.constant(images)), axis=1)
        return float(np.mean(answers.numpy() == labels))


class Stop:
    """Whether the pod has been told to leave."""

    def __init__(self) -> None:
        self.asked = False
        signal.signal(signal.SIGTERM, self._ask)

    def _ask(self, *_: object) -> None:
        self.asked = True


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


def chosen(step: int, images: int) -> np.ndarray:
    """The images of a step: the same ones whether or not the training was interrupted before."""
    return np.random.default_rng((SEED, step)).choice(images, BATCH, replace=False)


def forget_finished_run() -> None:
    """A training that has ended is over, and the next one starts anew; one cut short is gone on with."""
    if DONE.exists():
        shutil.rmtree(FOLDER)
    FOLDER.mkdir(parents=True, exist_ok=True)


def main() -> int:
    stop, metrics = Stop(), TrainingMetrics()
    forget_finished_run()
    known, known_labels, unseen, unseen_labels = digits()
    network, step = Network(), tf.Variable(0, dtype=tf.int64)
    checkpoint = tf.train.Checkpoint(network=network, step=step)
    saved = tf.train.CheckpointManager(checkpoint, str(FOLDER), max_to_keep=2)
    checkpoint.restore(saved.latest_checkpoint)
    print(f"begins after step={int(step)}", flush=True)
    while int(step) < STEPS:
        began = time.monotonic()
        batch = chosen(int(step), len(known))
        loss = network.train(tf.constant(known[batch]), tf.constant(known_labels[batch]))
        step.assign_add(1)
        epoch = int(step) * BATCH // len(known)
        metrics.progress(epoch=epoch, step=int(step), loss=float(loss), examples=BATCH)
        if stop.asked or int(step) % SAVE_EVERY == 0:
            saved.save(int(step))
            metrics.checkpoint_written()
            metrics.progress(accuracy=network.accuracy(unseen, unseen_labels))
            print(f"step={int(step)}/{STEPS} loss={float(loss):.4f}", flush=True)
        if stop.asked:
            print("told to stop; the rest is for later", flush=True)
            return STOPPED
        time.sleep(max(0.0, STEP_SECONDS - (time.monotonic() - began)))
    DONE.touch()
    print(f"accuracy={network.accuracy(unseen, unseen_labels):.4f}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
