"""Trains a small network on real handwritten digits and reports how well it reads them.

The digits (1,797 images of 8x8, from UCI) come with scikit-learn: nothing is downloaded. Where the job
has a checkpoint path, each epoch is saved there, and a training that was interrupted goes on after the
last one. The last line of the output is `accuracy=<share of unseen digits read correctly>`.
"""

import os

import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from training_metrics import KerasMetrics, TrainingMetrics

EPOCHS = int(os.environ.get("EPOCHS", "20"))
CHECKPOINTS = os.environ.get("COLOCATION_CHECKPOINT_PATH")
BATCH, SEED = 64, 7


def digits() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Images with values from 0 to 1 and their labels: for training, and unseen."""
    images, labels = load_digits(return_X_y=True)
    images = images.reshape(-1, 8, 8, 1).astype("float32") / 16.0
    known, unseen, known_labels, unseen_labels = train_test_split(
        images, labels, test_size=0.2, random_state=SEED, stratify=labels
    )
    return known, known_labels, unseen, unseen_labels


def network() -> tf.keras.Model:
    """Two small convolutions: enough for images this small."""
    layers = tf.keras.layers
    model = tf.keras.Sequential(
        [
            layers.Input((8, 8, 1)),
            layers.Conv2D(16, 3, padding="same", activation="relu"),
            layers.Conv2D(32, 3, activation="relu"),
            layers.MaxPooling2D(),
            layers.Flatten(),
            layers.Dense(64, activation="relu"),
            layers.Dense(10),
        ]
    )
    model.compile(
        optimizer=tf.keras.optimizers.Adam(2e-3),
        loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    return model


class Report(tf.keras.callbacks.Callback):
    """One line an epoch; a progress bar is no use in a log."""

    def __init__(self, metrics: TrainingMetrics) -> None:
        super().__init__()
        self._metrics = metrics

    def on_epoch_end(self, epoch: int, logs: dict | None = None) -> None:
        logs = logs or {}
        print(f"epoch={epoch + 1}/{EPOCHS} loss={logs['loss']:.4f} accuracy={logs['accuracy']:.4f}")
        if CHECKPOINTS:
            self._metrics.checkpoint_written()


def callbacks() -> list[tf.keras.callbacks.Callback]:
    """The backup removes itself when the training has ended: the next one starts anew."""
    metrics = TrainingMetrics()
    backup = [tf.keras.callbacks.BackupAndRestore(CHECKPOINTS)] if CHECKPOINTS else []
    return [*backup, KerasMetrics(metrics, batch_size=BATCH), Report(metrics)]


def main() -> None:
    tf.keras.utils.set_random_seed(SEED)
    gpus = tf.config.list_physical_devices("GPU")
    known, known_labels, unseen, unseen_labels = digits()
    print(f"tensorflow={tf.__version__} gpus={len(gpus)} images={len(known)} unseen={len(unseen)}")
    model = network()
    model.fit(known, known_labels, batch_size=BATCH, epochs=EPOCHS, verbose=0, callbacks=callbacks())
    _, accuracy = model.evaluate(unseen, unseen_labels, verbose=0)
    print(f"accuracy={accuracy:.4f}")


if __name__ == "__main__":
    main()
