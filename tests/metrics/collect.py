"""Adds to the lists what a Prometheus has: `python -m tests.metrics.collect http://127.0.0.1:9090`.

Nothing is removed: a metric of pods that fail is served only while one does.
"""

import json
import sys
import time
import urllib.parse
import urllib.request

from tests.metrics.served import FOLDER, served

LISTS = {
    "node-exporter": '{job="node-exporter"}',
    "kube-state-metrics": '{job="kube-state-metrics"}',
    "kubelet": '{job="kubelet", metrics_path="/metrics/cadvisor"}',
    "training-operator": '{job="training-operator", __name__=~"training_operator_.*"}',
    "training-pods": '{job="training-pods"}',
}
_HOURS = 6
_OF_PROMETHEUS = ("scrape_", "up")


def collect(url: str) -> None:
    before = served()
    for name, matcher in LISTS.items():
        found = {}
        for series in _series(url, matcher):
            metric = series.pop("__name__")
            if not metric.startswith(_OF_PROMETHEUS):
                found.setdefault(metric, set()).update(series)
        file = FOLDER / f"{name}.txt"
        lines = file.read_text("utf-8").splitlines() if file.exists() else []
        remarks = [line for line in lines if line.startswith("#")]
        kept = {line.partition("{")[0] for line in lines} - set(remarks)
        labels = {
            metric: found.get(metric, set()) | before.get(metric, set()) for metric in found.keys() | kept
        }
        rows = [f"{metric}{{{','.join(sorted(labels[metric]))}}}" for metric in sorted(labels) if metric]
        if rows:
            file.write_text("\n".join([*remarks, *rows]) + "\n", "utf-8")
        print(f"{file.name}: {len(rows)} metrics, {len(found)} of them served now")


def _series(url: str, matcher: str) -> list[dict[str, str]]:
    asked = urllib.parse.urlencode({"match[]": matcher, "start": int(time.time()) - _HOURS * 3600})
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(f"{url}/api/v1/series?{asked}", timeout=60) as answer:
        return json.load(answer)["data"]


if __name__ == "__main__":
    collect(sys.argv[1])
