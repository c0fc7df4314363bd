"""The training: TensorFlow without an end, and a line for how far it is every half second."""

import os
import signal
import time

import numpy as np
import tensorflow as tf

# Large enough that products of matrices are nearly all of it, and use every thread that there is.
BATCH, UNITS, EXAMPLES, FEATURES, CLASSES, REPORT_SECONDS = 512, 2048, 8192, 784, 10, 0.5

signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
generator = np.random.default_rng(7)
images = tf.constant(generator.random((EXAMPLES, FEATURES), dtype="float32"))
labels = tf.constant(generator.integers(0, CLASSES, EXAMPLES))
dense = tf.keras.layers.Dense
model = tf.keras.Sequential(
    [dense(UNITS, activation="relu"), dense(UNITS, activation="relu"), dense(CLASSES)]
)
optimizer = tf.keras.optimizers.SGD(0.01)
loss_of = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)


def train(seen: tf.Tensor, truth: tf.Tensor) -> None:
    """One step."""
    with tf.GradientTape() as tape:
        loss = loss_of(truth, model(seen, training=True))
    optimizer.apply_gradients(
        zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables, strict=True)
    )


compiled = tf.function(train)
done, told = 0, 0.0
while True:
    start = done % EXAMPLES
    compiled(images[start : start + BATCH], labels[start : start + BATCH])
    done += BATCH
    if time.time() - told >= REPORT_SECONDS:
        told = time.time()
        print(f"examples={done} time={told:.3f}", flush=True)
