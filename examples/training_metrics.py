"""How a training goes, served for Prometheus: loss, accuracy, epoch, step, speed, progress, checkpoints.

A job's script imports this file, which is then mounted beside it; the image needs `prometheus_client`. With
Keras:

    metrics = TrainingMetrics()
    model.fit(data, callbacks=[KerasMetrics(metrics, batch_size=64)])

In a loop of one's own, as often as one likes:

    metrics.progress(epoch=epoch, step=step, loss=loss, accuracy=accuracy, examples=len(batch))
    metrics.checkpoint_written()

The port is the job's `metrics_port`; where there is none, as on a laptop, nothing is served. Prometheus asks
the pod that leads the job: its chief, else its first worker. What goes wrong here is printed and never ends
the training.
"""

import os
import socket
import sys
import time
from typing import SupportsFloat

from prometheus_client import CollectorRegistry, Gauge, start_http_server

try:
    from tensorflow.keras.callbacks import Callback
except ImportError:  # a loop of one's own needs no Keras
    Callback = object

PORT_ENV = "COLOCATION_METRICS_PORT"
MEASURED_OVER_SECONDS = 5.0  # at least: the speed of single steps tells nobody anything

_HELP = {
    "training_loss": "Loss, as the training last reported it; NaN is served as NaN.",
    "training_accuracy": "Accuracy, from 0 to 1, as the training last reported it.",
    "training_epoch": "Epochs that are complete.",
    "training_step": "Steps that are complete, through all interruptions.",
    "training_examples_per_second": "Examples trained on per second, lately.",
    "training_last_progress_timestamp_seconds": "When the training last reported anything, or began.",
    "training_checkpoint_timestamp_seconds": "When this pod last wrote a checkpoint.",
}


class TrainingMetrics:
    """The numbers of one training. One that nobody has given yet is not served, rather than 0."""

    def __init__(self, port: int | None = None) -> None:
        """Serve /metrics on a port; unset: that of the job's `metrics_port`."""
        self._registry, self._gauges = CollectorRegistry(), {}
        self._examples, self._since = 0, time.monotonic()
        self._set("training_last_progress_timestamp_seconds", time.time())
        try:
            port = port or int(os.environ.get(PORT_ENV) or 0)
            if port:
                start_http_server(port, "::" if socket.has_dualstack_ipv6() else "0.0.0.0", self._registry)
        except (OSError, OverflowError, ValueError) as fault:
            _say(f"nobody can read how this training goes: port {port or os.environ[PORT_ENV]}: {fault}")

    def progress(
        self,
        *,
        epoch: SupportsFloat | None = None,
        step: SupportsFloat | None = None,
        loss: SupportsFloat | None = None,
        accuracy: SupportsFloat | None = None,
        examples: int = 0,
    ) -> None:
        """Tell how far the training is. Numbers may be those of NumPy or TensorFlow.

        `examples`: how many the training has seen since this was last called.
        """
        self._set("training_epoch", epoch)
        self._set("training_step", step)
        self._set("training_loss", loss)
        self._set("training_accuracy", accuracy)
        self._set("training_last_progress_timestamp_seconds", time.time())
        self._count(examples)

    def checkpoint_written(self) -> None:
        """Tell that what has been trained so far is safe."""
        self._set("training_checkpoint_timestamp_seconds", time.time())

    def _count(self, examples: int) -> None:
        self._examples += examples
        seconds = time.monotonic() - self._since
        if self._examples and seconds >= MEASURED_OVER_SECONDS:
            self._set("training_examples_per_second", self._examples / seconds)
            self._examples, self._since = 0, time.monotonic()

    def _set(self, name: str, value: SupportsFloat | None) -> None:
        if value is None:
            return
        try:
            number = float(value)
        except (TypeError, ValueError) as fault:
            _say(f"{name} is no number: {fault}")
            return
        if name not in self._gauges:
            self._gauges[name] = Gauge(name, _HELP[name], registry=self._registry)
        self._gauges[name].set(number)


class KerasMetrics(Callback):
    """Reports each batch and each epoch of `fit`; the accuracy is that of `metrics=["accuracy"]`.

    List it after BackupAndRestore, which puts the step back to where the training was.
    """

    def __init__(self, metrics: TrainingMetrics, batch_size: int = 0) -> None:
        """`batch_size`: what `fit` is given; without it there is no speed."""
        super().__init__()
        self._metrics, self._batch_size, self._step = metrics, batch_size, 0

    def on_train_begin(self, logs: dict | None = None) -> None:
        self._step = int(self.model.optimizer.iterations)

    def on_train_batch_end(self, batch: int, logs: dict | None = None) -> None:
        self._step += 1
        self._report(logs, step=self._step, examples=self._batch_size)

    def on_epoch_end(self, epoch: int, logs: dict | None = None) -> None:
        self._report(logs, epoch=epoch + 1)

    def _report(self, logs: dict | None, **progress: int) -> None:
        told = logs or {}
        self._metrics.progress(loss=told.get("loss"), accuracy=told.get("accuracy"), **progress)


def _say(text: str) -> None:
    print(f"training_metrics: {text}", file=sys.stderr, flush=True)
