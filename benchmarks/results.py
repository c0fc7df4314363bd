"""Writes docs/results.md and its pictures from the records of both benchmarks. Run by their targets of make.

Every number comes from a record, or from the constants that its run went by.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from benchmarks.day import page as day
from benchmarks.day import results as day_record
from benchmarks.latency import results as latency
from sandbox import paths

FOLDER: Final = paths.CHECKOUT / "docs" / "results"
"""The records, and the pictures."""
PAGE: Final = FOLDER.with_suffix(".md")
DAY, LATENCY = "day.json", "latency.json"
PICTURE = "latency.svg"
_INTRODUCTION: Final = """\
# What colocation brings, measured

Written by `make bench-day` and `make bench-latency` from their records in `docs/results/`; no measured
number here was typed. Your services and your training give others:
[`colo report`](tasks/report.md) says them of your cluster.
"""
_HEADLINE: Final = {
    "en": (
        "On {nodes} simulated nodes under a real control plane, the same day of services and training, its "
        "use drawn, uses {apart} of the CPU in separate pools; {mixed} in one pool without settings, where "
        "a service's pod waits for {mixed_wait} s; and {shared} with this program's stack, where the longest "
        "wait is {wait} s ({queued} with queues and a quota of what services leave at their peak, which "
        "bring {deadlocked} deadlocks of jobs down to {deadlocks}). On a real node of {processors} CPUs, "
        "training beside a service takes the CPU from {node_alone} to {node_article} and the service's P99 "
        "from {p99_alone} to {p99_article} ms where it requests {article} of them, and to {node} and {p99} "
        "ms with this program's settings and node protection."
    ),
    "zh": (
        "在真实控制平面下的 {nodes} 个模拟节点上，同样一天的在线服务与训练（用量为模拟）："
        "资源池分开时使用 {apart} 的 CPU；"
        "合为一池而不加设置时使用 {mixed}，但在线服务的 Pod 要等 {mixed_wait} 秒；"
        "采用本程序的栈时使用 {shared}，最长等待 {wait} 秒"
        "（启用排队、且配额为在线服务高峰时的余量时 {queued}，"
        "死锁的任务数从 {deadlocked} 降到 {deadlocks}）。"
        "在一台 {processors} 个 CPU 的真实节点上，请求 {article} 个 CPU 的训练与在线服务共处，"
        "使节点 CPU 从 {node_alone} 升到 {node_article}，"
        "服务的 P99 从 {p99_alone} 毫秒变为 {p99_article} 毫秒；"
        "按本程序的设置并启用节点保护，则分别为 {node} 与 {p99} 毫秒。"
    ),
}


def written(folder: Path) -> tuple[str, dict[str, str]]:
    """The page, and each picture by its file name, of the records that are in a folder."""
    parts, pictures = [_INTRODUCTION], dict[str, str]()
    if (folder / DAY).exists():
        days = day_record.read(folder / DAY)
        parts.append(day.page(days))
        pictures |= day.pictures(days)
    if (folder / LATENCY).exists():
        rounds = _rounds(folder)
        parts.append(latency.page(rounds, f"{FOLDER.name}/{PICTURE}"))
        pictures[PICTURE] = latency.chart(latency.summaries(rounds))
    return "\n".join(parts), pictures


def headline(folder: Path) -> Mapping[str, str]:
    """What README says of both records, by language."""
    smallest = day_record.read(folder / DAY).sizes[0]
    days = {one.setting: one for one in smallest.days}
    rounds = _rounds(folder)
    answers = {one.name: one for one in latency.summaries(rounds)}
    alone, protected = answers["alone"], answers["protected"]
    figures = {
        "nodes": smallest.nodes,
        "apart": f"{days['a'].used.cpu:.0%}",
        "mixed": f"{days['b'].used.cpu:.0%}",
        "mixed_wait": f"{days['b'].waits.worst:.0f}",
        "shared": f"{days['d'].used.cpu:.0%}",
        "queued": f"{days['e'].used.cpu:.0%}",
        "deadlocked": days["d"].offline.deadlocks,
        "deadlocks": days["e"].offline.deadlocks,
        "wait": f"{max(days[name].waits.worst for name in 'de'):.1f}",
        "node_alone": f"{alone.node_cpu.median:.0%}",
        "node": f"{protected.node_cpu.median:.0%}",
        "p99_alone": f"{alone.latency['p99'].median:.1f}",
        "processors": rounds["machine"]["processors"],
        "article": next(one["requests"]["cpu"] for one in rounds["settings"] if one["name"] == "article"),
        "node_article": f"{answers['article'].node_cpu.median:.0%}",
        "p99_article": f"{answers['article'].latency['p99'].median:.1f}",
        "p99": f"{protected.latency['p99'].median:.1f}",
    }
    return {language: text.format(**figures) for language, text in _HEADLINE.items()}


def main() -> int:
    text, pictures = written(FOLDER)
    for name, svg in pictures.items():
        (FOLDER / name).write_text(svg, "utf-8")
    PAGE.write_text(text, "utf-8")
    print(f"wrote {PAGE} and {len(pictures)} pictures")
    return 0


def _rounds(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / LATENCY).read_text("utf-8"))
    return found


if __name__ == "__main__":
    sys.exit(main())
