"""What the metrics of training pods cost a Prometheus: processor time, memory, samples.

A Prometheus of its own on loopback, of the sandbox's version, scrapes the page that a training serves with
`examples/training_metrics.py`, once for each simulated pod, at the interval that stacks have by default.
Beside it the same Prometheus without any pod, in the same run. No cluster is needed or touched.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from infra.models.durations import seconds
from infra.models.monitoring import PrometheusSpec
from sandbox import paths, tools
from sandbox.progress import Progress

PODS, MEASURED_SECONDS, SCRAPED_WITHIN_SECONDS = 200, 60, 120
INTERVAL = PrometheusSpec().scrape_interval
_TICK_SECONDS = 1 / os.sysconf("SC_CLK_TCK")
_TRAINS = """
import sys, time
from training_metrics import TrainingMetrics
metrics = TrainingMetrics(int(sys.argv[1]))
step = 0
while True:
    step += 1
    metrics.progress(epoch=1, step=step, loss=1 / step, accuracy=0.9, examples=64)
    metrics.checkpoint_written()
    time.sleep(1)
"""


@dataclass(frozen=True, kw_only=True)
class Load:
    """Of one Prometheus: what it holds and uses with this many pods."""

    pods: int
    series: float
    samples_per_second: float
    millicores: float
    memory_mebibytes: float


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.scrape_load", description=__doc__)
    parser.add_argument("pods", nargs="?", type=int, default=PODS, help="how many training pods")
    pods = parser.parse_args(arguments).pods
    program = tools.ensure(["prometheus"], Progress())["prometheus"]
    rows = ["| pods | series | samples a second | CPU, millicores | memory, MiB |", "|" + " ---: |" * 5]
    with _training() as port:
        for count in (0, pods):
            load = measured(program, port, count)
            rows.append(
                f"| {load.pods} | {load.series:.0f} | {load.samples_per_second:.1f} | "
                f"{load.millicores:.1f} | {load.memory_mebibytes:.0f} |"
            )
    print("\n".join(rows))
    return 0


def measured(program: Path, port: int, pods: int) -> Load:
    """Start a Prometheus, let it scrape every pod, then look at it for a while."""
    own = _free_port()
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "prometheus.yml"
        config.write_text(yaml.safe_dump(_config(port, pods)))
        command = [
            program,
            f"--config.file={config}",
            f"--storage.tsdb.path={folder}/data",
            f"--web.listen-address=127.0.0.1:{own}",
            "--log.level=error",
        ]
        with _running([str(word) for word in command]) as pid:
            _wait(own, pods)
            before = _cpu_seconds(pid)
            time.sleep(MEASURED_SECONDS)
            used = _cpu_seconds(pid) - before
            return Load(
                pods=pods,
                series=_ask(own, "count({job='training-pods'}) or vector(0)"),
                samples_per_second=_ask(own, "sum(scrape_samples_scraped) or vector(0)") / seconds(INTERVAL),
                millicores=1000 * used / MEASURED_SECONDS,
                memory_mebibytes=_memory_bytes(pid) / 2**20,
            )


def _config(port: int, pods: int) -> dict[str, object]:
    targets = [
        {"targets": [f"127.0.0.1:{port}"], "labels": {"namespace": "kubeflow", "pod": f"job-{i}-worker-0"}}
        for i in range(pods)
    ]
    job = {"job_name": "training-pods", "static_configs": targets}
    return {"global": {"scrape_interval": INTERVAL}, "scrape_configs": [job]}


@contextlib.contextmanager
def _training() -> Iterator[int]:
    """One training that serves its metrics, for all pods to be scraped from; yields the port."""
    port = _free_port()
    examples = {**os.environ, "PYTHONPATH": str(paths.CHECKOUT / "examples")}
    with _running([sys.executable, "-c", _TRAINS, str(port)], examples):
        yield port


@contextlib.contextmanager
def _running(command: list[str], environment: dict[str, str] | None = None) -> Iterator[int]:
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) as child:
        try:
            yield child.pid
        finally:
            child.send_signal(signal.SIGTERM)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
        return port


def _cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * _TICK_SECONDS


def _memory_bytes(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _wait(port: int, pods: int) -> None:
    """Until every pod has been scraped."""
    deadline = time.monotonic() + SCRAPED_WITHIN_SECONDS
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError):
            if _ask(port, "sum(up) or vector(0)") == pods:
                return
        time.sleep(0.5)
    raise SystemExit(f"Prometheus has not scraped {pods} pods within {SCRAPED_WITHIN_SECONDS} s")


def _ask(port: int, promql: str) -> float:
    url = f"http://127.0.0.1:{port}/api/v1/query?{urllib.parse.urlencode({'query': promql})}"
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(url, timeout=10) as answer:
        [found] = json.load(answer)["data"]["result"]
    return float(found["value"][1])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
